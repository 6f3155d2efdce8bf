import { isHarmlessShell, type ShellWorld } from "./command-effect.ts";
import { READERS } from "./reading-tools.ts";

export interface ToolCall {
	name: string;
	input: Record<string, unknown>;
}

/** Where what is written counts as memory, and how ccg is called. */
export interface CallPlace {
	/** Absolute path of `bin/ccg`. */
	launcher: string;
	/** The short command that leads to it. */
	told?: string;
	/** Folders and files of notes, absolute: Claude Code's own memory, ccg's, Serena's. */
	memory: string[];
	/** Whether what is written to the path gets to this place, links followed. Without it the words count. */
	isInside?: (path: string, place: string) => boolean;
	/** The store and session that ccg's own commands may name. */
	store?: string;
	session?: string;
	world?: ShellWorld;
}

/**
 * Whether a tool call may change something and so waits for a checkpoint at critical pressure. Decided by what is known to
 * change nothing; whatever is not known counts as a change.
 */
export function mayChange({ name, input }: ToolCall, around: CallPlace): boolean {
	if (READERS.has(name)) return false;
	if (WRITERS.has(name)) return !isMemory(input.file_path ?? input.notebook_path, around);
	if (name === "Bash") return !isHarmless(input, around);
	// a skill may begin an agent that is not held back, or run commands as it is read
	if (name === "Skill") return !/^(?:ccg:)?context-guardian$/.test(String(input.skill));
	return !isNote(name, input, around);
}

const WRITERS = new Set(["Edit", "Write", "MultiEdit", "NotebookEdit"]);

function isMemory(path: unknown, { memory, isInside }: CallPlace): boolean {
	if (typeof path !== "string" || !path.startsWith("/") || /(^|\/)\.\.?(\/|$)|\/\/|[\0-\x1f\x7f]/.test(path))
		return false;
	// beside the notes lie files of ccg's own, such as the project's choice of a profile
	if (!path.endsWith(".md")) return false;
	const place = memory.find((one) => path === one || path.startsWith(`${one}/`));
	return place !== undefined && (isInside?.(path, place) ?? true);
}

/** Serena's notes are what a stop is for; of its other tools those that look something up. Only by its own name. */
function isNote(name: string, input: Record<string, unknown>, { memory, isInside }: CallPlace): boolean {
	const [, act] = /^mcp__(?:plugin_[\w-]{1,64}_)?serena__(\w{1,64})$/.exec(name) ?? [];
	if (!act) return false;
	if (SERENA_READS.test(act)) return true;
	if (!/^(?:write|edit)_memory$/.test(act)) return false;
	const place = memory.find((one) => one.endsWith("/.serena/memories"));
	if (place && isInside && !isInside(`${place}/note.md`, place)) return false;
	// a name is a path below its folder
	return Object.entries(input).every(
		([key, value]) =>
			!/name|path|file/i.test(key) ||
			(typeof value === "string" && /^[\w .,/-]*$/.test(value) && !/(^|\/)\.\.|^[/~]/.test(value)),
	);
}

const SERENA_READS =
	/^(?:read_memory|list_memories|find_symbol|find_referencing_symbols|find_file|get_symbols_overview|list_dir|search_for_pattern|think_about_\w+)$/;

function isHarmless({ command, run_in_background }: Record<string, unknown>, around: CallPlace): boolean {
	// a client may take other values for yes
	if (typeof command !== "string" || (run_in_background !== undefined && run_in_background !== false)) return false;
	const { launcher, told, store, session, world } = around;
	try {
		return isHarmlessShell(command, {
			launcher,
			told,
			own: { ...(store && { store }), ...(session && { session }) },
			...(world && { world }),
		});
	} catch {
		return false;
	}
}
