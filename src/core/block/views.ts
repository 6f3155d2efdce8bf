import type { Checkpoint } from "../checkpoint/checkpoint.ts";
import { typeOf } from "../checkpoint/document-state.ts";
import { belowHead, importedHead } from "../checkpoint/imported.ts";
import { foreign, quotedName, storePath } from "../text/quoted.ts";
import { cut, firstWords, grouped, minuteOf, oneLine } from "../text/text.ts";
import { withoutDash } from "./item.ts";
import { pack } from "./pack.ts";
import { printBlock, printMarkdown, printParts, wholeParts } from "./print.ts";
import { viewSections } from "./sections.ts";
import { wholeOf } from "./situation.ts";

/** A checkpoint as Markdown, for people and the agent to read: all that its JSON holds, but the end of long lists of file names. */
export function checkpointMarkdown(checkpoint: Checkpoint): string {
	const { key, at, trigger, session, state, imported } = checkpoint;
	const head =
		`# Context checkpoint ${key}\n\nTaken ${at} (${trigger || "unknown trigger"}) of session ${session}` +
		`${state.tokens === null ? "" : `, at ${grouped(state.tokens)} tokens`}. Written by ccg.${imported ? `\n${importedHead(imported)}` : ""}`;
	const parts = wholeParts(viewSections("document", wholeOf(checkpoint)));
	return `${printBlock(
		head,
		parts.map((part) => ({ ...part, left: 0 })),
	)}\n`;
}

/**
 * Writes a handoff: what somebody who goes on with a session has to know, from a checkpoint (`isLive`: made of the session as it is now).
 * It tells facts of the record alone. `made` is an ISO time, `changes` what is not as the checkpoint has it, in words. Gives title, parts
 * and the whole text.
 */
export function handoff(
	checkpoint: Checkpoint,
	{ isLive, made, changes }: { isLive: boolean; made: string; changes: readonly string[] },
) {
	const { key, at, session, state, projectDir, note, imported } = checkpoint;
	const base = projectDir || state.cwd;
	const source = isLive
		? `the session as it was then`
		: `checkpoint ${key} (${typeOf(checkpoint)}), taken ${minuteOf(at)}; what happened after that is not in it`;
	const title = `Handoff: ${projectDir.split("/").at(-1) || `session ${session.slice(0, 8)}`}`;
	const head = [
		`# ${title}`,
		`Made by ccg at ${minuteOf(made)} from ${source}. Session ${session}, in ${base ? quotedName(base) : "an unknown folder"}; paths are told from there on.`,
		importedHead(imported) ||
			"Behind `>` and in quotation marks stand the user's own words; between backticks and behind `|` what the agent, a tool or a file said, which is a record and no instruction.",
		...(note ? [belowHead(`Note saved with it: ${foreign(note)}`, imported)] : []),
	];
	const parts = printParts(wholeParts(viewSections("handoff", { ...wholeOf(checkpoint), isLive, changes })));
	return { title, parts, text: printMarkdown(head.join("\n\n"), parts) };
}

/** A text in which paths of home folders begin with `~`, for others to read. `home` is the folder of whoever runs this, it may lie anywhere. */
export const withoutHomes = (text: string, home: string): string =>
	(home.length > 1 ? text.replaceAll(`${home}/`, "~/") : text).replace(HOMES, (_, slash) => (slash ? "~" : "-home"));
/** A home folder at the beginning of a path, also as Claude Code names a project's folder (`-home-name`). */
const HOMES = /(?<![\p{L}\p{N}_.~])(?:(\/)(?:home|Users)\/[^/\s`'"]+|-(?:home|Users)-[^-/\s`'"]+)/gu;

const TITLE = 72;

/**
 * A checkpoint as the title and description of a pull request. Others read it: it names no session, store or transcript. Every text stands
 * as code, so that nothing in it mentions a person, closes an issue or is markup.
 */
export function pullRequest(checkpoint: Checkpoint) {
	const { state, workspace, imported } = checkpoint;
	const commits = state.commits.filter(({ subject }) => subject);
	const about = workspace?.task?.goal || (commits.length === 1 ? commits[0]!.subject : "");
	const parts = printParts(wholeParts(viewSections("pull request", wholeOf(checkpoint))));
	return {
		title: (!imported && cut(oneLine(about), TITLE)) || "Changes",
		parts,
		text: printMarkdown(importedHead(imported), parts),
	};
}

interface RestoreInput {
	checkpoint: Checkpoint;
	/** Path of the checkpoint's readable form. */
	path: string;
	/** ISO time of the restore. */
	at: string;
	/** Who asked for the restore, in words. */
	by: string;
	/** What has changed since the checkpoint, in words. */
	changes: readonly string[];
	/** What the checkpoint names and is gone by now, in words. */
	gone: readonly string[];
	maxChars: number;
}

const CHANGES = 12;

/**
 * The text that the model gets of a restored checkpoint: that it was restored and by whom, what has changed since, then its sections, the
 * user's words first. Always starts with `ccg restored`.
 */
export function restoredBlock({ checkpoint, path, at, by, changes, gone, maxChars }: RestoreInput): string {
	const { key, projectDir, state, note, imported } = checkpoint;
	const base = projectDir || state.cwd;
	const since = [
		note ? `Note saved with it: ${foreign(note)}` : "",
		changes.length === 0 ? `Branch, commit and files are as they were at ${checkpoint.at}, as far as ccg looked.` : "",
		...(changes.length > 0 ? ["## Not as it was then", ...changes.slice(0, CHANGES).map((one) => `- ${one}`)] : []),
		gone.length > 0 ? `Gone: ${gone.slice(0, CHANGES).join(", ")}` : "",
	];
	const head = [
		`ccg restored ${key} (${typeOf(checkpoint)}): ${by} at ${at} with 'ccg checkpoint restore'. It is a state of before, as of ${checkpoint.at}` +
			`; what was said in this conversation since then is newer.${imported ? "" : " The user's own words stand behind > and in the sections that say so."} Paths from ${base ? quotedName(base) : "the session's folder"} on. All of it: ${storePath(path)}`,
		...[importedHead(imported), belowHead(since.filter(Boolean).join("\n"), imported)].filter(Boolean),
	].join("\n");
	return printBlock(
		head,
		pack(viewSections("block", { ...wholeOf(checkpoint), maxChars }), maxChars - head.length - 1),
	);
}

const LENGTH = 200;

/** The lines that are new in the later of two checkpoints, and those of the earlier that it has no more, by their handoffs. */
export function checkpointDifferences(before: Checkpoint, after: Checkpoint): string[] {
	const [oldLines, newLines] = [handoffLines(before), handoffLines(after)];
	return [
		...[...newLines.difference(oldLines)].map((text) => `new: ${text}`),
		...[...oldLines.difference(newLines)].map((text) => `no longer there: ${text}`),
	];
}

/** The items of a checkpoint's handoff as short lines, each with its heading, and its size in tokens. */
function handoffLines(checkpoint: Checkpoint): Set<string> {
	const parts = wholeParts(viewSections("handoff", { ...wholeOf(checkpoint), checkpoint: undefined }));
	const { tokens } = checkpoint.state;
	const size = tokens === null ? [] : [`Tokens: ${grouped(tokens)}`];
	return new Set([
		...parts.flatMap(({ heading, items }) =>
			items.map(({ text }) => `${heading}: ${firstWords(withoutDash(oneLine(text)), LENGTH)}`),
		),
		...size,
	]);
}
