import * as z from "zod/mini";
import { list, recordOf } from "../base-shapes.ts";
import type { SessionState } from "./session-state.ts";

/** The longest text a state keeps is a plan of 12,000 characters. */
const text = z.string().check(z.maxLength(20_000));
const number = z.number();
const flag = z.boolean();
const moment = { at: text, order: number };

const task = z.object({
	id: text,
	subject: text,
	status: text,
	order: number,
	begun: z.exactOptional(number),
	evidence: z.exactOptional(text),
});

/** A session's state as it stands in a file. */
export const sessionState: z.ZodMiniType<SessionState> = z.object({
	version: z.literal(3),
	startedAt: text,
	order: number,
	boundaries: number,
	messages: list(
		z.object({
			...moment,
			source: z.enum(["typed", "queued", "command"]),
			waits: z.exactOptional(number),
			text,
			cut: z.exactOptional(number),
			directives: list(text),
			withdrawn: z.exactOptional(list(z.object({ directive: text, by: text }))),
		}),
	),
	decisions: list(
		z.object({
			...moment,
			kind: z.enum(["answer", "rejected", "plan approved", "plan rejected", "permission denied", "interrupted"]),
			subject: text,
			words: text,
		}),
	),
	plan: z.nullable(z.object({ text, path: text, at: text, approved: flag })),
	tasks: list(task),
	files: list(
		z.object({
			path: text,
			edits: number,
			reads: number,
			order: number,
			at: text,
			symbols: z.exactOptional(list(text)),
		}),
	),
	commands: list(z.object({ ...moment, command: text, failed: flag })),
	failures: list(z.object({ ...moment, subject: text, message: text, resolved: flag })),
	inFlight: list(
		z.object({
			...moment,
			id: text,
			kind: z.enum(["background shell", "detached process", "agent", "schedule"]),
			what: text,
			output: text,
			ports: z.exactOptional(list(text)),
		}),
	),
	questions: list(z.object({ ...moment, text })),
	assumptions: list(z.object({ ...moment, text })),
	commits: list(z.object({ ...moment, hash: text, subject: text })),
	checks: list(
		z.object({
			...moment,
			kind: z.enum(["test", "build", "lint", "run"]),
			command: text,
			result: z.enum(["worked", "failed", "unknown"]),
			outcome: text,
		}),
	),
	searches: list(z.object({ ...moment, what: text, found: text })),
	identifiers: recordOf(z.tuple([number, number, number])),
	lastSaid: text,
	cwd: text,
	branch: text,
	claudeVersion: text,
	model: text,
	tokens: z.nullable(number),
	open: recordOf(
		z.object({
			tool: text,
			subject: text,
			order: number,
			input: z.exactOptional(recordOf(z.unknown())),
			path: z.exactOptional(text),
			background: z.exactOptional(z.literal(true)),
			undo: z.exactOptional(list(task)),
		}),
	),
	partial: z.exactOptional(z.literal(true)),
	dropped: recordOf(number),
});
