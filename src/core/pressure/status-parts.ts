import type { Pressure } from "./pressure.ts";

/** What the status line's colours say, each with its code for a terminal. */
export const TONES = {
	calm: ["green", 32, "more than twice the headroom is left"],
	watch: ["cyan", 36, "less than twice the headroom is left; the agent was told"],
	flush: ["yellow", 33, "the headroom begins (marker.headroomTokens, 37,000): the agent is told to save"],
	imminent: ["red", 31, "a quarter of the headroom is left; or a hook failed"],
	quiet: ["dim", 2, "no pressure in it: the model, what is not measured"],
} as const;
export type Tone = keyof typeof TONES;

/** What a status line tells. The model's name comes from outside: `statusText` makes it safe. */
export interface StatusFacts {
	modelName: string | null;
	pressure: Pressure | null;
	cycle: "none" | "marker" | "nudged";
	/** A hook of the session failed in the last hours. */
	hasFailed: boolean;
}

/** `forms`: from the fullest on, each with its rank: what has the highest rank on the line is given up first, for the next form or for good. */
export interface Part {
	tone: Tone;
	forms: [text: string, rank: number][];
}

const part = (tone: Tone, ...forms: Part["forms"]): Part => ({ tone, forms });

/** What there is to say, in its order. What tells how near compaction is has rank 0: it stays to the end. */
export function partsOf({ modelName, pressure, cycle, hasFailed }: StatusFacts): Part[] {
	return [
		...(modelName ? [part("quiet", [cutToWidth(modelName, 40), 64])] : []),
		...(pressure ? pressureParts(pressure) : [part("quiet", ["ccg: no data", 0])]),
		...(cycle === "marker" ? [part("flush", ["● save due", 45], ["● save", 34])] : []),
		...(cycle === "nudged" ? [part("watch", ["✓ nudged", 68])] : []),
		...(hasFailed ? [part("imminent", ["⚠ hook failed: ccg doctor", 55], ["⚠ hook failed", 22], ["⚠", 8])] : []),
	];
}

const BAR = 10;

function pressureParts(pressure: Pressure): Part[] {
	const { tokens, trigger, window, zone, distance } = pressure;
	const tone = zone === "unknown" || zone === "none" ? "quiet" : zone;
	const share = tokens === null || trigger === null ? null : tokens / trigger;
	return [
		part(tone, [`${tokens === null ? "—" : short(tokens)}/${short(trigger ?? window)}`, 0]),
		...(share === null ? [] : [part(tone, [bar(share, BAR), 66], [bar(share, BAR / 2), 50])]),
		distance === null ? noDistance(pressure) : part(tone, ...left(distance)),
	];
}

const left = (distance: number): Part["forms"] =>
	distance > 0
		? [
				[`${short(distance)} to compaction`, 72],
				[`${short(distance)} left`, 25],
			]
		: [
				["compaction due", 72],
				["due now", 25],
			];

function noDistance({ why, trigger }: Pressure): Part {
	if (why === "auto-compaction is off") return part("quiet", ["(auto-compact off)", 75], ["(off)", 73]);
	if (trigger === null) return part("quiet", ["(compacts at the limit)", 75], ["(at the limit)", 73]);
	return part("quiet", ["(not measured yet)", 75], ["(not yet)", 74]);
}

function bar(share: number, width: number): string {
	// full means due
	const filled = Math.max(0, Math.min(share < 1 ? width - 1 : width, Math.round(share * width)));
	return "█".repeat(filled) + "░".repeat(width - filled);
}

/** `950`, `67k`, `1.2M`. */
export function short(tokens: number): string {
	if (tokens < 1_000) return String(tokens);
	if (tokens < 999_500) return `${Math.round(tokens / 1_000)}k`;
	return `${(tokens / 1_000_000).toFixed(1).replace(/\.0$/, "")}M`;
}

/** How many columns a terminal needs for a text without colours: 2 for CJK and emoji, 0 for what combines. */
export const displayWidth = (text: string): number => Bun.stringWidth(text);

/** The text in at most `columns` columns; what was cut ends in "…". No character is halved. */
export function cutToWidth(text: string, columns: number): string {
	if (displayWidth(text) <= columns) return text;
	let kept = "";
	for (const character of text) {
		if (displayWidth(`${kept}${character}…`) > columns) break;
		kept += character;
	}
	return columns > 0 ? `${kept.trimEnd()}…` : "";
}

/** `20s`, `4m`, `3h`, `2d`. */
export function shortAge(ms: number): string {
	const seconds = Math.max(0, Math.round(ms / 1000));
	if (seconds < 60) return `${seconds}s`;
	if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
	return seconds < 172_800 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
