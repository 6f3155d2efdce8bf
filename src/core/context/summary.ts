import { counted, cut, grouped } from "../text/text.ts";
import { type HistoryEntry, type Summarised, timeOf } from "./session-context.ts";

const QUOTES = 5;
const QUOTE_CHARS = 140;
const TOOLS = 12;

/**
 * What was summarised, in words that are the same for the same entries: how many, from when to when, where in the event
 * log, what the user asked, which tools ran, what failed, where the agent stood. One paragraph, no empty line in it.
 */
export function summarisedText(entries: readonly HistoryEntry[]): string {
	const of = (role: HistoryEntry["role"]): HistoryEntry[] => entries.filter((entry) => entry.role === role);
	const [user, assistant, tool] = [of("user"), of("assistant"), of("tool")];
	const [first, last] = [entries[0]!, entries.at(-1)!];
	const tokens = entries.reduce((sum, entry) => sum + (entry.token_count || 0), 0);
	const said = assistant.at(-1);
	return [
		`Summarised ${counted(entries.length, "entry", "entries")}, ${timeOf(first.timestamp)} to ${timeOf(last.timestamp)}: ` +
			`${user.length} of the user, ${assistant.length} of the assistant, ${tool.length} of tools; about ${grouped(tokens)} tokens; ` +
			`in the event log from ${first.id} to ${last.id}.`,
		user.length ? `The user: ${quotes(user)}.` : "",
		tool.length ? `Tools: ${tools(tool)}.` : "",
		said ? `The assistant last: ${quote(said)}.` : "",
	]
		.filter(Boolean)
		.join("\n");
}

const HEAD = /^\[[^\]\n]* left out here; the event log holds them\]$/;

/**
 * The summary within its bound: the oldest paragraphs go, and the first line says how much that was. `summarised` comes back
 * with what is left out now.
 */
export function shortened(
	text: string,
	before: Summarised,
	maxChars: number,
): { text: string; summarised: Summarised } {
	if (text.length <= maxChars) return { text, summarised: before };
	const paragraphs = text.split("\n\n").filter((paragraph) => paragraph && !HEAD.test(paragraph));
	let leftOut = before.left_out ?? { rounds: 0, entries: 0, from: 0, to: 0 };
	let body = paragraphs.join("\n\n");
	while (paragraphs.length > 0 && head(leftOut).length + 2 + body.length > maxChars) {
		const facts = factsOf(paragraphs.shift()!);
		leftOut = {
			rounds: leftOut.rounds + 1,
			entries: leftOut.entries + facts.entries,
			from: leftOut.from || facts.from,
			to: facts.to || leftOut.to,
		};
		body = paragraphs.join("\n\n");
	}
	const first = head(leftOut);
	return { text: body ? `${first}\n\n${body}` : first, summarised: { ...before, left_out: leftOut } };
}

function head({ rounds, entries, from, to }: NonNullable<Summarised["left_out"]>): string {
	const many = `${counted(rounds, "earlier summary", "earlier summaries")} of ${counted(entries, "entry", "entries")}`;
	return `[${many}, ${timeOf(from)} to ${timeOf(to)}, left out here; the event log holds them]`;
}

function factsOf(paragraph: string): { entries: number; from: number; to: number } {
	const found = /^Summarised ([\d,]+) entr(?:y|ies), (\S+Z|an unknown time) to (\S+Z|an unknown time):/.exec(paragraph);
	const at = (text: string | undefined): number => Math.floor((Date.parse(text ?? "") || 0) / 1000);
	return { entries: Number(found?.[1]?.replaceAll(",", "") ?? 0), from: at(found?.[2]), to: at(found?.[3]) };
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
