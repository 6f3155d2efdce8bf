import { plainly } from "../text/terminal.ts";
import { cutToWidth, displayWidth } from "./display-width.ts";
import { type Colours, DEFAULT_COLOURS, type Painter, paint, type Tone } from "./status-colours.ts";
import { type Group, type PartName, parseFormat } from "./status-format.ts";
import { type Bar, type PartForm, partOf, type StatusFacts } from "./status-parts.ts";

export { short } from "./status-parts.ts";

/** How the line looks; part of the configuration. */
export interface LineLook {
	/** A preset or a template. */
	format: string;
	bar: Bar;
	colours: Colours;
	/** Parts to leave out, since they stand in the wrapped status line above. */
	without?: readonly PartName[];
}

export const DEFAULT_LOOK: LineLook = { format: "full", bar: { width: 10, signs: "█░" }, colours: DEFAULT_COLOURS };

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
	const line = shownPieces(named(facts), look);
	if (columns > 0) narrow(line, columns);
	const tones = look.colours;
	const text = wordsOf(line)
		.map((word) => word.map(({ text, tone }) => (colours ? painter(text, tones[tone]) : text)).join(""))
		.join(" ");
	return text || "ccg";
}

/** A literal has one form and no rank: it goes with what it belongs to. */
interface ShownPart {
	forms: PartForm[];
	tone: Tone;
	literal: boolean;
}

function shownPieces(facts: StatusFacts, { format, bar, without = [] }: LineLook): ShownPart[][] {
	const groups = parseFormat(format);
	const signal = signalOf(groups, facts, without);
	return groups.map((group) =>
		group.flatMap((piece): ShownPart[] => {
			if ("literal" in piece) return [{ forms: [{ text: piece.literal, rank: 0 }], tone: "quiet", literal: true }];
			const part = without.includes(piece.part) ? null : partOf(piece.part, facts, bar);
			if (!part) return [{ forms: [], tone: "quiet", literal: false }];
			const forms = part.forms.slice(piece.short && part.forms.length > 1 ? 1 : 0);
			if (piece.part === signal) forms[forms.length - 1] = { ...forms.at(-1)!, rank: 0 };
			return [{ forms, tone: part.tone, literal: false }];
		}),
	);
}

/** What tells how near compaction is: the first of these that the line holds stays to the end. */
function signalOf(groups: Group[], facts: StatusFacts, without: readonly PartName[]): PartName | undefined {
	const held = groups.flatMap((group) => group.flatMap((piece) => ("part" in piece ? piece.part : [])));
	return (["tokens", "left", "percent", "bar", "zone"] as const).find(
		(name) => held.includes(name) && !without.includes(name) && partOf(name, facts, DEFAULT_LOOK.bar) !== null,
	);
}

function narrow(line: ShownPart[][], columns: number): void {
	while (lineWidth(line) > columns) {
		const parts = line.flat().filter(({ forms, literal }) => !literal && forms.length > 0);
		const worst = parts.reduce<ShownPart | null>((a, b) => (a && a.forms[0]!.rank >= b.forms[0]!.rank ? a : b), null);
		if (!worst) return;
		if (parts.length === 1 && worst.forms.length === 1) return cutLast(line, worst, columns);
		worst.forms.shift();
	}
}

/** Nothing is left that could be given up: literals go, then the part itself is cut. */
function cutLast(line: ShownPart[][], last: ShownPart, columns: number): void {
	for (const piece of line.flat()) if (piece !== last) piece.forms = [];
	const [form] = last.forms;
	last.forms = [{ rank: 0, text: cutToWidth(form!.text, columns) }];
}

const lineWidth = (line: ShownPart[][]): number => {
	const words = wordsOf(line).map((word) => word.reduce((sum, { text }) => sum + displayWidth(text), 0));
	return words.reduce((sum, width) => sum + width, words.length - 1);
};

/**
 * The words to print. A word with parts is there while one of them is. One of literals belongs to the word behind it, or to
 * the one before at the end; a separator such as "|" wants both.
 */
function wordsOf(line: ShownPart[][]): { text: string; tone: Tone }[][] {
	const isLiteral = (word: ShownPart[]): boolean => word.every(({ literal }) => literal);
	const isThere = (word: ShownPart[]): boolean => word.some(({ literal, forms }) => !literal && forms.length > 0);
	const shown = line.filter((word, i) => {
		if (!isLiteral(word)) return isThere(word);
		const next = line.slice(i + 1).find((other) => !isLiteral(other));
		const before = line.slice(0, i).some(isThere);
		const separates = !/[\p{L}\p{N}]/u.test(word.map(({ forms }) => forms[0]?.text).join(""));
		return next ? isThere(next) && (before || !separates) : before && !separates;
	});
	return shown.map((word) => word.flatMap(({ forms, tone }) => (forms[0] ? { text: forms[0].text, tone } : [])));
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

// controls, what changes the direction or joins, tags, variation selectors: terminals disagree on their width
const UNSEEN =
	/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|\u034f|[\ufe00-\ufe0f]|\udb40[\udc00-\udfff]/g;

/** `20s`, `4m`, `3h`, `2d`. */
export function shortAge(ms: number): string {
	const seconds = Math.max(0, Math.round(ms / 1000));
	if (seconds < 60) return `${seconds}s`;
	if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
	return seconds < 172_800 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
