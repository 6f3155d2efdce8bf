import { recoveryBlock } from "../../../src/core/block/recovery-block.ts";
import { sectionsOf } from "../../../src/core/block/sections.ts";
import { situationOf } from "../../../src/core/block/situation.ts";
import type { Checkpoint } from "../../../src/core/checkpoint/checkpoint.ts";
import { applyToState } from "../../../src/core/state/apply.ts";
import { emptyState, type SessionState } from "../../../src/core/state/session-state.ts";

export const at = "2026-11-21T02:00:00.000Z";

export interface Turn {
	user?: string;
	said?: string;
	shell?: string;
	bash?: [command: string, output: string, failed?: boolean, detail?: unknown];
	edit?: string;
	failed?: true;
	cutOff?: string;
}

/** A state after these turns. */
export function session(...turns: Turn[]): SessionState {
	const state = emptyState();
	applyToState(state, { kind: "place", cwd: "/p", branch: "main", version: "2.1.330" });
	let n = 0;
	const call = (
		tool: string,
		input: Record<string, unknown>,
		text: string | null,
		failed = false,
		detail: unknown = null,
	): void => {
		const id = `c${n++}`;
		applyToState(state, { kind: "call", at, id, tool, input });
		if (text !== null) applyToState(state, { kind: "result", at, id, failed, text, detail });
	};
	for (const { user, said, shell, bash, edit, failed, cutOff } of turns) {
		if (user) applyToState(state, { kind: "message", at, text: user, source: "typed" });
		if (said) applyToState(state, { kind: "said", at, text: said });
		if (shell) applyToState(state, { kind: "message", at, text: shell, source: "command" });
		if (bash) call("Bash", { command: bash[0] }, ...(bash.slice(1) as [string]));
		if (edit) call("Edit", { file_path: edit, old_string: "a", new_string: "b" }, "updated", failed);
		if (cutOff) call("Bash", { command: cutOff }, null);
	}
	return state;
}

/** When the block is made: three hours later. */
const now = "2026-11-21T05:00:00.000Z";

export const input = (state: SessionState, maxChars = 9_500) => ({
	...{ state, workspace: null, key: "k", at: now, path: "/s/c.md", base: "/p", maxChars },
});
export const block = (state: SessionState, maxChars?: number): string => recoveryBlock(input(state, maxChars)).text;

/** A checkpoint of a state, with all that a workspace may tell. */
export const checkpoint = (state: SessionState, more: Partial<Checkpoint> = {}): Checkpoint => ({
	version: 1,
	key: "manual_checkpoint_20261121_020000",
	at,
	session: "0c0ffee0-0000-4000-8000-000000000000",
	trigger: "auto",
	projectDir: "/p",
	transcriptPath: "/t.jsonl",
	state,
	workspace: {
		branch: "cart",
		commits: ["abc1234 Begin"],
		planSummary: "goal: parse; current step: 2. [in progress] tests",
		lastFailure: "2026-11-20 build broke",
		selfModelAge: "3 h ago",
		envModelAge: null,
		task: {
			goal: "Build the cart",
			nextAction: "round the sums",
			blockers: ["no currency table"],
			decisions: [{ decision: "cents as integers", reason: "floats drift", at }],
		},
	},
	...more,
});

/** The items of one kind of a block's sections. */
export const itemsOf = (state: SessionState, kind: string) =>
	sectionsOf("block", situationOf({ state, workspace: null, base: "", at: now })).find((one) => one.kind === kind)!
		.items;
