import { marker } from "./ranges.ts";

/** The looks at a text and at a name. */
export type RedactionRules = Pick<typeof import("./rules.ts"), "redactByRules" | "trustIn" | "isSecretValue">;

let load = (file = `${import.meta.dirname}/rules.ts`): RedactionRules => require(file);
let loaded: RedactionRules | null = null;

/** Says where an entry's rules lie: beside a hot one, which hardly ever needs them, in the bundle of one that always does. */
export function rulesFrom(loader: () => RedactionRules): void {
	load = loader;
	loaded = null;
}

/** The rules, loaded when a first text comes that may hold a secret; those that keep nothing when they can't be loaded. */
export function rules(): RedactionRules {
	try {
		loaded ??= load();
	} catch {
		loaded = KEEP_NOTHING;
	}
	return loaded;
}

const KEEP_NOTHING: RedactionRules = {
	// a line stays one
	redactByRules: (text) => marker("not-read") + (text.endsWith("\n") ? "\n" : ""),
	trustIn: () => "sure",
	isSecretValue: () => true,
};
