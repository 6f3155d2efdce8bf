import { cut, safeText } from "../text.ts";
import type { OpenCall, SessionState } from "./session-state.ts";

const MAX_SEARCHES = 30;
const TOOLS = new Set(["Grep", "Glob", "WebSearch"]);

/** Notes what was searched for and how much it found: the same search is not made twice for want of an answer. */
export function foldSearch(state: SessionState, call: OpenCall, { text, at }: { text: string; at: string }): void {
	if (!TOOLS.has(call.tool) || !call.subject) return;
	const what = `${call.tool} ${call.subject}`;
	state.searches = state.searches.filter((one) => one.what !== what);
	state.searches.push({ what, found: foundIn(text), at, order: call.order });
	if (state.searches.length > MAX_SEARCHES) state.searches.shift();
}

function foundIn(text: string): string {
	const start = text.slice(0, 2_000);
	if (/^No (?:files|matches|results)/i.test(start)) return "nothing";
	const told = /^Found (\d+ \w+)/.exec(start)?.[1];
	const lines = text.split("\n").filter((line) => line.trim()).length;
	return cut(safeText(told ?? `${lines} lines`), 40);
}
