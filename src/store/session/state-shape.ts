import { emptyState, type SessionState } from "../../core/state/session-state.ts";
import { type Check, flag, like, listOf, nullable, number, object, optional, or, recordOf, text } from "../shape.ts";

/** The longest text a state keeps is a plan of 12,000 characters. */
const MAX_TEXT = 20_000;
const words: Check<string> = (value) => or(text, "")(value).slice(0, MAX_TEXT);
const count = or(number, 0);
const moment = { at: words, order: count };

/** `[near, far, order]`. */
const score: Check<[number, number, number]> = (value) => {
	const [near, far, order] = listOf(number)(value);
	if (near === undefined || far === undefined || order === undefined) throw new Error("must be three numbers");
	return [near, far, order];
};

const task = object({
	id: words,
	subject: words,
	status: words,
	order: count,
	begun: optional(number),
	evidence: optional(text),
}) as Check<SessionState["tasks"][number]>;

/**
 * A session's state in a file. What is missing, in the state and in the items of its lists, is filled from `emptyState()`
 * or with an empty value, so that files of earlier releases are read on; what is of the wrong type makes the file damaged.
 */
export const stateShape: Check<SessionState> = like(emptyState, {
	version: number as Check<3>,
	messages: listOf(
		object({
			...moment,
			source: or(text, "typed"),
			waits: optional(number),
			text: words,
			cut: optional(number),
			directives: or(listOf(words), []),
			withdrawn: optional(listOf(object({ directive: words, by: words }))),
		}),
	) as Check<SessionState["messages"]>,
	decisions: listOf(object({ ...moment, kind: or(text, "answer"), subject: words, words })) as Check<
		SessionState["decisions"]
	>,
	plan: nullable(object({ text: words, path: words, at: words, approved: or(flag, false) })),
	tasks: listOf(task),
	files: listOf(
		object({
			path: words,
			edits: count,
			reads: count,
			order: count,
			at: words,
			symbols: optional(listOf(text)),
		}) as Check<SessionState["files"][number]>,
	),
	commands: listOf(object({ ...moment, command: words, failed: or(flag, false) })),
	failures: listOf(object({ ...moment, subject: words, message: words, resolved: or(flag, false) })),
	inFlight: listOf(
		object({
			...moment,
			id: words,
			kind: or(text, "background shell"),
			what: words,
			output: words,
			ports: optional(listOf(text)),
		}),
	) as Check<SessionState["inFlight"]>,
	questions: listOf(object({ ...moment, text: words })),
	assumptions: listOf(object({ ...moment, text: words })),
	commits: listOf(object({ ...moment, hash: words, subject: words })),
	checks: listOf(
		object({ ...moment, kind: or(text, "run"), command: words, result: or(text, "unknown"), outcome: words }),
	) as Check<SessionState["checks"]>,
	searches: listOf(object({ ...moment, what: words, found: words })),
	dropped: recordOf(number),
	identifiers: recordOf(score),
	tokens: nullable(number),
	open: recordOf(
		object({
			tool: words,
			subject: words,
			order: count,
			input: optional(recordOf((one) => one)),
			path: optional(text),
			undo: optional(listOf(task)),
		}),
	) as Check<SessionState["open"]>,
});
