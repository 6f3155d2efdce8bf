import type { SessionState } from "../state/session-state.ts";
import { cut, oneLine } from "../text/text.ts";
import type { Item } from "./item.ts";
import { brief, foreign, quotedName, relative, withoutBase } from "./item-text.ts";
import { requestOf } from "./said-items.ts";

/** The agent's last words, and how many of its last calls. */
const LAST_WORDS = 500;
const CALLS = 3;
const CUT_OFF = 3;
const UNCHECKED = 8;

/**
 * How the work stood at the last moment: whether the request had been answered, the last calls with their outcome, what was cut
 * off, what was edited and not checked, the agent's last words. Facts alone: what they mean is the reader's to judge.
 */
export function stoodItems(state: SessionState, base: string): Item[] {
	const items: Item[] = [];
	const add = (text: string): void => {
		items.push({ text: `- ${text}`, order: items.length, keep: true });
	};
	const request = requestOf(state);
	if (request) add(answeredLine(state, request.order));
	const last = state.prose.at(-1);
	if (last) add(`the agent's last words${whenSaid(state, last.order)}: ${foreign(lastPart(last.text))}`);
	const calls = state.commands.slice(-CALLS);
	for (const { command, failed, outcome } of calls)
		add(
			`${failed ? "failed" : "ok"}: ${foreign(brief(withoutBase(oneLine(command), base), 140))}${outcome ? ` — ${foreign(brief(withoutBase(outcome, base), 120))}` : ""}`,
		);
	const open = Object.values(state.open).filter(({ tool }) => tool !== "AskUserQuestion");
	for (const { tool, subject } of open.slice(-CUT_OFF))
		add(`no result seen: ${foreign(oneLine(`${tool} ${cut(relative(subject, base), 160)}`))}`);
	const unchecked = uncheckedFiles(state, base);
	if (unchecked) add(unchecked);
	return items;
}

function answeredLine(state: SessionState, asked: number): string {
	const calls = state.order - asked;
	const said = state.prose.filter(({ order }) => order >= asked);
	if (calls === 0 && said.length === 0)
		return "the request above has not been answered: nothing followed it before the compaction";
	const done = `${calls === 1 ? "1 call" : `${calls} calls`} of the agent followed the request above`;
	const last = said.at(-1);
	if (!last) return `${done}, and no words of the agent: it was at work`;
	return last.order >= state.order && Object.keys(state.open).length === 0
		? `${done}; the agent's last words came after all of them`
		: `${done}; the last of them came after the agent's last words: it was at work`;
}

const whenSaid = (state: SessionState, order: number): string =>
	order < state.order ? ` (${state.order - order} calls before the end)` : "";

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
		? `edited after the last check (${foreign(cut(oneLine(check.command), 80))}, ${check.result}): ${shown}${more}`
		: `edited, and no check was run: ${shown}${more}`;
}
