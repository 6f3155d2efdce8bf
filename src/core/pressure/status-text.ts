import { plainly } from "../text/invisible.ts";
import { cutToWidth, displayWidth, type Part, partsOf, type StatusFacts, TONES, type Tone } from "./status-parts.ts";

/**
 * How many columns Claude Code leaves a status line of the terminal's `columns`: two on each side and the padding twice; what
 * is longer it cuts (measured on 2.1.329, from 24 to 200 columns, test/e2e/status-room.test.ts). 0, no limit, where the
 * width is not known: versions before 2.1.153 set no COLUMNS.
 */
export const statusRoom = (columns: number, padding: number): number =>
	columns > 0 ? Math.max(1, Math.floor(columns) - 4 - 2 * padding) : 0;

/** Puts a text into a colour of a terminal. */
export const painted = (text: string, tone: Tone): string => `\u001b[${TONES[tone][1]}m${text}\u001b[0m`;

/**
 * The status line, at most `columns` wide as a terminal counts (0: no limit). Where there is too little room, parts take
 * their shorter form and then go, the least important first; how near compaction is stays whole down to 16 columns.
 */
export function statusText(facts: StatusFacts, columns: number, paint: (text: string, tone: Tone) => string): string {
	let parts = partsOf({ ...facts, modelName: printable(facts.modelName) });
	while (columns > 0 && widthOf(parts) > columns) {
		const worst = parts.reduce((a, b) => (b.forms[0]![1] > a.forms[0]![1] ? b : a));
		if (parts.length === 1) {
			worst.forms = [[cutToWidth(worst.forms[0]![0], columns), 0]];
			break;
		}
		worst.forms.shift();
		parts = parts.filter(({ forms }) => forms.length > 0);
	}
	return parts.map(({ forms, tone }) => paint(forms[0]![0], tone)).join(" ");
}

const widthOf = (parts: readonly Part[]): number =>
	parts.reduce((sum, { forms }) => sum + displayWidth(forms[0]![0]), parts.length - 1);

/** Comes from settings and models: made one line of visible text. */
const printable = (text: string | null): string | null =>
	text ? visible(text.slice(0, 400)).replace(/\s+/g, " ").trim().slice(0, 80).toWellFormed() || null : null;

/** Most names are plain ASCII; to make the patterns for the others ready costs a start a fifth of a millisecond. */
const visible = (text: string): string => (/^[ -~]*$/.test(text) ? text : plainly(text).replace(UNSEEN, ""));

// what joins, and variation selectors: terminals disagree on their width
const UNSEEN = /\u200c|\u200d|[\ufe00-\ufe0f]/g;
