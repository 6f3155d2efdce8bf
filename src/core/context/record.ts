import type { EndedTask } from "./session-context.ts";

/**
 * A line of a session's append-only event log: `v` its version, `at` an ISO time, `id` unique, so that a line written
 * twice (a hook killed before it saved how far it got) is read once. `pos` is the byte of the transcript line it came
 * from.
 */
export type SessionRecord = { v: 1; at: string; id: string; pos?: number } & RecordBody;

export type RecordBody =
	| { kind: "message"; role: "user" | "assistant" | "tool"; text: string; tokens: number; tool?: string; failed?: true }
	| { kind: "decision"; decision: string; tool: string; subject: string; words: string }
	| { kind: "task"; task: string; description: string; status: string }
	| { kind: "plan"; approved: boolean; text: string }
	/** Claude Code compacted the conversation. */
	| { kind: "compaction"; trigger: string; tokens: number | null }
	/** ccg summarised history entries into the summary of the session context. */
	| { kind: "summarised"; entries: number; tokens: number; first: string; last: string }
	| { kind: "zone"; from: string; zone: string; tokens: number | null; distance: number | null }
	| { kind: "nudge"; tokens: number }
	/** A part of the transcript that was not read, in bytes. */
	| { kind: "gap"; from: number; to: number }
	/** The user went back in the conversation: what these lines of the transcript told is not in the session any more. */
	| { kind: "rewound"; left: string[] }
	/** A queued message, by its record's id: the user took it back before it was given. */
	| { kind: "taken back"; message: string }
	/** What was running when Claude Code said so; `null` where it said nothing. */
	| { kind: "background"; tasks: EndedTask[] }
	| { kind: "profile"; profile: string }
	| { kind: "ended"; reason: string };

/** Records that a context takes in when they were written without its lock. */
export type LateRecord = Extract<SessionRecord, { kind: "background" | "profile" | "ended" }>;

export const isLate = (record: SessionRecord): record is LateRecord =>
	record.kind === "background" || record.kind === "profile" || record.kind === "ended";
