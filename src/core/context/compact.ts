import { normalised } from "../text/text.ts";
import type { CompactionRules } from "./compaction-rules.ts";
import { sessionContext } from "./project.ts";
import type { RecordBody } from "./record.ts";
import type { HistoryEntry, SessionContext, SessionSnapshot, Summarised } from "./session-context.ts";
import { shortened, summarisedText } from "./summary.ts";

export interface Compaction {
	context: SessionContext;
	/** Whether anything changed. */
	compacted: boolean;
	/** What went into the summary, oldest first. */
	entries: HistoryEntry[];
	droppedTasks: string[];
	droppedFacts: number;
	tokensBefore: number;
}

/**
 * Compacts a context: pure, deterministic, and idempotent, since it summarises until no rule asks for more. Where the
 * rules conflict the newest `keepEntries` win over everything: the rule of entries and the rule of tokens both stop
 * there, so a history of 30 huge entries stays whole above the limit of tokens. The rule of entries comes first, as in
 * the document. `now` in Unix seconds. Never throws.
 */
export function compact(context: SessionContext, given: CompactionRules, now: number): Compaction {
	const rules = usable(given);
	const history = context.recent_history;
	const count = summarisedCount(history, rules);
	const entries = history.slice(0, count);
	const kept = history.slice(count);
	const unique = distinct(context.facts);
	const facts = unique.slice(Math.max(0, unique.length - rules.maxFacts));
	const isOld = (task: { status: string; updated_at: number }): boolean =>
		task.status === "Completed" && task.updated_at <= now - rules.finishedTaskHours * 3600;
	const tasks = context.active_tasks.filter((task) => !isOld(task));
	const background = context.background_tasks.filter(
		({ status, seen_at: seen }) => status === "running" || seen > now - rules.finishedTaskHours * 3600,
	);
	const summary = withSummarised(context, entries, rules.summaryChars);
	return {
		context: {
			...context,
			recent_history: kept,
			facts,
			active_tasks: tasks,
			background_tasks: background,
			long_term_summary: summary.text,
			summarised: summary.summarised,
		},
		compacted:
			count > 0 ||
			facts.length < context.facts.length ||
			tasks.length < context.active_tasks.length ||
			background.length < context.background_tasks.length ||
			summary.text !== context.long_term_summary,
		entries,
		droppedTasks: context.active_tasks.filter(isOld).map(({ id }) => id),
		droppedFacts: context.facts.length - facts.length,
		tokensBefore: tokensOf(history),
	};
}

/** Compacts a snapshot, in place: what its projection loses. */
export function compactSnapshot(snapshot: SessionSnapshot, rules: CompactionRules, now: number): Compaction {
	const done = compact(sessionContext(snapshot), rules, now);
	const { recent_history, facts, long_term_summary, summarised, background_tasks } = done.context;
	const kept = new Set(background_tasks.map(({ id }) => id));
	const ended_tasks = snapshot.ended_tasks.filter(({ id }) => kept.has(id));
	Object.assign(snapshot, { recent_history, facts, long_term_summary, summarised, ended_tasks });
	for (const task of snapshot.state.tasks) if (done.droppedTasks.includes(task.id)) task.archived = true;
	return done;
}

export const tokensOf = (history: readonly HistoryEntry[]): number =>
	history.reduce((sum, entry) => sum + (entry.token_count || 0), 0);

/** What says in the event log that entries went into the summary. */
export const summarisedRecord = (entries: readonly HistoryEntry[]): RecordBody => ({
	kind: "summarised",
	entries: entries.length,
	tokens: tokensOf(entries),
	first: entries[0]?.id ?? "",
	last: entries.at(-1)?.id ?? "",
});

/** How many of the oldest entries the rules summarise, both applied until they ask for nothing more. */
function summarisedCount(history: readonly HistoryEntry[], rules: CompactionRules): number {
	const most = Math.max(0, history.length - rules.keepEntries);
	const over = history.length - rules.historyEntries;
	let count = over > 0 ? Math.min(most, Math.ceil(over / rules.summariseEntries) * rules.summariseEntries) : 0;
	let tokens = tokensOf(history.slice(count));
	while (tokens > rules.maxTokens && count < most) {
		const step = Math.min(most - count, Math.max(1, Math.floor((history.length - count) / 2)));
		tokens -= tokensOf(history.slice(count, count + step));
		count += step;
	}
	return count;
}

function withSummarised(
	{ long_term_summary: text, summarised: before }: SessionContext,
	entries: readonly HistoryEntry[],
	maxChars: number,
): { text: string; summarised: Summarised } {
	const after: Summarised =
		entries.length === 0
			? before
			: {
					rounds: before.rounds + 1,
					entries: before.entries + entries.length,
					tokens: before.tokens + tokensOf(entries),
					left_out: before.left_out,
				};
	return shortened(
		entries.length === 0 ? text : `${text ? `${text}\n\n` : ""}${summarisedText(entries)}`,
		after,
		maxChars,
	);
}

function distinct(facts: readonly string[]): string[] {
	const seen = new Set<string>();
	return facts.filter((fact) => {
		const key = normalised(fact);
		if (seen.has(key)) return false;
		seen.add(key);
		return true;
	});
}

/** Numbers of a configuration made whole and possible. */
function usable(rules: CompactionRules): CompactionRules {
	const whole = (value: number, least: number): number =>
		Math.max(least, Number.isFinite(value) ? Math.floor(value) : least);
	return {
		historyEntries: whole(rules.historyEntries, 0),
		summariseEntries: whole(rules.summariseEntries, 1),
		maxTokens: whole(rules.maxTokens, 0),
		keepEntries: whole(rules.keepEntries, 0),
		finishedTaskHours: Math.max(0, rules.finishedTaskHours),
		summaryChars: whole(rules.summaryChars, 1_000),
		maxFacts: whole(rules.maxFacts, 0),
	};
}
