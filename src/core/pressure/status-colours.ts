/** What a colour of the status line says. */
export const TONES = ["calm", "watch", "flush", "imminent", "quiet", "told", "warn", "alert"] as const;
export type Tone = (typeof TONES)[number];
export type Colours = Record<Tone, string>;

export const DEFAULT_COLOURS: Colours = {
	calm: "green",
	watch: "cyan",
	flush: "yellow",
	imminent: "red",
	quiet: "dim",
	told: "cyan",
	warn: "yellow",
	alert: "red",
};

const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/** What is wrong with a colour, `null` when it is one. */
export const colourProblem = (colour: string): string | null =>
	codeOf(colour) === null
		? `"${colour.slice(0, 30)}" is no colour; colours are none, dim, bold, ${NAMES.join(", ")}, bright-red and so on, 0 to 255, #rrggbb`
		: null;

/** Puts a text into a colour; unpainted where the colour is none. */
export type Painter = (text: string, colour: string) => string;

export const paint: Painter = (text, colour) => painted(text, colour, "\u001b[");

/** The same with what stands for the beginning of an escape, where a gate on the way puts the real one in. */
export function painted(text: string, colour: string, begin: string): string {
	const code = codeOf(colour);
	return code ? `${begin}${code}m${text}${begin}0m` : text;
}

const CODES = new Map([
	...[["none", ""] as const, ["bold", "1"] as const, ["dim", "2"] as const],
	...NAMES.flatMap((name, i) => [[name, `${30 + i}`] as const, [`bright-${name}`, `${90 + i}`] as const]),
]);

/** The terminal's code of a colour; empty for `none`, `null` for what is no colour. */
function codeOf(colour: string): string | null {
	if (/^\d{1,3}$/.test(colour) && Number(colour) < 256) return `38;5;${Number(colour)}`;
	const rgb = /^#([0-9a-f]{6})$/i.exec(colour)?.[1];
	const shares = rgb && [0, 2, 4].map((i) => Number.parseInt(rgb.slice(i, i + 2), 16)).join(";");
	return shares ? `38;2;${shares}` : (CODES.get(colour) ?? null);
}
