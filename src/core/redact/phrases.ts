import { JUDGES } from "./judges.ts";
import { anyOf, expanded } from "./patterns.ts";
import phrases from "./phrases.json";
import { eachMatch, isReference, matchAt, type Range } from "./ranges.ts";
import { trimmed } from "./secret-values.ts";

/**
 * Secrets that no name stands right before, known by the words and signs round them: sentences, command lines, headers, URLs,
 * blocks of a known build. `phrases.json` has a row for each: the words at which it is tried and its form with the value as the
 * group `v` (behind `>>` the form of each item of a list), under the kind of secret and what judges the value. A row marked `~` is
 * looked for on the whole line round its word, any other begins there; in one marked `!` capitals count.
 */
export function findPhrases(text: string, found: Range[]): void {
	const done = new Map<Row, number>();
	HINT.lastIndex = 0;
	for (let hint = HINT.exec(text); hint; hint = HINT.exec(text)) {
		for (const row of rowsAt(hint[0].toLowerCase())) {
			if (hint.index < (done.get(row) ?? 0)) continue;
			row.forms ??= row.sources.map((source) => new RegExp(expanded(source), row.flags));
			done.set(row, (row.flags === "gi" ? near : at)(text, hint.index, row, found));
		}
		HINT.lastIndex = hint.index + 1;
	}
}

interface Row {
	kind: string;
	judge: string;
	/** The phrase; of a list its head and its items. */
	sources: string[];
	flags: string;
	/** Made when its word is met. */
	forms?: RegExp[];
}

const hints: Record<string, string> = phrases.hints;
const FLAGS: Record<string, string> = { "~": "gi", "!": "y" };
const ROWS = new Map<string, Row[]>();
for (const [name, rows] of Object.entries(phrases.rows))
	for (const line of rows) {
		const [head, forms] = line.split(" => ") as [string, string];
		const [kind, judge] = name.split(" ") as [string, string];
		const row: Row = { kind, judge, sources: forms.split(" >> "), flags: FLAGS[head.at(-1)!] ?? "iy" };
		const own = head.replace(/ ?[~!]$/, "").replace(/@([a-z]+) ?/g, (_, list: string) => `${hints[list]}|`);
		for (const hint of new Set(own.split("|"))) if (hint) ROWS.set(hint, [...(ROWS.get(hint) ?? []), row]);
	}
const HINT = new RegExp(anyOf([...ROWS.keys()]), "gi");

/** The rows of a word and of those that it begins with. */
function rowsAt(word: string): readonly Row[] {
	const rows = KNOWN.get(word) ?? [...new Set([...ROWS].flatMap(([hint, own]) => (word.startsWith(hint) ? own : [])))];
	KNOWN.set(word, rows);
	return rows;
}
const KNOWN = new Map<string, readonly Row[]>();

/** Round so many characters of a line stand its words. */
const ROUND = 160;

/** Gives up to where a line was looked at together with what is round it. */
function near(text: string, at: number, row: Row, found: Range[]): number {
	const before = text.slice(Math.max(0, at - ROUND), at);
	const start = at - before.length + before.lastIndexOf("\n") + 1;
	const feed = text.slice(at, at + 3 * ROUND).indexOf("\n");
	const end = feed < 0 ? at + 3 * ROUND : at + feed;
	eachMatch(row.forms![0]!, text.slice(start, end), (match) => take(text, start + match.index, match, row, found));
	return feed < 0 ? at + 2 * ROUND : end;
}

const MAX_ITEMS = 400;

/** Gives where a list ends, so that no part of it is read as another one. */
function at(text: string, from: number, row: Row, found: Range[]): number {
	const [head, item] = row.forms!;
	const first = matchAt(head!, text, from);
	if (!first) return 0;
	if (!item) take(text, from, first, row, found);
	let next = item ? head!.lastIndex : 0;
	for (let n = 0; item && n < MAX_ITEMS; n++) {
		const match = matchAt(item, text, next);
		if (!match?.[0]) break;
		take(text, next, match, row, found);
		next += match[0].length;
	}
	return next;
}

function take(text: string, at: number, match: RegExpExecArray, { kind, judge }: Row, found: Range[]): void {
	const [whole] = match;
	const raw = match.groups ? match.groups.v : whole;
	if (raw === undefined) return;
	const value = kind === "secret" ? trimmed(raw) : raw;
	const inside = whole.lastIndexOf(raw);
	const start = inside < 0 ? at - raw.length : at + inside;
	if (value.length < (kind === "password" ? 1 : 3) || value.startsWith("[REDACTED:")) return;
	if (value.length > 1 && (isReference(raw) || isReference(value))) return;
	const given = { value, name: match.groups?.name ?? "", text, start };
	if (JUDGES[judge]!(given)) found.push({ start, end: start + value.length, kind });
}
