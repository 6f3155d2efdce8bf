/** What a status line can hold, by the names a template uses. */
export const PART_NAMES = [
	"model",
	"tokens",
	"percent",
	"bar",
	"left",
	"zone",
	"guard",
	"cycle",
	"saved",
	"loss",
	"failure",
	"task",
	"branch",
	"session",
] as const;
export type PartName = (typeof PART_NAMES)[number];

/**
 * What stands between two spaces of the template; it is shown while one of its parts is. `{left}` is a part, `{left:short}` the same in
 * few columns, everything else is printed as it is.
 */
export type Group = ({ part: PartName; short: boolean } | { literal: string })[];

export const PRESETS: Record<string, string> = {
	full: "{model} {tokens} {bar} {left} {guard} {cycle} {saved} {loss} {failure}",
	compact: "{tokens} {left:short} {guard:short} {cycle:short} {saved} {loss} {failure:short}",
	bar: "{bar} {percent} {left:short} {guard:short} {saved} {loss} {failure:short}",
};

const MAX_TEMPLATE = 300;

/** What is wrong with a preset's name or a template, `null` when it can be used. */
export function formatProblem(format: string): string | null {
	if (Object.hasOwn(PRESETS, format)) return null;
	if (format.length > MAX_TEMPLATE) return `must have ${MAX_TEMPLATE} characters at most`;
	if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(format)) return "must be one line of visible characters";
	const names = [...format.matchAll(PART)].map((match) => match[1]!);
	const unknown = names.find((name) => !(PART_NAMES as readonly string[]).includes(name));
	if (unknown !== undefined) return `there is no part {${unknown}}; parts are ${PART_NAMES.join(", ")}`;
	if (/[{}]/.test(format.replace(PART, ""))) return 'a brace must belong to a part such as "{left}" or "{left:short}"';
	if (names.length > 0) return null;
	return `"${format}" is no preset and names no part; presets are ${Object.keys(PRESETS).join(", ")}, or a template such as "{bar} {left}"`;
}

/** The groups of a preset or a template; of one that can't be used those of `full`. */
export function parseFormat(format: string): Group[] {
	const template = PRESETS[formatProblem(format) === null ? format : "full"] ?? format;
	return template.split(" ").filter(Boolean).map(group);
}

/** Whether the line holds this part: what nobody shows need not be read. */
export const holdsPart = (format: string, name: PartName): boolean => (PRESETS[format] ?? format).includes(`{${name}`);

const PART = /\{([^{}:]*)(?::short)?\}/g;

const group = (word: string): Group =>
	word
		.split(/(\{[^{}]*\})/)
		.filter(Boolean)
		.map((piece) => {
			if (!piece.startsWith("{")) return { literal: piece };
			const [part, short] = piece.slice(1, -1).split(":");
			return { part: part as PartName, short: short !== undefined };
		});
