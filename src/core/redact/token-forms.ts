import forms from "./token-forms.json";

/** A token known by its form. `form` begins where the token does; what comes before it is not of the token. */
export interface TokenForm {
	kind: string;
	/** What the token begins with, all of them: one look finds which forms are worth a try. */
	starts: string;
	form: string;
	/** `anywhere`: may stand right behind letters or digits. `slashed`: may have a stroke early in it, which a path has too. */
	where?: "anywhere" | "slashed";
}

/** Stand for these in the forms. */
const PARTS: Record<string, string> = {
	"<W>": "[A-Za-z0-9_-]",
	"<A>": "[A-Za-z0-9]",
	"<H>": "[0-9a-f]",
	"<UUID>": "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
};
const whole = (text: string): string => text.replace(/<(?:W|A|H|UUID)>/g, (part) => PARTS[part]!);

/**
 * The providers' own forms, from their documentation of tokens and of secret scanning: of each its kind, its beginnings, what follows
 * them and where it may stand. Lengths are lower bounds below the real ones, because a text may be cut: what begins like a token and
 * goes on like one is one. Tokens of letters alone are "slashed", since the others are looked for where a digit stands.
 */
export const TOKEN_FORMS: readonly TokenForm[] = Object.values(forms)
	.flat()
	.map(([kind, starts, rest, where]) => ({
		kind: kind!,
		starts: whole(starts!),
		form: `(?:${whole(starts!)})${whole(rest!)}`,
		...(where && { where: where as "anywhere" | "slashed" }),
	}));
