import type { Range } from "./ranges.ts";
import { TOKEN_FORMS, type TokenForm } from "./token-forms.ts";
import { COLOUR, wrappedEnd } from "./value-at.ts";

/**
 * Tokens known by their form. One pattern holds all forms, tried only where a run of the characters that tokens are made of
 * begins that is as long as a token. Linear: what a form takes without bound ends the match.
 */
export function findTokens(text: string, found: Range[]): void {
	if (!RUN.test(text)) return;
	patterns ??= [compile(true), compile(false)];
	for (const { pattern, kinds } of patterns) {
		pattern.lastIndex = 0;
		for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
			const end = wrappedEnd(text, match.index, pattern.lastIndex);
			const at = match.indexOf(match[0], 1);
			found.push({ start: match.index, end, kind: kinds[at - 1]! });
			pattern.lastIndex = end;
		}
	}
	if (text.includes("eyJ")) findJwts(text, found);
}

const RUN_OF = "[A-Za-z0-9_$+/=.:~%{-]";
const RUN = new RegExp(`${RUN_OF}{16}`);

interface Compiled {
	pattern: RegExp;
	kinds: string[];
}

/** Made when the first text with a run of a token's length is met: what writes no such text does without. */
let patterns: Compiled[] | null = null;

/**
 * Left edge of a token: no letter or digit before it, but an escaped line end (`\n` in JSON), a percent escape or a
 * terminal colour may stand there.
 */
const EDGE = `(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt])|(?<=%[0-9A-Fa-f]{2})|(?<=${COLOUR}))`;

/** Of these not even a dash or an underline stands in front: their beginnings are parts of common names. */
const ALONE = new Set(
	"api-key mail-key mailgun-key generic-key payment-key cal-key launchdarkly-key twilio-key crates-token databricks-token asana-token nuget-key private-key openai-key vault-token mapbox-token dropbox-token password-hash yandex-token neon-key".split(
		" ",
	),
);

function compile(anywhere: boolean): Compiled {
	const of = TOKEN_FORMS.filter((one) => Boolean(one.anywhere) === anywhere);
	const all = of.map(({ kind, form }: TokenForm) => (ALONE.has(kind) ? `((?<![_-])${form})` : `(${form})`)).join("|");
	const pattern = new RegExp(
		anywhere ? `(?:${all})` : `${EDGE}(?=${RUN_OF}{16})(?=[A-Za-z_$+/=.:~%{-]{0,80}[0-9])(?:${all})`,
		"g",
	);
	return { pattern, kinds: of.map(({ kind }) => kind) };
}

const JWT = new RegExp(
	`(?:(?<![A-Za-z0-9_-])|(?<=\\\\[nrt])|(?<=%[0-9A-Fa-f]{2})|(?<=${COLOUR}))eyJ[A-Za-z0-9_-]{10,}(?:\\\\?\\r?\\n[ \\t]*)?\\.(?:\\\\?\\r?\\n[ \\t]*)?[A-Za-z0-9_-]{0,}(?:\\.[A-Za-z0-9_-]*){1,3}`,
	"g",
);

function findJwts(text: string, found: Range[]): void {
	JWT.lastIndex = 0;
	for (let match = JWT.exec(text); match; match = JWT.exec(text)) {
		if (match[0].length < 40) continue;
		const end = wrappedEnd(text, match.index, JWT.lastIndex);
		found.push({ start: match.index, end, kind: "jwt" });
		JWT.lastIndex = end;
	}
}
