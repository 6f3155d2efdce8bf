import { Draw } from "./draw.ts";
import alike from "./look-alikes.json";
import corpus from "./secrets.json";

/** A text as it comes up in a session, and what of it must not be kept. */
export interface SecretCase {
	/** What kind of secret in what kind of text. */
	kind: string;
	text: string;
	/** Each of these is gone when the text was redacted. */
	secrets: string[];
}

/**
 * `contexts`: what the rules were made with. `held out` and `held out again`: written after the rules were done, with other
 * providers, programs, languages and wording, and measured before any rule was changed for them. `sayings`: sentences.
 */
export type Section = "contexts" | "held out" | "held out again" | "sayings";
export const SECTIONS: Section[] = ["contexts", "held out", "held out again", "sayings"];

/** Values given to a name or told in a phrase: rows of a kind, the value and the text with the value as `{v}`. */
export function secretCases(section: Section, seed: number): SecretCase[] {
	const draw = new Draw(seed);
	return corpus[section].map(([kind, value, text]) => made(kind!, draw.filled(value!), draw.filled(text!)));
}

export const contextCases = (seed: number): SecretCase[] => secretCases("contexts", seed);

/** Tokens by their form, each in two of the places that a text has for one. */
export function tokenCases(seed: number): SecretCase[] {
	const draw = new Draw(seed);
	const { places } = corpus;
	return corpus.tokens.flatMap(([name, form], i) =>
		[i, i + 7].map((n) => {
			const [place, text] = places[n % places.length]!;
			return made(`token: ${name}, ${place}`, draw.filled(form!), draw.filled(text!));
		}),
	);
}

export type AlikeSection = keyof typeof alike;
/** Texts that only look like one: they stay as they are. */
export const lookAlikes = (section: AlikeSection, seed: number): string[] => {
	const draw = new Draw(seed);
	return alike[section].map((text) => draw.filled(text));
};

/** What is between `‹name:` and `›`, encoded so. */
const ENCODE: Record<string, (text: string) => string> = {
	url: encodeURIComponent,
	base64: (text) => Buffer.from(text).toString("base64"),
	hex: (text) => Buffer.from(text).toString("hex"),
};

/** The value where it stands in the text; of one that is encoded with what is round it the middle: where it begins depends on that. */
function made(kind: string, value: string, template: string): SecretCase {
	const plain = encoded(value);
	const text = encoded(template.replaceAll("{v}", plain));
	const forms = [plain, encodeURIComponent(plain), encodeURIComponent(encodeURIComponent(plain))];
	const found = forms.find((form) => text.includes(form));
	const coded = /‹(?:base64|hex):[^‹›]*›/.exec(template.replaceAll("{v}", plain))?.[0];
	return { kind, text, secrets: [found ?? encoded(coded!).slice(20, -8)] };
}

function encoded(text: string): string {
	const next = text.replace(/‹(\w+):([^‹›]*)›/g, (_, name: string, inner: string) => ENCODE[name]!(inner));
	return next === text ? text : encoded(next);
}
