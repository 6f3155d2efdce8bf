import { makeOnce, splitWordLines } from "./patterns.ts";
import { type Range, stickyMatch } from "./ranges.ts";
import forms from "./token-forms.json";
import { COLOUR, endOfWrappedValue } from "./value-at.ts";

/**
 * Tokens known by their form: `token-forms.json` has of each its kind, what it begins with, what follows and where it may stand
 * (`anywhere`: right behind letters too; `slashed`: with a stroke early in it, as a path has). At each place where one may begin the forms
 * with its first characters are tried: a pattern of all forms takes longer to make than a hook's texts to look through. Linear: what a
 * form takes without bound ends the match. Lengths are lower bounds below the real ones, because a text may be cut.
 */
export function findTokens(text: string, found: Range[]): void {
	const unescaped = text.replace(ESCAPES, ({ length }) => " ".repeat(length));
	for (const { begins, formsFor } of FORM_GROUPS()) {
		begins.lastIndex = 0;
		for (let match = begins.exec(unescaped); match; match = begins.exec(unescaped)) {
			const start = match.index;
			const forms = formsFor(unescaped.slice(start, start + 2));
			const form = forms.find(({ pattern }) => stickyMatch(pattern(), unescaped, start));
			const end = form ? endOfWrappedValue(unescaped, start, form.pattern().lastIndex) : start + 1;
			if (form) found.push({ start, end, kind: form.kind });
			begins.lastIndex = end;
		}
	}
}

/**
 * What is blank for this look: escaped line ends (`\n` in JSON), percent escapes and terminal colours. The letters in them would
 * stand at a token's left edge. What a token holds of them ends it.
 */
const ESCAPES = new RegExp(`\\\\[nrt]|%[0-9A-Fa-f]{2}|${COLOUR}`, "g");

/** Short names for parts of the forms. */
const SHORTHANDS: Record<string, string> = {
	"<W>": "[A-Za-z0-9_-]",
	"<A>": "[A-Za-z0-9]",
	"<H>": "[0-9a-f]",
	"<UUID>": "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
};
/** A form with each of its `SHORTHANDS` replaced. */
const expandShorthands = (text: string): string => text.replace(/<(?:W|A|H|UUID)>/g, (part) => SHORTHANDS[part]!);

/** Kinds that no dash or underscore stands in front of: their beginnings are parts of common names. */
const ALONE = splitWordLines([
	"api-key mail-key mailgun-key generic-key payment-key cal-key launchdarkly-key twilio-key nuget-key private-key",
	"openai-key neon-key crates-token databricks-token vault-token mapbox-token dropbox-token yandex-token md5-hash",
]);

export const TOKEN_FORMS = makeOnce(() =>
	Object.values(forms)
		.flat()
		.map(([kind, startPattern, rest, where = ""]) => {
			const starts = expandShorthands(startPattern!);
			const form = `${ALONE.includes(kind!) ? "(?<![_-])" : ""}(?:${starts})${expandShorthands(rest!)}`;
			return { kind: kind!, starts, form, where, pattern: makeOnce(() => new RegExp(form, "y")) };
		}),
);

/** Left edge of a token: no letter or digit before it. */
const EDGE = "(?<![A-Za-z0-9]|(?<![A-Za-z0-9])pk_)";
/** Also as long as a token, with a digit in it. No stroke: of a path each part must be as long by itself. */
const LONG = "(?=(?=[A-Za-z0-9_$+=.:~%{-]{16})[A-Za-z_$+=.:~%{-]{0,80}[0-9])";

const FORM_GROUPS = makeOnce(() =>
	Object.entries({ anywhere: "", slashed: EDGE, "": EDGE + LONG }).map(([where, edge]) => {
		const own = TOKEN_FORMS().filter((form) => form.where === where);
		// places as long as a token are few, whatever they begin with
		const starts = where === "" ? "" : `(?:${own.map((form) => form.starts).join("|")})`;
		const withHeads = own.map((form) => ({ form, heads: headsOf(form.starts) }));
		const known = new Map<string, typeof own>();
		const formsFor = (twoCharacters: string): typeof own => {
			const mayBegin = (heads: readonly string[]) => heads.some((head) => twoCharacters.startsWith(head));
			const fitting = known.get(twoCharacters) ?? withHeads.flatMap(({ form, heads }) => (mayBegin(heads) ? form : []));
			known.set(twoCharacters, fitting);
			return fitting;
		};
		return { begins: new RegExp(edge + starts, "g"), formsFor };
	}),
);

/** The first characters of each way a form begins, up to two, as far as they are written out; `""` where none is. Some more where it has a group. */
const headsOf = (starts: string): string[] =>
	starts
		.split("|")
		.map((way) => (/^(?:(?:[\w/:~-]|\\[^A-Za-z])(?![?*+{])){0,2}/.exec(way)?.[0] ?? "").replaceAll("\\", ""));
