import type { Pressure } from "./pressure.ts";
import type { Colours, Tone } from "./status-colours.ts";
import type { PartName } from "./status-format.ts";

/** How the line looks; part of the configuration. */
export interface LineLook {
	/** A preset or a template. */
	format: string;
	/** Columns, and the signs of what is used and what is left. */
	bar: { width: number; signs: string };
	colours: Colours;
}

/** What a status line can tell. Names come from outside: `statusText` makes them safe. */
export interface StatusFacts {
	modelName: string | null;
	pressure: Pressure | null;
	cycle: "none" | "marker" | "nudged";
	/** When the last checkpoint was saved, as `14:03` or `20 Nov 14:03`: a clock time does not grow old between two runs. */
	saved: string | null;
	/** What the last compaction lost of what the user said, what of it came back, and statements of its summary without a source. */
	loss?: { lost: number; back: number; later: number; claims: number } | null;
	/** Age of the session's last hook failure. */
	failureMs: number | null;
	/** The enforced halt gate: changes are held back, or a task checkpoint lets one pass. */
	guard?: "held" | "free" | null;
	task?: string | null;
	branch?: string | null;
	session?: string | null;
}

/** One way to say a part, and its rank: what has the highest rank on the line is given up first, for the next form or for good. */
export type PartForm = [text: string, rank: number];

const FAILURE_SHOWN_MS = 6 * 3600_000;

/**
 * The forms of a part, `null` where there is nothing to say. Ranks, from what is given up last: the first of tokens, left,
 * percent, bar and zone that the line holds (`statusText` sees to that), the halt gate, a failed hook, the distance,
 * the last save, a save that is due; then the rest of the measurement, names, what a compaction lost.
 */
export function partOf(name: PartName, facts: StatusFacts, bar: LineLook["bar"]): Part | null {
	const { modelName, pressure, cycle, saved, loss, failureMs, guard, task, branch, session } = facts;
	switch (name) {
		case "model":
			return modelName ? part("quiet", [cutToWidth(modelName, 40), 64]) : null;
		case "session":
			return session ? part("quiet", [cutToWidth(session, 30), 88]) : null;
		case "branch":
			return branch ? part("quiet", [cutToWidth(branch, 24), 86], [cutToWidth(branch, 12), 80]) : null;
		case "task":
			return task ? part("quiet", [`task: ${cutToWidth(task, 30)}`, 84], [`task: ${cutToWidth(task, 12)}`, 78]) : null;
		case "guard":
			if (guard === "held") return part("alert", ["■ held back", 58], ["■ held", 4]);
			return guard === "free" ? part("warn", ["□ one change free", 58], ["□ free", 6]) : null;
		case "cycle":
			if (cycle === "marker") return part("warn", ["● save due", 45], ["● save", 34]);
			return cycle === "nudged" ? part("told", ["✓ nudged", 68]) : null;
		case "saved":
			return saved ? part("quiet", [`saved ${saved}`, 33]) : null;
		case "loss":
			return loss ? lossPart(loss) : null;
		case "failure":
			if (failureMs === null || failureMs >= FAILURE_SHOWN_MS) return null;
			return part("alert", ["⚠ hook failed: ccg doctor", 55], ["⚠ hook failed", 22], ["⚠", 8]);
		default:
			return pressurePart(name, pressure, bar);
	}
}

/** The first to go where there is little room: `ccg show --as report` says it at any time. */
function lossPart({ lost, back, later, claims }: NonNullable<StatusFacts["loss"]>): Part {
	const tone = lost > 0 || claims > 0 ? "warn" : "told";
	const counts = [lost && `${lost} lost`, back && `${back} back`, later && `${later} to come`]
		.filter(Boolean)
		.join(", ");
	if (!counts) return part(tone, [`${claims} unsourced`, 90]);
	return claims > 0 ? part(tone, [`${counts}, ${claims} unsourced`, 92], [counts, 90]) : part(tone, [counts, 90]);
}

function pressurePart(
	name: PartName,
	pressure: StatusFacts["pressure"],
	{ width, signs }: LineLook["bar"],
): Part | null {
	if (!pressure) return name === "left" ? part("quiet", ["ccg: no data", 20]) : null;
	const { tokens, trigger, distance, zone, window } = pressure;
	const goal = trigger ?? window;
	const tone = zone === "unknown" || zone === "none" ? "quiet" : zone;
	switch (name) {
		case "tokens":
			return part(tone, [`${tokens === null ? "—" : short(tokens)}/${short(goal)}`, 15]);
		case "percent":
			return tokens === null ? null : part(tone, [`${Math.floor((tokens / goal) * 100)}%`, 62]);
		case "zone":
			return part(tone, [ZONE_WORDS[zone], 70]);
		case "bar": {
			if (tokens === null || trigger === null) return null;
			const half = Math.max(1, Math.min(width, Math.max(5, width >> 1)));
			return part(tone, [drawn(tokens / trigger, width, signs), 66], [drawn(tokens / trigger, half, signs), 50]);
		}
		default:
			return distance === null ? noDistance(pressure) : distanceLeft(distance, tone);
	}
}

const distanceLeft = (distance: number, tone: Tone): Part =>
	distance > 0
		? part(tone, [`${short(distance)} to compaction`, 72], [`${short(distance)} left`, 25])
		: part(tone, ["compaction due", 72], ["due now", 25]);

function noDistance({ why, trigger }: Pressure): Part {
	if (why === "auto-compaction is off") return part("quiet", ["(auto-compact off)", 75], ["(off)", 73]);
	if (trigger === null) return part("quiet", ["(compacts at the limit)", 75], ["(at the limit)", 73]);
	return part("quiet", ["(not measured yet)", 75], ["(not yet)", 74]);
}

function drawn(share: number, width: number, signs: string): string {
	const [full = "", empty = ""] = signs;
	// full means due
	const filled = Math.max(0, Math.min(share < 1 ? width - 1 : width, Math.round(share * width)));
	return full.repeat(filled) + empty.repeat(width - filled);
}

export const ZONE_WORDS: Record<Pressure["zone"], string> = {
	unknown: "unmeasured",
	none: "no trigger",
	calm: "calm",
	watch: "watch",
	flush: "flush",
	imminent: "imminent",
};

/** `forms`: from the fullest on. */
const part = (tone: Tone, ...forms: PartForm[]) => ({ tone, forms });
type Part = ReturnType<typeof part>;

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
