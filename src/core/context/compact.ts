import { isDone } from "../state/tasks.ts";
import { counted, cut, grouped, oneLine } from "../text/text.ts";
import { summaryText } from "./project.ts";
import { type HistoryEntry, type SessionSnapshot, seconds, timeOf } from "./session-context.ts";

/** The document's rules: when the history is summarised, and what stays. */
export const RULES = {
	/** More entries than this are summarised … */
	entries: 50,
	/** … the oldest, so many at a time. */
	atOnce: 20,
	/** More tokens than this: half of the history is summarised. */
	tokens: 100_000,
	/** The newest are always kept, however large. */
	kept: 30,
	/** Completed tasks older than this are dropped. */
	taskHours: 24,
	/** Bound of the long-term summary. */
	summaryChars: 8_000,
} as const;

/**
 * Compacts a record, in place: deterministic, and idempotent, since it summarises until no rule asks for more. The rule of entries
 * comes first, as in the document. `now` in Unix seconds. Gives what went into the summary, oldest first, and the tasks that went.
 */
export function compact(record: SessionSnapshot, now: number) {
	const { recent_history: history, state, ended_tasks: ended } = record;
	const entries = history.splice(0, summarisedCount(history));
	summarise(record, entries);
	const since = now - RULES.taskHours * 3600;
	const old = state.tasks.filter(
		({ status, archived, changedAt }) => isDone(status) && !archived && seconds(changedAt) <= since,
	);
	for (const task of old) task.archived = true;
	record.ended_tasks = ended.filter(({ seen }) => seen > since);
	return { entries, droppedTasks: old.map(({ id }) => id) };
}

export const tokensOf = (history: readonly HistoryEntry[]): number =>
	history.reduce((sum, entry) => sum + (entry.token_count || 0), 0);

/** How many of the oldest entries the rules summarise, both applied until they ask for nothing more. */
function summarisedCount(history: readonly HistoryEntry[]): number {
	const most = Math.max(0, history.length - RULES.kept);
	const over = Math.max(0, history.length - RULES.entries);
	let count = Math.min(most, Math.ceil(over / RULES.atOnce) * RULES.atOnce);
	while (count < most && tokensOf(history.slice(count)) > RULES.tokens)
		count = Math.min(most, count + Math.max(1, Math.floor((history.length - count) / 2)));
	return count;
}

/** The entries as one more round; the oldest rounds go where the text is too long. */
function summarise(record: SessionSnapshot, entries: readonly HistoryEntry[]): void {
	if (entries.length === 0) return;
	const { summary, summarised: sum } = record;
	summary.push(summarisedText(entries));
	sum.rounds++;
	sum.entries += entries.length;
	sum.tokens += tokensOf(entries);
	while (summary.length > 1 && summaryText(record).length > RULES.summaryChars) summary.shift();
}

const QUOTES = 5;
const QUOTE_CHARS = 140;
const TOOLS = 12;

/**
 * What was summarised, in words that are the same for the same entries: how many, from when to when, what the user
 * asked, which tools ran, what failed, where the agent stood. One paragraph, no empty line in it.
 */
function summarisedText(entries: readonly HistoryEntry[]): string {
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
	const texts = user.map(quote);
	const left = user.length - QUOTES;
	return (left > 0 ? texts.toSpliced(2, left, `(${left} more)`) : texts).join(" | ");
}

/** Each tool with its calls, the most used first. */
function tools(entries: readonly HistoryEntry[]): string {
	const by = Object.entries(Object.groupBy(entries, ({ tool = "unknown" }) => tool));
	const sorted = by.sort(([a, x], [b, y]) => y!.length - x!.length || (a < b ? -1 : 1));
	return sorted
		.slice(0, TOOLS)
		.map(([tool, calls]) => {
			const failed = calls!.filter((one) => one.failed).length;
			return `${tool} ${calls!.length}${failed ? ` (${failed} failed)` : ""}`;
		})
		.join(", ");
}

const quote = ({ content }: HistoryEntry): string => `"${cut(oneLine(content), QUOTE_CHARS).replace(/["“”„]/g, "'")}"`;
