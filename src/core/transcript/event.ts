import type { Ruling } from "./provenance.ts";

/** One line's events and where it stands. `uuid` is `""` on lines without one. */
export interface EventLine {
	pos: number;
	uuid: string;
	events: readonly TranscriptEvent[];
}

/** What one line of a transcript says, whatever version of Claude Code wrote it. Times are ISO strings or `""`. */
export type TranscriptEvent =
	/** `waits`: put into the queue, and not given yet. `plan`: the agent's, which the user accepted with it. */
	| { kind: "message"; at: string; text: string; source: "typed" | "queued" | "command"; waits?: true; plan?: string }
	/** Of a line that does not tell who spoke. */
	| { kind: "unclear"; at: string; text: string }
	/** What reached the model in a message that no person typed. */
	| { kind: "told"; at: string; by: Teller; text: string }
	/** What a hook told it that begins as ccg's texts do: that only repeats the conversation. */
	| { kind: "own"; at: string; text: string }
	/** A queued message that the user took back before it was given. */
	| { kind: "taken back"; at: string; text: string }
	| { kind: "call"; at: string; id: string; tool: string; input: Record<string, unknown> }
	/** `granted`: a person allowed the call when asked; for how long (`once`, `session`, …). */
	| {
			kind: "result";
			at: string;
			id: string;
			failed: boolean;
			text: string;
			detail: unknown;
			granted?: string;
			/** Who decided on the call, by Claude Code's own account; absent where its version gives none. */
			ruling?: Ruling;
	  }
	| { kind: "ended"; at: string; id: string; status: string }
	| { kind: "said"; at: string; text: string }
	| {
			kind: "usage";
			messageId: string;
			model: string;
			/** What the context held: input and both caches. */
			tokens: number;
			/** The message's own counts, where they were told. */
			input?: number;
			output?: number;
			cacheCreation?: number;
			cacheRead?: number;
	  }
	| {
			kind: "boundary";
			at: string;
			uuid: string;
			trigger: string;
			preTokens: number | null;
			postTokens?: number;
			durationMs?: number;
			/** What stands behind it word for word, by the ids of lines; of a range (2.1.118) the first and the last. */
			kept?: { ids: string[]; isRange: boolean };
	  }
	/** What a subagent said and did, in the file of who started it: on old versions. `agent` is its id, where one is told. */
	| { kind: "aside"; agent: string; events: TranscriptEvent[] }
	| { kind: "place"; cwd: string; branch: string; version: string };

/** `output`: what a command printed that the user typed. `host`: Claude Code itself. */
export type Teller = "output" | "notification" | "teammate" | "hook" | "host";

export type EventOf<K extends TranscriptEvent["kind"]> = Extract<TranscriptEvent, { kind: K }>;
