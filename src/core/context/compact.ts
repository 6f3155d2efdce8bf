import { isDone } from "../state/tasks.ts";
import { counted, cut, grouped } from "../text/text.ts";
import type { CompactionRules } from "./compaction-rules.ts";
import { summaryText } from "./project.ts";
import { type HistoryEntry, type SessionSnapshot, seconds, timeOf } from "./session-context.ts";

export interface Compaction {
	/** Whether anything changed. */
	compacted: boolean;
	/** What went into the summary, oldest first. */
	entries: HistoryEntry[];
	droppedTasks: string[];
	tokensBefore: number;
}

/**
 * Compacts a record, in place: deterministic, and idempotent, since it summarises until no rule asks for more. Where the
 * rules conflict the newest `keepEntries` win over everything: the rule of entries and the rule of tokens both stop
 * there, so a history of 30 huge entries stays whole above the limit of tokens. The rule of entries comes first, as in
 * the document. `now` in Unix seconds. Never throws.
 */
export function compact(record: SessionSnapshot, rules: CompactionRules, now: number): Compaction {
	const { recent_history: history, state, ended_tasks: ended } = record;
	const tokensBefore = tokensOf(history);
	const entries = history.splice(0, summarisedCount(history, rules));
	const isShorter = summarise(record, entries, rules.summaryChars);
	const since = now - rules.finishedTaskHours * 3600;
	const old = state.tasks.filter(
		({ status, archived, changedAt }) => isDone(status) && !archived && seconds(changedAt) <= since,
	);
	for (const task of old) task.archived = true;
	record.ended_tasks = ended.filter(({ seen }) => seen > since);
	return {
		compacted: isShorter || entries.length + old.length > 0 || record.ended_tasks.length < ended.length,
		entries,
		droppedTasks: old.map(({ id }) => id),
		tokensBefore,
	};
}

export const tokensOf = (history: readonly HistoryEntry[]): number =>
	history.reduce((sum, entry) => sum + (entry.token_count || 0), 0);

/** How many of the oldest entries the rules summarise, both applied until they ask for nothing more. */
function summarisedCount(history: readonly HistoryEntry[], rules: CompactionRules): number {
	const most = Math.max(0, history.length - Math.floor(rules.keepEntries));
	const atOnce = Math.max(1, Math.floor(rules.summariseEntries));
	const over = history.length - rules.historyEntries;
	let count = over > 0 ? Math.min(most, Math.ceil(over / atOnce) * atOnce) : 0;
	let tokens = tokensOf(history.slice(count));
	while (tokens > rules.maxTokens && count < most) {
		const step = Math.min(most - count, Math.max(1, Math.floor((history.length - count) / 2)));
		tokens -= tokensOf(history.slice(count, count + step));
		count += step;
	}
	return count;
}

/** The entries as one more round; the oldest rounds go where the text is too long. Gives whether any went. */
function summarise(record: SessionSnapshot, entries: readonly HistoryEntry[], maxChars: number): boolean {
	const { summary, summarised: sum } = record;
	if (entries.length > 0) {
		const [from, to] = [entries[0]!.timestamp, entries.at(-1)!.timestamp];
		summary.push({ text: summarisedText(entries), entries: entries.length, from, to });
		sum.rounds++;
		sum.entries += entries.length;
		sum.tokens += tokensOf(entries);
	}
	const before = summary.length;
	while (summary.length > 0 && summaryText(record).length > maxChars) {
		const gone = summary.shift()!;
		const { rounds, entries, from } = sum.left_out ?? { rounds: 0, entries: 0, from: gone.from };
		sum.left_out = { rounds: rounds + 1, entries: entries + gone.entries, from, to: gone.to };
	}
	return summary.length < before;
}

const QUOTES = 5;
const QUOTE_CHARS = 140;
const TOOLS = 12;

/**
 * What was summarised, in words that are the same for the same entries: how many, from when to when, what the user
 * asked, which tools ran, what failed, where the agent stood. One paragraph, no empty line in it.
 */
export function summarisedText(entries: readonly HistoryEntry[]): string {
	const of = (role: HistoryEntry["role"]): HistoryEntry[] => entries.filter((entry) => entry.role === role);
	const [user, assistant, tool] = [of("user"), of("assistant"), of("tool")];
	const [first, last] = [entries[0]!, entries.at(-1)!];
	const tokens = tokensOf(entries);
	const said = assistant.at(-1);
	return [
		`Summarised ${counted(entries.length, "entry", "entries")}, ${timeOf(first.timestamp)} to ${timeOf(last.timestamp)}: ` +
			`${user.length} of the user, ${assistant.length} of the assistant, ${tool.length} of tools; about ${grouped(tokens)} tokens.`,
		user.length ? `The user: ${quotes(user)}.` : "",
		tool.length ? `Tools: ${tools(tool)}.` : "",
		said ? `The assistant last: ${quote(said)}.` : "",
	]
		.filter(Boolean)
		.join("\n");
}

/** The first and the last words of the user: what was asked, and where it went. */
function quotes(user: readonly HistoryEntry[]): string {
	const shown = user.length <= QUOTES ? user : [...user.slice(0, 2), ...user.slice(2 - QUOTES)];
	const texts = shown.map(quote);
	if (user.length > QUOTES) texts.splice(2, 0, `(${user.length - QUOTES} more)`);
	return texts.join(" | ");
}

function tools(entries: readonly HistoryEntry[]): string {
	const by = new Map<string, { calls: number; failed: number }>();
	for (const { tool = "unknown", failed } of entries) {
		const sum = by.get(tool) ?? { calls: 0, failed: 0 };
		by.set(tool, { calls: sum.calls + 1, failed: sum.failed + (failed ? 1 : 0) });
	}
	const sorted = [...by].sort(([a, x], [b, y]) => y.calls - x.calls || (a < b ? -1 : 1));
	const named = sorted
		.slice(0, TOOLS)
		.map(([tool, { calls, failed }]) => `${tool} ${calls}${failed ? ` (${failed} failed)` : ""}`);
	return [...named, ...(sorted.length > TOOLS ? [counted(sorted.length - TOOLS, "other tool")] : [])].join(", ");
}

const quote = ({ content }: HistoryEntry): string =>
	`"${cut(content.replace(/\s+/g, " ").trim(), QUOTE_CHARS).replace(/["“”„]/g, "'")}"`;
