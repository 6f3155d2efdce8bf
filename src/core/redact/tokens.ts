import type { Range } from "./ranges.ts";
import { TOKEN_FORMS, type TokenForm } from "./token-forms.ts";
import { COLOUR, wrappedEnd } from "./value-at.ts";

/**
 * Tokens known by their form. One pattern holds all forms, tried only where a run of the characters that tokens are made of
 * begins that is as long as a token. Linear: what a form takes without bound ends the match.
 */
export function findTokens(text: string, found: Range[]): void {
	const unescaped = withoutEscapes(text);
	looks ??= allLooks();
	const isLong = ANY_LONG.test(unescaped);
	for (const look of looks) {
		if (look.edge === ALONG && !isLong) continue;
		if (look.begins && !look.begins.test(unescaped)) continue;
		look.compiled ??= compile(look);
		collect(unescaped, look.compiled, found);
	}
	if (unescaped.includes("eyJ")) findJwts(unescaped, found);
}

function collect(text: string, { pattern, kinds }: Compiled, found: Range[]): void {
	pattern.lastIndex = 0;
	for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
		const end = wrappedEnd(text, match.index, pattern.lastIndex);
		found.push({ start: match.index, end, kind: kinds[match.indexOf(match[0], 1) - 1]! });
		pattern.lastIndex = end;
	}
}

/** No stroke: of a path each part must be as long by itself. */
const RUN_OF = "[A-Za-z0-9_$+=.:~%{-]";
/** As long as a token, with a digit in it. */
const LONG = `(?=${RUN_OF}{16})[A-Za-z_$+=.:~%{-]{0,80}[0-9]`;

interface Compiled {
	pattern: RegExp;
	kinds: string[];
}

interface TokenLook {
	forms: readonly TokenForm[];
	/** What must stand at a token's left. */
	edge: string;
	/** Finds what tokens begin with; `null` where they begin with nothing of their own. */
	begins: RegExp | null;
	/** Made when a beginning is met: the whole pattern costs more than all looks at a session's texts. */
	compiled?: Compiled;
}
let looks: TokenLook[] | null = null;

const isShape = ({ starts, kind }: TokenForm): boolean =>
	/^\(\?<?!|^\[|^\(\?:\[/.test(starts) || kind === "generic-key";

function allLooks(): TokenLook[] {
	const of = (where: TokenForm["where"], shape: boolean): TokenForm[] =>
		TOKEN_FORMS.filter((one) => one.where === where && (where !== undefined || isShape(one) === shape));
	const starts = (forms: readonly TokenForm[]): string => [...new Set(forms.map((one) => one.starts))].join("|");
	return [
		{ forms: of("anywhere", false), edge: "", begins: new RegExp(starts(of("anywhere", false))) },
		{ forms: of("slashed", false), edge: EDGE, begins: new RegExp(starts(of("slashed", false))) },
		{ forms: of(undefined, false), edge: ALONG, begins: new RegExp(`${ALONG}(?:${starts(of(undefined, false))})`) },
		{ forms: of(undefined, true), edge: ALONG, begins: null },
	];
}

/** Left edge of a token: no letter or digit before it. */
const EDGE = "(?<![A-Za-z0-9])";
const ALONG = `${EDGE}(?=${LONG})`;
const ANY_LONG = new RegExp(ALONG);

/**
 * The same text, as long, with blanks for escaped line ends (`\n` in JSON), percent escapes and terminal colours: the letters in
 * them would stand at a token's left edge. What a token holds of them ends it.
 */
function withoutEscapes(text: string): string {
	if (!text.includes("\\") && !text.includes("%") && !text.includes(ESC)) return text;
	return text.replace(ESCAPES, (found) => " ".repeat(found.length));
}
const ESC = String.fromCharCode(27);
const ESCAPES = new RegExp(`\\\\[nrt]|%[0-9A-Fa-f]{2}|${COLOUR}`, "g");

/** Of these not even a dash or an underline stands in front: their beginnings are parts of common names. */
const ALONE = new Set(
	"api-key mail-key mailgun-key generic-key payment-key cal-key launchdarkly-key twilio-key crates-token databricks-token nuget-key private-key openai-key vault-token mapbox-token dropbox-token md5-hash yandex-token neon-key".split(
		" ",
	),
);

function compile({ forms, edge }: TokenLook): Compiled {
	const all = forms.map(({ kind, form }) => (ALONE.has(kind) ? `((?<![_-])${form})` : `(${form})`)).join("|");
	return { pattern: new RegExp(`${edge}(?:${all})`, "g"), kinds: forms.map(({ kind }) => kind) };
}

const JWT =
	/(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}(?:\\?\r?\n[ \t]*)?\.(?:\\?\r?\n[ \t]*)?[A-Za-z0-9_-]{0,}(?:\.[A-Za-z0-9_-]*){1,3}/g;

function findJwts(text: string, found: Range[]): void {
	JWT.lastIndex = 0;
	for (let match = JWT.exec(text); match; match = JWT.exec(text)) {
		if (match[0].length < 40) continue;
		const end = wrappedEnd(text, match.index, JWT.lastIndex);
		found.push({ start: match.index, end, kind: "jwt" });
		JWT.lastIndex = end;
	}
}
