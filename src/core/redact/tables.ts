import { eachMatch, type Range } from "./ranges.ts";
import { type Trust, trustIn } from "./secret-names.ts";
import { isName, isSecretValue } from "./secret-values.ts";
import { holds, shapeOf } from "./shape.ts";

const MAX_ROWS = 5_000;
const MAX_LINE = 4_000;
/** A line in which a word for a secret stands that a column may be named by. */
const HEAD = /(?:^|\n)([^\n]{0,400}?(?:pass|secret|token|key|pwd|cred|wort|senha|contrase|clave)[^\n]{0,400})\r?\n/gi;
/** A line of dashes, and what parts the columns in it. */
const RULE = /^[ \t]*([+|:-][-+|: \t]*)\r?(?:\n|$)/;
/** A line's number, as `cat -n` and editors put it: no column of the text. */
const NUMBER = /^[ \t]*\d{1,6}[\t→]/;

interface Cell {
	start: number;
	text: string;
}

/** Columns of a table whose head names a secret: CSV, Markdown, what databases and command lines print. */
export function findInTables(text: string, found: Range[]): void {
	let done = 0;
	eachMatch(HEAD, text, (match) => {
		if (match.index < done) return;
		const next = match.index + match[0].length;
		const cellsOf = columnsOf(match[1]!, text.slice(next, next + MAX_LINE));
		const names = cellsOf?.(match[1]!).map((cell) => ({ name: cell.text, trust: trustIn(cell.text) }));
		if (!cellsOf || !names?.some(({ trust }) => trust)) return;
		let at = next;
		for (let row = 0; row < MAX_ROWS && at < text.length; row++) {
			const feed = text.indexOf("\n", at);
			const end = feed < 0 ? text.length : feed;
			const line = text.slice(at, Math.min(end, at + MAX_LINE));
			const cells = RULE.test(line) ? [] : cellsOf(line);
			if (cells.length > 0 && cells.length !== names.length) break;
			for (const [i, cell] of cells.entries()) {
				const { name, trust } = names[i]!;
				if (trust && isSecretCell(cell.text, name, trust))
					found.push({ start: at + cell.start, end: at + cell.start + cell.text.length, kind: "secret" });
			}
			at = end + 1;
		}
		done = at;
	});
}

/** How lines are cut into cells; `null` where the line is no head of a table. */
function columnsOf(head: string, below: string): ((line: string) => Cell[]) | null {
	const rule = RULE.exec(below)?.[1];
	if (rule !== undefined && !["--", "-|", "-:|"].some((sign) => rule.includes(sign))) return null;
	const sign = rule === undefined ? [",", ";", "\t"].find((one) => head.includes(one)) : "|";
	if (sign === undefined) return null;
	const cellsOf =
		rule === undefined || head.includes("|") ? (line: string) => cellsBetween(line, sign) : cellsUnder(rule);
	const names = cellsOf(head);
	// a column has a name, and one that is marked by nothing but commas or tabs has no other words in its head
	const isHead = ({ text }: Cell): boolean =>
		rule === undefined ? /^[A-Za-z_][\w.-]*(?: [\w.-]+){0,2}$/.test(text) : text.length <= 40;
	return names.length > 1 && names.every(isHead) ? cellsOf : null;
}

function isSecretCell(value: string, name: string, trust: Trust): boolean {
	if (!value || value.startsWith("[REDACTED:")) return false;
	// words are a description; a short word with a number is a name
	const { digits, hasSpaces } = shapeOf(value);
	const isWords = digits === 0 && (hasSpaces || (holds(value[0]!, "([<") && holds(value.at(-1)!, ")]>")));
	if (isWords || (trust === "likely" && value.length < 12)) return false;
	return isSecretValue(value, "line", trust, name) && !isName(value);
}

/** Cells between signs; a sign between double quotes belongs to its cell. The border of a table is no cell. */
function cellsBetween(line: string, sign: string): Cell[] {
	const cells: Cell[] = [];
	const first = NUMBER.exec(line)?.[0].length ?? 0;
	let from = first;
	let isQuoted = false;
	for (let at = first; at <= line.length; at++) {
		if (line[at] === '"' && sign !== "|") isQuoted = !isQuoted;
		if (at < line.length && (isQuoted || line[at] !== sign)) continue;
		cells.push(cellOf(line, from, at));
		from = at + 1;
	}
	if (sign !== "|" || line.slice(first).trimStart()[0] !== "|") return cells;
	return cells.slice(1, line.trimEnd().endsWith("|") ? -1 : undefined);
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
