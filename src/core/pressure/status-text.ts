import { plainly } from "../text/terminal.ts";
import { DEFAULT_COLOURS, type Painter, paint, type Tone } from "./status-colours.ts";
import { type Group, type PartName, parseFormat } from "./status-format.ts";
import { cutToWidth, displayWidth, type LineLook, type PartForm, partOf, type StatusFacts } from "./status-parts.ts";

export const DEFAULT_LOOK: LineLook = { format: "full", bar: { width: 10, signs: "█░" }, colours: DEFAULT_COLOURS };

/**
 * How many columns Claude Code leaves a status line of the terminal's `columns`: two on each side and the padding twice; what
 * is longer it cuts (measured on 2.1.329, from 24 to 200 columns, test/e2e/status-room.test.ts). 0, no limit, where the
 * width is not known: versions before 2.1.153 set no COLUMNS.
 */
export const statusRoom = (columns: number, padding: number): number =>
	columns > 0 ? Math.max(1, Math.floor(columns) - 4 - 2 * padding) : 0;

/**
 * The status line, at most `columns` wide as a terminal counts (0: no limit). Where there is too little room, parts take
 * their shorter form and then go, the least important first; how near compaction is stays whole down to 16 columns.
 */
export function statusText(
	facts: StatusFacts,
	columns: number,
	colours: boolean,
	look = DEFAULT_LOOK,
	painter: Painter = paint,
): string {
	const line = piecesOf(named(facts), look);
	if (columns > 0) narrow(line, columns);
	const words = shownWords(line).map((word) =>
		word.map(({ text, tone }) => (colours ? painter(text, look.colours[tone]) : text)).join(""),
	);
	return words.join(" ") || "ccg";
}

/** A part or a literal of the line; a literal has one form and no rank, and goes with the part it belongs to. */
interface Piece {
	forms: PartForm[];
	tone: Tone;
	isLiteral?: boolean;
}

function piecesOf(facts: StatusFacts, { format, bar }: LineLook): Piece[][] {
	const groups = parseFormat(format);
	const signal = signalOf(groups, facts);
	return groups.map((group) =>
		group.map((piece): Piece => {
			if ("literal" in piece) return { forms: [[piece.literal, 0]], tone: "quiet", isLiteral: true };
			const { forms, tone } = partOf(piece.part, facts, bar) ?? { forms: [], tone: "quiet" };
			const own = piece.short && forms.length > 1 ? forms.slice(1) : forms;
			return { tone, forms: own.map(([text, rank], i) => [text, isLast(own, i) && piece.part === signal ? 0 : rank]) };
		}),
	);
}

const isLast = (list: readonly unknown[], i: number): boolean => i === list.length - 1;

/** What tells how near compaction is: the first of these that the line holds stays to the end. */
function signalOf(groups: Group[], facts: StatusFacts): PartName | undefined {
	const held = groups.flat().flatMap((piece) => ("part" in piece ? piece.part : []));
	const signals = ["tokens", "left", "percent", "bar", "zone"] as const;
	return signals.find((name) => held.includes(name) && partOf(name, facts, DEFAULT_LOOK.bar) !== null);
}

/** In place: gives up the form of the highest rank until the line fits. */
function narrow(line: Piece[][], columns: number): void {
	while (widthOf(line) > columns) {
		const parts = line.flat().filter(({ forms, isLiteral }) => !isLiteral && forms.length > 0);
		const worst = parts.reduce<Piece | null>((a, b) => (a && a.forms[0]![1] >= b.forms[0]![1] ? a : b), null);
		if (!worst) return;
		if (parts.length === 1 && worst.forms.length === 1) {
			// nothing is left that could be given up: literals go, then the part itself is cut
			const text = cutToWidth(worst.forms[0]![0], columns);
			for (const piece of line.flat()) piece.forms = [];
			worst.forms = [[text, 0]];
			return;
		}
		worst.forms.shift();
	}
}

function widthOf(line: Piece[][]): number {
	const words = shownWords(line);
	return words.flat().reduce((sum, { text }) => sum + displayWidth(text), words.length - 1);
}

/**
 * The words to print. A word with parts is there while one of them is. One of literals belongs to the word behind it, or to
 * the one before at the end; a separator such as "|" wants both.
 */
function shownWords(line: Piece[][]): { text: string; tone: Tone }[][] {
	const isLiteral = (word: Piece[]): boolean => word.every((piece) => piece.isLiteral);
	const isThere = (word: Piece[]): boolean => word.some((piece) => !piece.isLiteral && piece.forms.length > 0);
	const shown = line.filter((word, i) => {
		if (!isLiteral(word)) return isThere(word);
		const next = line.slice(i + 1).find((other) => !isLiteral(other));
		const before = line.slice(0, i).some(isThere);
		const separates = !/[\p{L}\p{N}]/u.test(word.map(({ forms }) => forms[0]?.[0]).join(""));
		return next ? isThere(next) && (before || !separates) : before && !separates;
	});
	return shown.map((word) => word.flatMap(({ forms: [form], tone }) => (form ? { text: form[0], tone } : [])));
}

/** Names come from settings, repositories and models: each is made one line of visible text here, and only here. */
const named = (facts: StatusFacts): StatusFacts => ({
	...facts,
	modelName: printable(facts.modelName),
	task: printable(facts.task),
	branch: printable(facts.branch),
	session: printable(facts.session),
});

const printable = (text: string | null | undefined): string | null =>
	text ? visible(text.slice(0, 400)).replace(/\s+/g, " ").trim().slice(0, 80).toWellFormed() || null : null;

/** Most names are plain ASCII; to make the patterns for the others ready costs a start a fifth of a millisecond. */
const visible = (text: string): string => (/^[ -~]*$/.test(text) ? text : plainly(text).replace(UNSEEN, ""));

// what joins, and variation selectors: terminals disagree on their width
const UNSEEN = /\u200c|\u200d|[\ufe00-\ufe0f]/g;
