import type * as z from "zod/mini";
import { cut, oneLine } from "../text/text.ts";
import type { EventOf } from "../transcript/event.ts";
import { isBackground } from "./background-tasks.ts";
import { checkLine, checkOutcome, failureLine } from "./outputs.ts";
import type { OpenCall, SessionState } from "./session-state.ts";
import type * as shapes from "./session-state-shape.ts";
import { type DeedKind, deedsOfCommand, deedsOfTool, isEdit } from "./shell-acts.ts";

export type Deed = z.infer<typeof shapes.deed>;

/** Kept of each kind and outcome: whether it was done at all, and what became of it last. */
const KEPT = 3;

/**
 * Notes what a call does of what summaries report: commits, pushes, tests, deployments, edits. Without a result it stays
 * open, also over a compaction. `deeds` is absent where not every call of the session was seen, and stays so.
 */
export function beginDeeds(state: SessionState, event: EventOf<"call">, call: OpenCall): void {
	if (!state.deeds) return;
	if (isEdit(call.tool)) return add(state.deeds, deed("edit", call, "open", call.path ?? call.subject));
	const { tool, input } = event;
	const isShell = tool === "Bash" || tool === "PowerShell";
	const { sure, maybe } = isShell ? deedsOfCommand(String(input.command ?? "")) : deedsOfTool(tool, input);
	for (const kind of maybe) add(state.deeds, deed(kind, call, "maybe", ""));
	for (const kind of sure) add(state.deeds, deed(kind, call, call.background ? "maybe" : "open", call.subject));
}

const deed = (kind: DeedKind, call: OpenCall, outcome: Deed["outcome"], what: string): Deed => ({
	kind,
	what: cut(oneLine(what), 160),
	outcome,
	told: "",
	order: call.order,
});

function add(deeds: Deed[], one: Deed): void {
	deeds.push(one);
	bound(deeds, one);
}

/**
 * Of edits that went well the last is enough; of what may have been done the first and the last, which may still turn out to be
 * refused.
 */
function bound(deeds: Deed[], { kind, outcome }: Deed): void {
	const most = outcome === "maybe" ? 2 : kind === "edit" && outcome === "done" ? 1 : KEPT;
	const same = deeds.filter((one) => one.kind === kind && one.outcome === outcome);
	if (same.length > most) deeds.splice(deeds.indexOf(same[outcome === "maybe" ? 1 : 0]!), 1);
}

type Result = EventOf<"result">;

/** What came of it. `refused`: the user, a rule or ccg's own stop held the call back. */
export function endDeeds(state: SessionState, event: Result, call: OpenCall, fate: "refused" | null): void {
	const { deeds } = state;
	if (!deeds) return;
	const own = deeds.filter(({ order }) => order === call.order);
	const sure = own.filter(({ outcome }) => outcome === "open").map(({ kind }) => kind);
	for (const one of own) {
		if (one.outcome === "maybe") {
			if (fate) deeds.splice(deeds.indexOf(one), 1);
			continue;
		}
		one.outcome = fate ?? outcomeOf(one.kind, sure, call, event);
		if (one.outcome === "failed") one.told = (CHECKS.has(one.kind) && checkLine(event.text)) || failureLine(event.text);
		bound(deeds, one);
	}
	if (call.tool === "Bash" && !event.failed) noteSeen(deeds, call, event.text);
}

const SAYS: Partial<Record<DeedKind, { bad: RegExp; good: RegExp }>> = {
	commit: {
		bad: /^(?:error|fatal): |nothing to commit|no changes added to commit/m,
		good: /^\[[^\]\n]{1,200} [0-9a-f]{7,40}\]/m,
	},
	push: { bad: /^(?:error|fatal|remote: error): |\[(?:remote )?rejected\]/m, good: / -> |Everything up-to-date/ },
};

/** By its words, else by the exit code where that is its own; of several checks in one command it may be the other that failed. */
function outcomeOf(kind: DeedKind, sure: DeedKind[], call: OpenCall, result: Result): Deed["outcome"] {
	const { text, failed } = result;
	if (kind === "edit") return failed ? "failed" : "done";
	if (isBackground(call, result)) return "maybe";
	const shown = text.length > 12_000 ? `${text.slice(0, 6_000)}\n${text.slice(-6_000)}` : text;
	const isCheck = CHECKS.has(kind);
	const said = isCheck ? checkOutcome(shown, failed) : SAYS[kind]?.bad.test(shown) ? "failed" : null;
	const isIts = isCheck ? sure.filter((one) => CHECKS.has(one)).length === 1 : sure.length <= 2;
	if (said === "failed" && (isIts || isCheck)) return isIts ? "failed" : "maybe";
	if (said === "done" || (!said && SAYS[kind]?.good.test(shown)) || !failed) return "done";
	// where it is cut the rest of the command is not known any more
	const isLast =
		!call.subject.endsWith("more characters]") && deedsOfCommand(call.subject).isLast && sure.at(-1) === kind;
	return isLast && (isIts || !isCheck) ? "failed" : "maybe";
}
const CHECKS = new Set<DeedKind>(["test", "check"]);

/** What a command shows that others did: what the user pushed or committed meanwhile. */
function noteSeen(deeds: Deed[], call: OpenCall, text: string): void {
	if (!/\bgit\b|\bgh\b|\bglab\b/.test(call.subject)) return;
	const shown = text.slice(0, 8_000);
	if (/up to date with '|up-to-date|\(HEAD -> [^)\n]{0,200}\b(?:origin|upstream)\//.test(shown))
		add(deeds, deed("push", call, "maybe", ""));
	if (CLEAN.some((words) => shown.includes(words))) add(deeds, deed("commit", call, "maybe", ""));
	if (/\bgit\b[^\n]{0,60} (?:log|show|reflog|branch|status)\b/.test(call.subject))
		add(deeds, deed("seen history", call, "maybe", ""));
}
const CLEAN = ["working tree clean", "working directory clean", "nothing to commit"];
