import { readFileSync } from "node:fs";
import { join } from "node:path";
import { claimsIn } from "../../../src/core/audit/claims.ts";
import type { Claim } from "../../../src/core/claims/deeds.ts";
import { applyToState } from "../../../src/core/state/apply.ts";
import { emptyState, type SessionState } from "../../../src/core/state/session-state.ts";
import type { TranscriptEvent } from "../../../src/core/transcript/event.ts";

/**
 * A case of `claims.jsonl`: whether what the summary says is so or can't be judged, what happened, line by line, the summary's
 * sentence. Most were written before the rules were tried on them. `$` a shell command that worked, `!` one that failed, `?` one
 * without a result, `x` one the user refused, `b` one in the background; behind ` => ` what it printed. `w` a file written,
 * `w!` in vain, `w?` without a result; `e` one edited, `r` one read. `a` a subagent, `m` another tool. `u` the user. `|` a boundary.
 */
export type ClaimCase = [isTrue: boolean, record: string[], summary: string];

export const CASES: ClaimCase[] = readFileSync(join(import.meta.dirname, "claims.jsonl"), "utf8")
	.trim()
	.split("\n")
	.map((line) => JSON.parse(line));

export const claimsOfCase = (record: readonly string[], summary: string): Claim[] =>
	claimsIn(summary, recorded(record));

const at = "2026-11-22T10:00:00.000Z";
const TOOLS: Record<string, string> = { w: "Write", e: "Edit", r: "Read", a: "Agent" };

/** A state after what the lines of a case tell. */
export function recorded(lines: readonly string[]): SessionState {
	const state = emptyState();
	if (!lines[0]?.startsWith("u "))
		applyToState(state, { kind: "message", at, text: "Start with the next point of the list.", source: "typed" });
	for (const [i, line] of lines.entries()) for (const event of eventsOf(line, `toolu_${i}`)) applyToState(state, event);
	return state;
}

function eventsOf(line: string, id: string): TranscriptEvent[] {
	if (line === "|") return [{ kind: "boundary", at, uuid: id, trigger: "auto", preTokens: 1 }];
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
