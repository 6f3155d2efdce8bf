import { checkKind, checkOutcome } from "../state/commands.ts";
import { type Check, callsSince, type SessionState } from "../state/session-state.ts";
import { cut, oneLine } from "../text/text.ts";
import type { Item } from "./item.ts";
import { brief, foreign, quotedName, relative, withoutBase } from "./item-text.ts";
import { isKept, type Kept, untoldRequest } from "./kept.ts";

/** The agent's last words, and how many of its last calls. */
const LAST_WORDS = 500;
const CALLS = 3;
const CUT_OFF = 3;
const UNCHECKED = 8;

/**
 * How the work stood at the last moment: whether the request had been answered, the last calls with their outcome, calls of which no
 * result was read, what was edited and not checked, the agent's last words. Facts alone: what they mean is the reader's to judge.
 */
export function stoodItems(state: SessionState, base: string, kept: readonly Kept[] = []): Item[] {
	const items: Item[] = [];
	const add = (text: string): void => {
		items.push({ text: `- ${text}`, order: items.length, keep: true });
	};
	const request = untoldRequest(state, kept);
	if (request) add(answeredLine(state, request.order));
	else if (kept.length > 0) add(GOES_ON);
	const last = state.prose.at(-1);
	if (last && !isKept(kept, last.at))
		add(`the agent's last words${whenSaid(state, last.order)}: ${foreign(lastPart(last.text))}`);
	const calls = state.commands.slice(-CALLS).filter(({ at }) => !isKept(kept, at));
	const checks = new Map(state.checks.map((check) => [check.order, check]));
	for (const run of calls) {
		const { command, outcome, order } = run;
		add(
			`${howItWent(run, checks.get(order))}: ${foreign(brief(withoutBase(oneLine(command), base), 140))}${outcome ? ` — ${foreign(brief(withoutBase(outcome, base), 120))}` : ""}`,
		);
	}
	const open = Object.values(state.open).filter(({ tool }) => tool !== "AskUserQuestion");
	for (const { tool, subject } of open.slice(-CUT_OFF))
		add(
			`called, and no result read so far (it may have ended): ${foreign(oneLine(`${tool} ${cut(relative(subject, base), 160)}`))}`,
		);
	const unchecked = uncheckedFiles(state, base);
	if (unchecked) add(unchecked);
	return items;
}

const GOES_ON =
	"the user's last message stands in this conversation word for word, with what followed it; what is told here is from before";

function answeredLine(state: SessionState, asked: number): string {
	const calls = callsSince(state, asked);
	const last = state.prose.at(-1);
	const hasSpoken = last !== undefined && last.order >= asked;
	if (calls === 0 && !hasSpoken)
		return "the request above has not been answered: nothing followed it before the compaction";
	if (calls === 0) return "no call followed the request above; the agent's last words came after it";
	const done = `${calls === 1 ? "1 call" : `${calls} calls`} of the agent followed the request above`;
	const how = isStopped(state) ? "the user stopped it" : "it was at work";
	if (!hasSpoken) return `${done}, and no words of the agent: ${how}`;
	if (callsSince(state, last.order) > 0) return `${done}; the last of them came after the agent's last words: ${how}`;
	return `${done}; the agent's last words came after all of them`;
}

/** The user interrupted the agent or refused its call, and nothing followed. */
const isStopped = ({ decisions, refusedAt, order }: SessionState): boolean =>
	refusedAt === order && STOPS.has(decisions.at(-1)?.kind ?? "");
const STOPS = new Set<string>(["interrupted", "rejected", "plan rejected"]);

function whenSaid(state: SessionState, order: number): string {
	const calls = callsSince(state, order);
	return calls === 0 ? "" : ` (${calls === 1 ? "1 call" : `${calls} calls`} before the end)`;
}

/** A check by its own words: behind a pipe the exit code is another command's. */
function howItWent({ command, failed, begun, outcome = "" }: Run, check: Check | undefined): string {
	if (begun) return "begun in the background";
	if (failed || check?.result === "failed") return "failed";
	if (check) return check.result === "worked" ? "ok" : "outcome not seen";
	return checkKind(command) && checkOutcome(outcome, failed) === "failed" ? "failed" : "ok";
}
type Run = SessionState["commands"][number];

function lastPart(text: string): string {
	const line = oneLine(text);
	return line.length <= LAST_WORDS ? line : `…${line.slice(-LAST_WORDS)}`.toWellFormed();
}

/** Files edited behind the last test, build or lint. */
function uncheckedFiles(state: SessionState, base: string): string | null {
	const check = state.checks.findLast(({ kind }) => kind !== "run");
	const since = check?.order ?? -1;
	const names = state.files
		.filter(({ edited = -1 }) => edited > since)
		.map(({ path }) => quotedName(relative(path, base)));
	if (names.length === 0) return null;
	const shown = names.slice(-UNCHECKED).join(", ");
	const more = names.length > UNCHECKED ? `, ${names.length - UNCHECKED} more` : "";
	return check
		? `edited after the last check (${foreign(cut(oneLine(check.command), 80))}, ${check.result === "unknown" ? "outcome not seen" : check.result}): ${shown}${more}`
		: `edited, and no check with a result was seen: ${shown}${more}`;
}
