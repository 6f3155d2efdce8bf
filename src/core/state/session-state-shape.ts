import * as z from "zod/mini";
import { list, recordOf } from "../base-shapes.ts";

/** The longest text a state keeps is a plan of 12,000 characters. */
const text = z.string().check(z.maxLength(20_000));
const number = z.number();
const flag = z.boolean();
const yes = z.exactOptional(z.literal(true));
const moment = { at: text, order: number };

export const message = z.object({
	...moment,
	source: z.enum(["typed", "queued", "command"]),
	/** How often it was put into the queue and not taken back; absent once it is known to be given. */
	waits: z.exactOptional(number),
	/** Verbatim; secrets redacted. */
	text,
	cut: z.exactOptional(number),
	directives: list(text),
	/** It takes something back that was said before. */
	revokes: yes,
});

const said = z.object({ text, ...moment });

export const check = z.object({
	kind: z.enum(["test", "build", "lint", "run"]),
	command: text,
	/** `unknown` where the exit code tells nothing (a pipe, a list) and the output neither. */
	result: z.enum(["worked", "failed", "unknown"]),
	/** The line of the output that tells how it went; `""` where there was none. */
	outcome: text,
	...moment,
});

export const decision = z.object({
	...moment,
	/** `allowed`: a call, when Claude Code asked; `words` are for how long, `""` for once. */
	kind: z.enum(["answer", "allowed", "rejected", "plan approved", "plan rejected", "interrupted"]),
	/** Of the call; `""` where it is not known. */
	tool: text,
	subject: text,
	words: text,
});

export const task = z.object({
	id: text,
	subject: text,
	/** As Claude Code names it; `cancelled` when it was deleted unfinished. */
	status: text,
	order: number,
	/** When it was made, and when what it says or its status changed last; ISO times or `""`. */
	madeAt: z.exactOptional(text),
	changedAt: z.exactOptional(text),
	/** Finished long ago: no longer among the active tasks of the session context. */
	archived: yes,
});

export const failure = z.object({
	/** Tool and what it was called on: the key by which a later success resolves it. */
	subject: text,
	message: text,
	...moment,
	resolved: flag,
});

export const backgroundTask = z.object({
	id: text,
	kind: z.enum(["background shell", "detached process", "agent", "schedule"]),
	what: text,
	output: text,
	ports: z.exactOptional(list(text)),
	/** As Claude Code listed it last; `at` an ISO time. */
	listed: z.exactOptional(z.object({ kind: text, description: text, at: text })),
	...moment,
});

export const openCall = z.object({
	tool: text,
	subject: text,
	order: number,
	/** When it was made; ISO time or `""`. */
	at: z.exactOptional(text),
	input: z.exactOptional(recordOf(z.unknown())),
	path: z.exactOptional(text),
	background: yes,
});

/** `check`: a build or a linter; `files`: a command that may write any; `unseen`: what may have done anything. */
export const deedKind = z.enum([
	"commit",
	"push",
	"deploy",
	"test",
	"check",
	"edit",
	"files",
	"seen history",
	"unseen",
]);

/** Something done that summaries report, or that a call may have done unseen. */
export const deed = z.object({
	kind: deedKind,
	/** The command, or the file of an edit; `""` of what may have been done. */
	what: text,
	/** `open` without a result; `refused` by the user; `maybe` where nobody can tell from outside. */
	outcome: z.enum(["open", "done", "failed", "refused", "maybe"]),
	told: text,
	order: number,
});

/**
 * What a session established, over all its compactions. A plain JSON value of bounded size; `order` counts calls and
 * messages and orders everything else.
 */
export const sessionState = z.object({
	version: z.literal(4),
	/** When the first message seen was written; `""` before it. */
	startedAt: text,
	order: number,
	boundaries: number,
	messages: list(message),
	/** Messages of which the transcript does not tell who spoke; `field` is what of their lines is not known. */
	unclear: z.exactOptional(list(z.object({ ...moment, text, field: text }))),
	decisions: list(decision),
	/** The last plan of plan mode; `path` where Claude Code keeps it, `""` when it was not told. */
	plan: z.nullable(z.object({ text, path: text, at: text, approved: flag })),
	tasks: list(task),
	files: list(
		z.object({
			path: text,
			edits: number,
			reads: number,
			order: number,
			edited: z.exactOptional(number),
			at: text,
		}),
	),
	commands: list(
		z.object({
			command: text,
			failed: flag,
			/** The lines of its output that tell how it went or what it gave; absent where there were none. */
			outcome: z.exactOptional(text),
			begun: yes,
			...moment,
		}),
	),
	failures: list(failure),
	/** Background shells, agents and schedules that were started and not seen to end. */
	backgroundTasks: list(backgroundTask),
	/** Questions the agent put to the user in its text and that no message has answered. */
	questions: list(said),
	/** What the agent said it assumes, the newest. */
	assumptions: list(said),
	commits: list(z.object({ hash: text, subject: text, ...moment })),
	checks: list(check),
	/** What summaries report as done, and what became of it; absent where not every call was seen. */
	deeds: z.exactOptional(list(deed)),
	/** What the agent said between two calls, over several compactions; `closing`: its turn ended with it. */
	prose: list(z.object({ text, ...moment, closing: yes })),
	lastSaid: text,
	cwd: text,
	branch: text,
	claudeVersion: text,
	model: text,
	/** Context size of the last response since the last boundary; `null` while unknown. */
	tokens: z.nullable(number),
	open: recordOf(openCall),
	/** The order at which the user refused a call or stopped the agent, until the agent goes on. */
	refusedAt: z.exactOptional(number),
	/** Places in the order that a message left: it was queued and came later, or was taken back. */
	vacant: z.exactOptional(list(number)),
	/** Not everything the user said was read: the history is longer than what is read without a state snapshot. */
	partial: yes,
	/** What was dropped to stay within bounds: how many, by the list's name. */
	dropped: recordOf(number),
});
