import { redactionMarker } from "./ranges.ts";

/** What the rest of the program calls of the rules. */
export type RedactionRules = Pick<typeof import("./rules.ts"), "redactByRules" | "secretCertainty" | "isSecretValue">;

// a bundle of its own, by a path that the bundler does not see through
let load = (file = `${import.meta.dirname}/rules`): RedactionRules => require(file);
let loaded: RedactionRules | null = null;

/** Takes the rules from elsewhere than the bundle. */
export function setRulesLoader(loader: () => RedactionRules): void {
	load = loader;
	loaded = null;
}

/** The rules, loaded at the first call. Where they can't be loaded, rules that redact everything. */
export function loadRules(): RedactionRules {
	try {
		loaded ??= load();
	} catch {
		loaded = REDACT_ALL;
	}
	return loaded;
}

const REDACT_ALL: RedactionRules = {
	// a line stays one
	redactByRules: (text) => redactionMarker("not-read") + (text.endsWith("\n") ? "\n" : ""),
	secretCertainty: () => "sure",
	isSecretValue: () => true,
};
