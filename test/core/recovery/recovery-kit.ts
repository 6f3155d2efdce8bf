import { firstBlock, followUpBlock } from "../../../src/core/recovery/recovery-block.ts";
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

export const input = (state: SessionState, maxChars = 19_000) => ({
	...{ state, workspace: null, key: "k", path: "/s/c.md", base: "/p", maxChars },
});
/** Both parts, beside a summary. */
export const both = (state: SessionState, summary: string | null): [string, string] => {
	const first = firstBlock(input(state));
	const later = followUpBlock(input(state), new Set(first.ids), summary, []);
	return [first.text, later?.text ?? ""];
};
