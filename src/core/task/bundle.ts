import type { TaskState } from "./task-state.ts";

/** What a major action needs to know, with exactly these fields. */
export interface WorkingBundle {
	goal: string;
	phase: string;
	next_action: string;
	/** `null` when nothing was done yet: missing fields are not guessed. */
	last_successful_action: string | null;
	constraints: string[];
	relevant_artifacts: string[];
}

export function workingBundle(state: TaskState): WorkingBundle {
	return {
		goal: state.goal,
		phase: state.current_phase,
		next_action: state.next_action,
		last_successful_action: state.last_action && (state.last_action.summary || state.last_action.outcome || null),
		constraints: state.constraints,
		relevant_artifacts: [...new Set([...state.artifacts.map(({ path }) => path), ...pathsIn(state.next_action)])],
	};
}

/** Files that `next_action` names: words with a slash or a file's ending. Addresses are no files. */
function pathsIn(text: string): string[] {
	const words = text.split(/[\s"'`<>()[\]{},;]+/).map(withoutStop);
	return words.filter(
		(word) => !/^[a-z][\w+.-]*:\/\//i.test(word) && (isPath(word) || /^[\w-][\w.-]*\.[a-z]\w{0,5}$/i.test(word)),
	);
}

function withoutStop(word: string): string {
	let end = word.length;
	while (end > 0 && ".:!?".includes(word[end - 1]!)) end--;
	return word.slice(0, end);
}

/** With a slash, and a name behind the last one. */
function isPath(word: string): boolean {
	if (!word.includes("/") || !/^[\w@.~/-]+$/.test(word)) return false;
	return /\w/.test(word.slice(1 + Math.max(word.lastIndexOf("/"), word.lastIndexOf("@"), word.lastIndexOf("~"))));
}
