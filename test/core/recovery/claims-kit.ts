import { type Claim, claimsIn } from "../../../src/core/recovery/claims.ts";
import { applyToState } from "../../../src/core/state/apply.ts";
import { emptyState, type SessionState } from "../../../src/core/state/session-state.ts";
import type { TranscriptEvent } from "../../../src/core/transcript/event.ts";
import type { DeedCase, QuoteCase } from "./claims-cases.ts";

export const quoteCase = ([said, summary]: QuoteCase): Claim[] =>
	claimsIn(summary, {
		...emptyState(),
		messages: [{ at: "", order: 1, source: "typed", text: said, directives: [] }],
	});

export const outcomeOfCase = ([record, summary]: DeedCase): Claim[] => claimsIn(summary, recorded(record));

const at = "2026-11-22T10:00:00.000Z";
const TOOLS: Record<string, string> = { w: "Write", e: "Edit", r: "Read", a: "Agent" };

/** A state after what the lines of a case tell. */
export function recorded(lines: readonly string[]): SessionState {
	const state = emptyState();
	applyToState(state, { kind: "message", at, text: "Start with the next point of the list.", source: "typed" });
	for (const [i, line] of lines.entries()) for (const event of eventsOf(line, `toolu_${i}`)) applyToState(state, event);
	return state;
}

function eventsOf(line: string, id: string): TranscriptEvent[] {
	if (line === "|") return [{ kind: "boundary", at, uuid: id, trigger: "auto", preTokens: 1, postTokens: 1 }];
	if (line.startsWith("u ")) {
		const text = line.slice(2);
		return [{ kind: "message", at, text, source: text.startsWith("! ") ? "command" : "typed" }];
	}
	const [, mark, body] = /^(\S+) ([\s\S]*)$/.exec(line)!;
	const [what, text = ""] = body!.split(" => ") as [string, string?];
	const how = mark!.length > 1 ? mark![1] : mark;
	const isShell = /^[$!?xb]$/.test(mark!);
	const tool = isShell ? "Bash" : mark === "m" ? what : TOOLS[mark![0]!]!;
	const input: Record<string, unknown> = isShell
		? { command: what, ...(mark === "b" && { run_in_background: true }) }
		: mark === "a"
			? { subagent_type: what.split(":")[0], prompt: what }
			: { file_path: what };
	const call: TranscriptEvent = { kind: "call", at, id, tool, input };
	if (how === "?") return [call];
	const refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
	const failed = how === "!" || how === "x";
	return [
		call,
		{
			kind: "result",
			at,
			id,
			failed,
			text: how === "x" ? refusal : failed && isShell ? `Exit code 1\n${text}` : text,
			detail: how === "x" ? "User rejected tool use" : null,
		},
	];
}
