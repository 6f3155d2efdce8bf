import * as z from "zod/mini";
import { boundedListShape, mapShape } from "../base-shapes.ts";

/** The longest text a state keeps is a plan of 12,000 characters. */
const text = z.string().check(z.maxLength(20_000));
const number = z.number();
const flag = z.boolean();
const yes = z.exactOptional(z.literal(true));
/** The place of an entry in the transcript: the byte at which its line begins. The order of two entries is judged by it alone: clocks are set. */
const pos = z.exactOptional(number);
const moment = { at: text, order: number, pos };

export const message = z.object({
	...moment,
	source: z.enum(["typed", "queued", "command"]),
	/** How often the message was put into the queue and not taken back; absent once it is known to be given to the agent. */
	waits: z.exactOptional(number),
	/** Verbatim; secrets redacted. */
	text,
	/** How many characters of the message are left out of `text`. */
	cut: z.exactOptional(number),
	/** The message says of itself that it is meant to last (`lasts`). */
	lasts: yes,
});

export const decision = z.object({
	...moment,
	/** `allowed`: a call, when Claude Code asked; `words` are for how long, `""` for once. */
	kind: z.enum(["answer", "allowed", "rejected", "plan approved", "plan rejected"]),
	/** The tool of the call; `""` where it is not known. */
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
	/** Place and ISO time (or `""`) at which the task was made, and at which its subject or status changed last. */
	pos,
	changed: pos,
	madeAt: z.exactOptional(text),
	changedAt: z.exactOptional(text),
});

/** The kind of a call, known by the shape of its input: editors have tools of their own names. */
const callKind = z.exactOptional(z.enum(["shell", "edit", "read"]));

export const failure = z.object({
	kind: callKind,
	/** The tool and the thing it was called on: the key by which a later success resolves the failure. */
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
	/** The task in Claude Code's last list of background tasks; `at` is the list's ISO time. */
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
	input: z.exactOptional(mapShape(z.unknown())),
	path: z.exactOptional(text),
});

/**
 * The state of a session over all its compactions: everything that ccg read of it. A plain JSON value of bounded size; `order` counts calls and
 * messages and orders everything else.
 */
export const sessionState = z.object({
	version: z.literal(5),
	/** When the first message seen was written; `""` before it. */
	startedAt: text,
	order: number,
	boundaries: number,
	messages: boundedListShape(message),
	/** Messages whose speaker the transcript does not name. */
	unclear: z.exactOptional(boundedListShape(z.object({ ...moment, text }))),
	decisions: boundedListShape(decision),
	/** The last plan of plan mode; `path` where Claude Code keeps it, `""` when it was not told. */
	plan: z.nullable(z.object({ text, path: text, at: text, pos, approved: flag })),
	tasks: boundedListShape(task),
	files: boundedListShape(
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
	calls: boundedListShape(
		z.object({
			tool: text,
			/** The command, file or pattern that the call was made on. */
			subject: text,
			/** `ended`; for a failed call `exit code N` where Claude Code gives it, else `failed`. */
			outcome: text,
			/** The last lines of its output; absent at an edit. */
			output: z.exactOptional(text),
			/** The call goes on in the background. */
			begun: yes,
			...moment,
		}),
	),
	failures: boundedListShape(failure),
	/** Background shells, agents and schedules that were started and not seen to end. */
	backgroundTasks: boundedListShape(backgroundTask),
	commits: boundedListShape(z.object({ hash: text, subject: text, ...moment })),
	/** The newest texts that the agent wrote between two calls; `chars`: how much of the bound each takes. */
	prose: boundedListShape(z.object({ text, chars: z.exactOptional(number), ...moment })),
	/** The place of the line that is applied now, for a result that of its call; absent between two lines. */
	pos,
	cwd: text,
	branch: text,
	claudeVersion: text,
	model: text,
	/** Context size of the last response since the last boundary; `null` while unknown. */
	tokens: z.nullable(number),
	open: mapShape(openCall),
	/** The user's last message asked ccg alone: the agent's answer tells nothing of the work. */
	asksCcg: yes,
	/** Numbers in the order that belong to no entry any more: a queued message came later, or was taken back. */
	vacant: z.exactOptional(boundedListShape(number)),
	/** Some of the user's messages were not read: the history is longer than one reading takes without a snapshot. */
	partial: yes,
	/** How many entries were dropped to stay within bounds, by the list's name. */
	dropped: mapShape(number),
});
