import { cut, oneLine } from "../text/text.ts";
import type { Checkpoint } from "./checkpoint.ts";
import {
	changedFiles,
	checkLines,
	decisionLines,
	type Handoff,
	leftLines,
	part,
	partOfFile,
	texts,
} from "./handoff.ts";
import { requestOf } from "./said-items.ts";
import { ALL, doneItems } from "./work-items.ts";

const TITLE = 72;
const REQUEST = 2_000;

/**
 * The same in the form of a pull request's description. Others read it: no session, no store, no transcript. Every text stands as
 * code, so that nothing in it mentions a person, closes an issue or is markup.
 */
export function pullRequest(checkpoint: Checkpoint): Handoff {
	const { state, workspace, projectDir, imported } = checkpoint;
	const base = projectDir || state.cwd;
	const commits = state.commits.filter(({ subject }) => subject);
	const request = requestOf(state);
	const about = workspace?.task?.goal || (commits.length === 1 ? commits[0]!.subject : "") || request?.text || "";
	return {
		title: (!imported && cut(oneLine(about), TITLE)) || "Changes",
		parts: [
			part("what", "What", texts(doneItems(state, ALL).toReversed()), ["Nothing was committed yet."]),
			part("why", "Why", request ? inFence(cut(request.text, REQUEST)) : [], ["No request was recorded."]),
			part("decisions", "Decisions", decisionLines(checkpoint)),
			part("files", "Files", changedFiles(state, base)),
			part("check", "How it was checked", checkLines(state, base), ["No test, build or run with a result was seen."]),
			part("left", "What is left", leftLines(checkpoint)),
		]
			.filter(({ lines }) => lines.length > 0)
			.map((one) => partOfFile(one, imported)),
	};
}

/** As Markdown; its title is the pull request's own. */
export const pullRequestMarkdown = ({ parts }: Handoff): string =>
	parts.map(({ title, lines }) => `## ${title}\n\n${lines.join("\n")}\n`).join("\n");

/** A fence that no line of the text can end. */
function inFence(text: string): string[] {
	const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
	const fence = "`".repeat(longest + 1);
	return [`${fence}text`, ...text.split("\n"), fence];
}
