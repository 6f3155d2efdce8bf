import { eachMatch, type Range } from "./ranges.ts";
import { type NameTrust, trustIn } from "./secret-names.ts";
import { isName, isSecretValue } from "./secret-values.ts";

const MAX_ROWS = 5_000;
const MAX_LINE = 4_000;
/** A word for a secret that a column may be named by, with the sign that parts columns on the same line. */
const NAME = /pass|secret|token|key|pwd|cred|wort|senha|contrase|clave/i;
const HEAD = /(?:^|\n)([^\n]{0,400}?(?:pass|secret|token|key|pwd|cred|wort|senha|contrase|clave)[^\n]{0,400})\r?\n/gi;
const SIGNS = [",", ";", "\t", "|"];
/** A line's number, as `cat -n` and editors put it: no column of the text. */
const NUMBER = /^[ \t]*\d{1,6}[\t→]/;

/** Columns of a table whose head names a secret: CSV, Markdown, what databases and command lines print. Of the whole text. */
export function findInTables(text: string, found: Range[]): void {
	if (!NAME.test(text)) return;
	let done = 0;
	eachMatch(HEAD, text, (match) => {
		if (match.index < done) return;
		const next = match.index + match[0].length;
		const head = match[1]!;
		const lines = columnsOf(head, text.slice(next, next + MAX_LINE));
		if (lines) done = eachRow(text, next, lines, found);
	});
}

interface Columns {
	cells(line: string): Cell[];
	/** By their places. */
	secret: Map<number, { name: string; trust: Exclude<NameTrust, null> }>;
	count: number;
}

interface Cell {
	start: number;
	text: string;
}

/** `null` where the line is no head of a table, or none of its columns is a secret's. */
function columnsOf(head: string, below: string): Columns | null {
	const rule = /^[ \t]*([+|:-][-+|: \t]*)\r?(?:\n|$)/.exec(below)?.[1];
	const sign = rule ? (head.includes("|") ? "|" : null) : SIGNS.slice(0, 3).find((one) => head.includes(one));
	if (sign === undefined || (rule && !rule.includes("--") && !/:?-{1,2}:?\|/.test(rule))) return null;
	const cells = sign === null ? cellsUnder(rule!) : (line: string): Cell[] => cellsBetween(line, sign);
	const names = cells(head);
	// a column has a name, and one that is marked by nothing but commas or tabs has no other words in its head
	const isHead = rule
		? (name: string) => name.length <= 40
		: (name: string) => /^[A-Za-z_][\w.-]*(?: [\w.-]+){0,2}$/.test(name);
	if (names.length < 2 || !names.every(({ text }) => isHead(text))) return null;
	const secret: Columns["secret"] = new Map();
	for (const [i, { text: name }] of names.entries()) {
		const trust = /^[\w .-]{1,40}$/.test(name) ? trustIn(name) : null;
		if (trust) secret.set(i, { name, trust });
	}
	return secret.size > 0 ? { cells, secret, count: names.length } : null;
}

/** Gives where the table ends. */
function eachRow(text: string, from: number, { cells, secret, count }: Columns, found: Range[]): number {
	let at = from;
	for (let row = 0; row < MAX_ROWS && at < text.length; row++) {
		const feed = text.indexOf("\n", at);
		const end = feed < 0 ? text.length : feed;
		const line = text.slice(at, Math.min(end, at + MAX_LINE));
		if (!/^[ \t]*[+|:-][-+|: \t]*\r?$/.test(line)) {
			const values = cells(line);
			if (values.length !== count) return at;
			for (const [i, { name, trust }] of secret) take(values[i]!, at, name, trust, found);
		}
		at = end + 1;
	}
	return at;
}

function take(cell: Cell, line: number, name: string, trust: Exclude<NameTrust, null>, found: Range[]): void {
	const { text: value } = cell;
	if (!value || value.startsWith("[REDACTED:")) return;
	// words are a description
	if ((/\s/.test(value) || /^[([<].*[)\]>]$/.test(value)) && !/\d/.test(value)) return;
	// a short word with a number is a name
	if (trust === "likely" && value.length < 12) return;
	if (isSecretValue(value, "line", trust, name) && !isName(value))
		found.push({ start: line + cell.start, end: line + cell.start + value.length, kind: "secret" });
}

/** Cells between signs; a sign between double quotes belongs to its cell. The border of a table is no cell. */
function cellsBetween(line: string, sign: string): Cell[] {
	const cells: Cell[] = [];
	let isQuoted = false;
	const first = NUMBER.exec(line)?.[0].length ?? 0;
	let from = first;
	for (let at = first; at <= line.length; at++) {
		if (line[at] === '"' && sign !== "|") isQuoted = !isQuoted;
		if (at < line.length && (isQuoted || line[at] !== sign)) continue;
		cells.push(cellOf(line, from, at));
		from = at + 1;
	}
	if (sign !== "|") return cells;
	const border = /^\s*\|/.test(line.slice(first)) ? 1 : 0;
	return cells.slice(border, border && /\|\s*$/.test(line) ? -1 : undefined);
}

/** Cells under a rule of dashes: each begins where its dashes do. */
function cellsUnder(rule: string): (line: string) => Cell[] {
	const starts = [...rule.matchAll(/-+/g)].map(({ index }) => index);
	return (line) =>
		line.trim() === ""
			? []
			: starts.map((start, i) => cellOf(line, start, Math.min(line.length, starts[i + 1] ?? line.length)));
}

function cellOf(line: string, from: number, to: number): Cell {
	const raw = line.slice(from, Math.max(from, to));
	const text = raw.trim().replace(/^["'`]|["'`]$/g, "");
	return { start: from + (text ? raw.indexOf(text) : 0), text };
}
