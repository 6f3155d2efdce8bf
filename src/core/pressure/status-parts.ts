import { removeUnseen } from "../text/invisible.ts";
import { countWithNoun } from "../text/text.ts";
import type { Pressure } from "./pressure.ts";

/** The status line's colours: name, code for a terminal, meaning. */
export const TONES = {
	calm: ["green", 32, "more than twice the headroom is left"],
	watch: ["cyan", 36, "less than twice the headroom is left; the agent was told"],
	flush: ["yellow", 33, "the headroom begins (marker.headroomTokens, 37,000): the agent is told to save"],
	imminent: ["red", 31, "a quarter of the headroom is left; or a hook failed"],
	quiet: ["dim", 2, "no pressure in it: the model, what is not measured"],
} as const;
export type Tone = keyof typeof TONES;

/** The facts that a status line shows. The model's name comes from outside: `statusText` makes it safe. */
export interface StatusFacts {
	modelName: string | null;
	pressure: Pressure | null;
	cycle: "none" | "marker" | "nudged";
	/** A hook of the session failed in the last hours. */
	hasFailed: boolean;
	/** How often this session was compacted. */
	compactions?: number;
	/** The last turn ended at a good moment to compact (`momentTokens`). */
	moment?: boolean;
	/** Until the prompt cache expires, in ms, where that is near and asked for. */
	cacheMs?: number | null;
}

/** A part of the line; `forms` from the longest on, each with a rank: the form of the highest rank on the line is given up first. */
interface Part {
	tone: Tone;
	forms: [text: string, rank: number][];
}

/** A part of the status line in a colour, with its forms from the longest on. */
const statusPart = (tone: Tone, ...forms: Part["forms"]): Part => ({ tone, forms });

const GOOD_MOMENT = "good moment to /compact: committed and nothing open";

/** The parts of a status line, in order. The part that shows how near compaction is has rank 0: it stays to the end. */
function statusParts({
	modelName,
	pressure,
	cycle,
	hasFailed,
	compactions = 0,
	cacheMs = null,
	moment,
}: StatusFacts): Part[] {
	return [
		...(modelName ? [statusPart("quiet", [cutToWidth(modelName, 40), 64])] : []),
		...(pressure ? pressureParts(pressure) : [statusPart("quiet", ["ccg: no data", 0])]),
		...(moment ? [statusPart("calm", [GOOD_MOMENT, 74], ["good moment to /compact", 60], ["/compact now", 35])] : []),
		...(cycle === "marker" ? [statusPart("flush", ["● save due", 45], ["● save", 34])] : []),
		...(cycle === "nudged" ? [statusPart("watch", ["✓ nudged", 68])] : []),
		...(compactions > 0
			? [statusPart("quiet", [countWithNoun(compactions, "compaction"), 70], [`${compactions}×`, 58])]
			: []),
		...(cacheMs === null ? [] : [statusPart("watch", [`cache ${shortAge(cacheMs)}`, 71])]),
		...(hasFailed ? [statusPart("imminent", ["⚠ hook failed: ccg doctor", 55], ["⚠ hook failed", 22], ["⚠", 8])] : []),
	];
}

const BAR_WIDTH = 10;
/** The parts with the tokens in use, a bar, and the tokens left before compaction or why they are unknown; each form with its rank. */
function pressureParts(pressure: Pressure): Part[] {
	const { tokens, trigger, window, zone, distance } = pressure;
	const tone = zone === "unknown" || zone === "none" ? "quiet" : zone;
	const share = tokens === null || trigger === null ? null : tokens / trigger;
	return [
		statusPart(tone, [`${tokens === null ? "—" : shortTokens(tokens)}/${shortTokens(trigger ?? window)}`, 0]),
		...(share === null ? [] : [statusPart(tone, [barText(share, BAR_WIDTH), 66], [barText(share, BAR_WIDTH / 2), 50])]),
		distance === null ? unknownDistancePart(pressure) : statusPart(tone, ...distanceForms(distance)),
	];
}
/** The forms, each with its rank, of the part that shows the tokens left before compaction. */
const distanceForms = (distance: number): Part["forms"] =>
	distance > 0
		? [
				[`${shortTokens(distance)} to compaction`, 72],
				[`${shortTokens(distance)} left`, 25],
			]
		: [
				["compaction due", 72],
				["due now", 25],
			];
/** The part that says why the distance to compaction is not shown. */
function unknownDistancePart({ why, trigger }: Pressure): Part {
	if (why === "auto-compaction is off") return statusPart("quiet", ["(auto-compact off)", 75], ["(off)", 73]);
	if (trigger === null) return statusPart("quiet", ["(compacts at the limit)", 75], ["(at the limit)", 73]);
	return statusPart("quiet", ["(not measured yet)", 75], ["(not yet)", 74]);
}
/** A bar of `width` signs, filled by the used share (1 at compaction's trigger); below 1 it is never full. */
function barText(share: number, width: number): string {
	const filled = Math.max(0, Math.min(share < 1 ? width - 1 : width, Math.round(share * width)));
	return "█".repeat(filled) + "░".repeat(width - filled);
}

/** What a compaction left, `?` where that is unknown: `167k → 48k tokens (18k not from the cache)`. */
export function sizesText({ before, after, anew }: Record<"before" | "after" | "anew", number | null>): string {
	const [from, to] = [before, after].map((tokens) => (tokens === null ? "?" : shortTokens(tokens)));
	return `${from} → ${to} tokens${anew === null ? "" : ` (${shortTokens(anew)} not from the cache)`}`;
}

/** A number of tokens in short: `950`, `67k`, `1.2M`. */
export function shortTokens(tokens: number): string {
	if (tokens < 1_000) return String(tokens);
	if (tokens < 999_500) return `${Math.round(tokens / 1_000)}k`;
	return `${(tokens / 1_000_000).toFixed(1).replace(/\.0$/, "")}M`;
}

/** How many columns a terminal needs for a text without colours: 2 for CJK and emoji, 0 for combining characters. */
export const displayWidth = (text: string): number => Bun.stringWidth(text);

/** A text cut to at most `columns` columns; a text that was cut ends in "…". No character is halved. */
function cutToWidth(text: string, columns: number): string {
	if (displayWidth(text) <= columns) return text;
	let head = "";
	for (const character of text) {
		if (displayWidth(`${head}${character}…`) > columns) break;
		head += character;
	}
	return columns > 0 ? `${head.trimEnd()}…` : "";
}

/** A length of time in short: `20s`, `4m`, `3h`, `2d`. */
export function shortAge(ms: number): string {
	const seconds = Math.max(0, Math.round(ms / 1000));
	if (seconds < 60) return `${seconds}s`;
	if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
	return seconds < 172_800 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

/**
 * How many columns Claude Code leaves a status line of the terminal's `columns`: two on each side and the padding twice; what
 * is longer it cuts (measured on 2.1.329, from 24 to 200 columns, test/e2e/status-room.test.ts). 0, no limit, where the
 * width is not known: versions before 2.1.153 set no COLUMNS.
 */
export const statusLineColumns = (columns: number, padding: number): number =>
	columns > 0 ? Math.max(1, Math.floor(columns) - 4 - 2 * padding) : 0;

/** Puts a text into a colour of a terminal: `tone` names it. */
export const paintText = (text: string, tone: Tone): string => `\u001b[${TONES[tone][1]}m${text}\u001b[0m`;

/**
 * The status line, at most `columns` wide as a terminal counts (0: no limit). Where there is too little room, parts take
 * their shorter form and then go, the least important first; how near compaction is stays whole down to 16 columns.
 */
export function statusText(facts: StatusFacts, columns: number, paint: (text: string, tone: Tone) => string): string {
	let parts = statusParts({ ...facts, modelName: printableName(facts.modelName) });
	while (columns > 0 && totalWidth(parts) > columns) {
		const leastImportant = parts.reduce((a, b) => (longestForm(b).rank > longestForm(a).rank ? b : a));
		if (parts.length === 1) {
			leastImportant.forms = [[cutToWidth(longestForm(leastImportant).text, columns), 0]];
			break;
		}
		leastImportant.forms.shift();
		parts = parts.filter(({ forms }) => forms.length > 0);
	}
	return parts.map((part) => paint(longestForm(part).text, part.tone)).join(" ");
}
/** The longest form of a part that is left, and its rank. */
function longestForm({ forms }: Part): { text: string; rank: number } {
	const [text, rank] = forms[0]!;
	return { text, rank };
}
/** The columns that these parts need, with a space between two. */
const totalWidth = (parts: readonly Part[]): number =>
	parts.reduce((sum, part) => sum + displayWidth(longestForm(part).text), parts.length - 1);

/** A model's name as one short line of visible text, since it comes from settings and models; `null` where nothing is left. */
const printableName = (text: string | null): string | null =>
	text ? withoutInvisible(text.slice(0, 400)).replace(/\s+/g, " ").trim().slice(0, 80).toWellFormed() || null : null;

/** A text without invisible characters. Plain ASCII returns at once: compiling the patterns would cost each start a fifth of a millisecond. */
const withoutInvisible = (text: string): string =>
	/^[ -~]*$/.test(text) ? text : removeUnseen(text).replace(UNSEEN, "");

// what joins, and variation selectors: terminals disagree on their width
const UNSEEN = /\u200c|\u200d|[\ufe00-\ufe0f]/g;
