import { makeOnce } from "./patterns.ts";
import type { Range } from "./ranges.ts";
import forms from "./token-forms.json";
import { COLOUR, endOfWrappedValue } from "./value-at.ts";

/**
 * Tokens known by their form: `token-forms.json` has of each its kind, what it begins with, what follows and where it may stand
 * (`anywhere`: right behind letters too; `slashed`: with a stroke early in it, as a path has). Forms of one edge are tried together,
 * where one of their beginnings is met. Linear: what a form takes without bound ends the match. Lengths are lower bounds below the
 * real ones, because a text may be cut.
 */
export function findTokens(text: string, found: Range[]): void {
	const unescaped = text.replace(ESCAPES, ({ length }) => " ".repeat(length));
	for (const group of FORM_GROUPS()) {
		if (!group.begins.test(unescaped)) continue;
		group.pattern ??= new RegExp(`${group.edge}(?:${group.forms.map(({ form }) => `(${form})`).join("|")})`, "g");
		addTokens(group.pattern, unescaped, found, group.forms);
	}
}

/** Adds each token that the pattern of these forms finds, to the end of the lines that it is wrapped over. */
function addTokens(pattern: RegExp, text: string, found: Range[], forms: readonly { kind: string }[]): void {
	pattern.lastIndex = 0;
	for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
		const end = endOfWrappedValue(text, match.index, pattern.lastIndex);
		// the group that matched tells the form
		found.push({ start: match.index, end, kind: forms[match.indexOf(match[0], 1) - 1]!.kind });
		pattern.lastIndex = end;
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
const ALONE =
	/^(?:(?:api|mail|mailgun|generic|payment|cal|launchdarkly|twilio|nuget|private|openai|neon)-key|(?:crates|databricks|vault|mapbox|dropbox|yandex)-token|md5-hash)$/;

export const TOKEN_FORMS = makeOnce(() =>
	Object.values(forms)
		.flat()
		.map(([kind, starts, rest, where = ""]) => ({
			kind: kind!,
			starts: expandShorthands(starts!),
			form: `${ALONE.test(kind!) ? "(?<![_-])" : ""}(?:${expandShorthands(starts!)})${expandShorthands(rest!)}`,
			where,
		})),
);

/** Left edge of a token: no letter or digit before it. */
const EDGE = "(?<![A-Za-z0-9]|(?<![A-Za-z0-9])pk_)";
/** Also as long as a token, with a digit in it. No stroke: of a path each part must be as long by itself. */
const LONG = "(?=(?=[A-Za-z0-9_$+=.:~%{-]{16})[A-Za-z_$+=.:~%{-]{0,80}[0-9])";

const FORM_GROUPS = makeOnce(() =>
	Object.entries({ anywhere: "", slashed: EDGE, "": EDGE + LONG }).map(([where, edge]) => {
		const own = TOKEN_FORMS().filter((form) => form.where === where);
		const begins = new RegExp(`${edge}(?:${[...new Set(own.map(({ starts }) => starts))].join("|")})`);
		// the pattern is made when a beginning is met, since that is costly
		return { edge, forms: own, begins, pattern: undefined as RegExp | undefined };
	}),
);
