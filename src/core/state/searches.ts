import { cut, safeText } from "../text/text.ts";
import { countDropped, type OpenCall, type SessionState } from "./session-state.ts";

const MAX_SEARCHES = 30;
const TOOLS = new Set(["Grep", "Glob", "WebSearch"]);

/** Notes what was searched for and how much it found: the same search is not made twice for want of an answer. */
export function applySearch(state: SessionState, call: OpenCall, { text, at }: { text: string; at: string }): void {
	if (!TOOLS.has(call.tool) || !call.subject) return;
	const what = `${call.tool} ${call.subject}`;
	state.searches = state.searches.filter((one) => one.what !== what);
	state.searches.push({ what, found: foundIn(text), at, order: call.order });
	if (state.searches.length <= MAX_SEARCHES) return;
	state.searches.shift();
	countDropped(state, "searches");
}

function foundIn(text: string): string {
	const start = text.slice(0, 2_000);
	if (/^No (?:files|matches|results)/i.test(start)) return "nothing";
	const told = /^Found (\d+ \w+)/.exec(start)?.[1];
	return cut(safeText(told ?? `${linesIn(text)} lines`), 40);
}

/** Lines that hold anything; a list of them would take many times a large text's size. */
function linesIn(text: string): number {
	let lines = 0;
	for (let at = 0; at < text.length; ) {
		const feed = text.indexOf("\n", at);
		const end = feed < 0 ? text.length : feed;
		if (text.slice(at, end).trim()) lines++;
		at = end + 1;
	}
	return lines;
}
