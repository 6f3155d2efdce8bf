import * as z from "zod/mini";
import { listShape, recordOf } from "../base-shapes.ts";

/** The longest text a state keeps is a plan of 12,000 characters. */
const text = z.string().check(z.maxLength(20_000));
const number = z.number();
const flag = z.boolean();
const yes = z.exactOptional(z.literal(true));
/** Where something stands in the transcript: the byte at which its line begins. Only this tells what came before what: clocks are set. */
const pos = z.exactOptional(number);
const moment = { at: text, order: number, pos };

export const message = z.object({
	...moment,
	source: z.enum(["typed", "queued", "command"]),
	/** How often it was put into the queue and not taken back; absent once it is known to be given. */
	waits: z.exactOptional(number),
	/** Verbatim; secrets redacted. */
	text,
	/** Characters that are left out of it. */
	cut: z.exactOptional(number),
	/** It says of itself that it is meant to last. */
	lasts: yes,
});

export const decision = z.object({
	...moment,
	/** `allowed`: a call, when Claude Code asked; `words` are for how long, `""` for once. */
	kind: z.enum(["answer", "allowed", "rejected", "plan approved", "plan rejected"]),
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
	/** Where and when it was made, and where and when what it says or its status changed last; ISO times or `""`. */
	pos,
	changed: pos,
	madeAt: z.exactOptional(text),
	changedAt: z.exactOptional(text),
});

/** What a call does, by the shape of its input: editors have tools of their own names. */
const callKind = z.exactOptional(z.enum(["shell", "edit", "read"]));

export const failure = z.object({
	kind: callKind,
	/** Tool and what it was called on: the key by which a later success resolves it. */
	subject: text,
	message: text,
	...moment,
	resolved: flag,
});

export const backgroundTask = z.object({
	id: text,
	kind: z.enum(["background shell", "agent", "schedule"]),
	what: text,
	output: text,
	/** As Claude Code listed it last; `at` an ISO time. */
	listed: z.exactOptional(z.object({ kind: text, description: text, at: text })),
	...moment,
});

export const openCall = z.object({
	tool: text,
	kind: callKind,
	subject: text,
	order: number,
	/** When it was made; ISO time or `""`. */
	at: z.exactOptional(text),
	pos,
	input: z.exactOptional(recordOf(z.unknown())),
	path: z.exactOptional(text),
});

/**
 * What a session established, over all its compactions. A plain JSON value of bounded size; `order` counts calls and
 * messages and orders everything else.
 */
export const sessionState = z.object({
	version: z.literal(5),
	/** When the first message seen was written; `""` before it. */
	startedAt: text,
	order: number,
	boundaries: number,
	messages: listShape(message),
	/** Messages of which the transcript does not tell who spoke. */
	unclear: z.exactOptional(listShape(z.object({ ...moment, text }))),
	decisions: listShape(decision),
	/** The last plan of plan mode; `path` where Claude Code keeps it, `""` when it was not told. */
	plan: z.nullable(z.object({ text, path: text, at: text, pos, approved: flag })),
	tasks: listShape(task),
	files: listShape(
		z.object({
			path: text,
			edits: number,
			reads: number,
			order: number,
			edited: z.exactOptional(number),
			at: text,
			pos,
		}),
	),
	/** The newest calls that have ended. */
	calls: listShape(
		z.object({
			tool: text,
			/** What it was made on: the command, the file, the pattern. */
			subject: text,
			/** `ended`; of one that failed `exit code N` where the client tells it, else `failed`. */
			outcome: text,
			/** The last lines of what it gave; absent where it gave nothing. */
			output: z.exactOptional(text),
			/** It goes on in the background. */
			begun: yes,
			...moment,
		}),
	),
	failures: listShape(failure),
	/** Background shells, agents and schedules that were started and not seen to end. */
	backgroundTasks: listShape(backgroundTask),
	commits: listShape(z.object({ hash: text, subject: text, ...moment })),
	/** What the agent said between two calls, the newest. */
	prose: listShape(z.object({ text, ...moment })),
	/** Of the line that is applied, of a result that of its call; absent between two lines. */
	pos,
	cwd: text,
	branch: text,
	claudeVersion: text,
	model: text,
	/** Context size of the last response since the last boundary; `null` while unknown. */
	tokens: z.nullable(number),
	open: recordOf(openCall),
	/** The user asked something of ccg last: what the agent says to it says nothing of the work. */
	asksCcg: yes,
	/** Places in the order that a message left: it was queued and came later, or was taken back. */
	vacant: z.exactOptional(listShape(number)),
	/** Not everything the user said was read: the history is longer than what is read without a state snapshot. */
	partial: yes,
	/** What was dropped to stay within bounds: how many, by the list's name. */
	dropped: recordOf(number),
});
