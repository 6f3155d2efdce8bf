import { plainly } from "../terminal.ts";
import type { Pressure, Zone } from "./pressure.ts";

export interface StatusFacts {
	modelName: string | null;
	pressure: Omit<Pressure, "due"> | null;
	cycle: "none" | "marker" | "nudged";
	/** Age of the last checkpoint. */
	checkpointMs: number | null;
	/** Age of the session's last hook failure. */
	failureMs: number | null;
}

type Colour = "dim" | "green" | "yellow" | "red" | "cyan";
interface Segment {
	text: string;
	colour: Colour;
	/** What goes first when the line is too long: the highest number. */
	rank: number;
}

const FAILURE_SHOWN_MS = 6 * 3600_000;
const BAR = 10;

/**
 * The status line: model, tokens, a bar of the way to compaction, the cycle's state, the last checkpoint's age, a sign when a
 * hook failed. As many segments as fit `columns` (0: no limit), the most important ones.
 */
export function statusText(facts: StatusFacts, columns: number, colours: boolean): string {
	const segments = segmentsOf(facts);
	while (columns > 0 && segments.length > 1 && width(segments) > columns) {
		const worst = segments.reduce((a, b) => (b.rank > a.rank ? b : a));
		segments.splice(segments.indexOf(worst), 1);
	}
	if (columns > 0 && width(segments) > columns) segments[0]!.text = segments[0]!.text.slice(0, columns);
	return segments.map(({ text, colour }) => (colours ? paint(text, colour) : text)).join(" ");
}

function segmentsOf({ modelName, pressure, cycle, checkpointMs, failureMs }: StatusFacts): Segment[] {
	const segments: Segment[] = [];
	if (modelName) segments.push({ text: printable(modelName), colour: "dim", rank: 4 });
	segments.push(...pressureSegments(pressure));
	if (cycle === "marker") segments.push({ text: "● save due", colour: "yellow", rank: 2 });
	if (cycle === "nudged") segments.push({ text: "✓ nudged", colour: "cyan", rank: 5 });
	if (checkpointMs !== null) segments.push({ text: `saved ${shortAge(checkpointMs)} ago`, colour: "dim", rank: 3 });
	if (failureMs !== null && failureMs < FAILURE_SHOWN_MS)
		segments.push({ text: "⚠ hook failed: ccg doctor", colour: "red", rank: 1 });
	return segments.length ? segments : [{ text: "ccg", colour: "dim", rank: 0 }];
}

function pressureSegments(pressure: StatusFacts["pressure"]): Segment[] {
	if (!pressure) return [{ text: "ccg: no data", colour: "dim", rank: 0 }];
	const { tokens, trigger, distance, zone, window } = pressure;
	const colour = COLOURS[zone];
	if (tokens === null || distance === null || trigger === null) {
		const goal = trigger ?? window;
		const note =
			pressure.why === "auto-compaction is off"
				? "auto-compact off"
				: trigger === null
					? "compacts at the limit"
					: "not measured yet";
		return [
			{ text: `${tokens === null ? "—" : short(tokens)}/${short(goal)}`, colour, rank: 0 },
			{ text: `(${note})`, colour: "dim", rank: 6 },
		];
	}
	const filled = Math.max(0, Math.min(BAR, Math.round((tokens / trigger) * BAR)));
	return [
		{ text: `${short(tokens)}/${short(trigger)}`, colour, rank: 0 },
		{ text: `${"█".repeat(filled)}${"░".repeat(BAR - filled)}`, colour, rank: 3.5 },
		{ text: distance > 0 ? `${short(distance)} to compaction` : "compaction due", colour, rank: 2.5 },
	];
}

const COLOURS: Record<Zone, Colour> = {
	unknown: "dim",
	none: "dim",
	calm: "green",
	watch: "cyan",
	flush: "yellow",
	imminent: "red",
};
const CODES: Record<Colour, number> = { dim: 2, green: 32, yellow: 33, red: 31, cyan: 36 };

const paint = (text: string, colour: Colour): string => `\u001b[${CODES[colour]}m${text}\u001b[0m`;
const width = (segments: Segment[]): number =>
	segments.reduce((sum, { text }) => sum + [...text].length, segments.length - 1);
const printable = (text: string): string =>
	plainly(text)
		.replace(/[\t\n]/g, "")
		.slice(0, 40)
		.toWellFormed();

/** `950`, `67k`, `1.2M`. */
export function short(tokens: number): string {
	if (tokens < 1_000) return String(tokens);
	if (tokens < 999_500) return `${Math.round(tokens / 1_000)}k`;
	return `${(tokens / 1_000_000).toFixed(1).replace(/\.0$/, "")}M`;
}

/** `20s`, `4m`, `3h`, `2d`. */
export function shortAge(ms: number): string {
	const seconds = Math.max(0, Math.round(ms / 1000));
	if (seconds < 60) return `${seconds}s`;
	if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
	return seconds < 172_800 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
