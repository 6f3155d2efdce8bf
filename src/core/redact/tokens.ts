import { once } from "./patterns.ts";
import type { Range } from "./ranges.ts";
import forms from "./token-forms.json";
import { COLOUR, wrappedEnd } from "./value-at.ts";

/**
 * Tokens known by their form: `token-forms.json` has of each its kind, what it begins with, what follows and where it may stand
 * (`anywhere`: right behind letters too; `slashed`: with a stroke early in it, as a path has). Forms of one edge are tried together,
 * where one of their beginnings is met. Linear: what a form takes without bound ends the match. Lengths are lower bounds below the
 * real ones, because a text may be cut.
 */
export function findTokens(text: string, found: Range[]): void {
	const unescaped = text.replace(ESCAPES, ({ length }) => " ".repeat(length));
	for (const look of LOOKS()) {
		if (!look.begins.test(unescaped)) continue;
		look.pattern ??= new RegExp(`${look.edge}(?:${look.forms.map(({ form }) => `(${form})`).join("|")})`, "g");
		eachToken(look.pattern, unescaped, found, look.forms);
	}
}

/** Adds each token that the pattern finds, to the end of the lines that it is wrapped over. */
function eachToken(pattern: RegExp, text: string, found: Range[], forms: readonly { kind: string }[]): void {
	pattern.lastIndex = 0;
	for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
		const end = wrappedEnd(text, match.index, pattern.lastIndex);
		found.push({ start: match.index, end, kind: forms[match.indexOf(match[0], 1) - 1]!.kind });
		pattern.lastIndex = end;
	}
}

/**
 * What is blank for this look: escaped line ends (`\n` in JSON), percent escapes and terminal colours. The letters in them would
 * stand at a token's left edge. What a token holds of them ends it.
 */
const ESCAPES = new RegExp(`\\\\[nrt]|%[0-9A-Fa-f]{2}|${COLOUR}`, "g");

/** Stand for these in the forms. */
const PARTS: Record<string, string> = {
	"<W>": "[A-Za-z0-9_-]",
	"<A>": "[A-Za-z0-9]",
	"<H>": "[0-9a-f]",
	"<UUID>": "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
};
const expandForm = (text: string): string => text.replace(/<(?:W|A|H|UUID)>/g, (part) => PARTS[part]!);

/** Of these not even a dash or an underline stands in front: their beginnings are parts of common names. */
const ALONE =
	/^(?:(?:api|mail|mailgun|generic|payment|cal|launchdarkly|twilio|nuget|private|openai|neon)-key|(?:crates|databricks|vault|mapbox|dropbox|yandex)-token|md5-hash)$/;

export const TOKEN_FORMS = once(() =>
	Object.values(forms)
		.flat()
		.map(([kind, starts, rest, where = ""]) => ({
			kind: kind!,
			starts: expandForm(starts!),
			form: `${ALONE.test(kind!) ? "(?<![_-])" : ""}(?:${expandForm(starts!)})${expandForm(rest!)}`,
			where,
		})),
);

/** Left edge of a token: no letter or digit before it. */
const EDGE = "(?<![A-Za-z0-9]|(?<![A-Za-z0-9])pk_)";
/** Also as long as a token, with a digit in it. No stroke: of a path each part must be as long by itself. */
const LONG = "(?=(?=[A-Za-z0-9_$+=.:~%{-]{16})[A-Za-z_$+=.:~%{-]{0,80}[0-9])";

const LOOKS = once(() =>
	Object.entries({ anywhere: "", slashed: EDGE, "": EDGE + LONG }).map(([where, edge]) => {
		const own = TOKEN_FORMS().filter((form) => form.where === where);
		const begins = new RegExp(`${edge}(?:${[...new Set(own.map(({ starts }) => starts))].join("|")})`);
		// the pattern is made when a beginning is met: it costs more than all looks at a session's texts
		return { edge, forms: own, begins, pattern: undefined as RegExp | undefined };
	}),
);
