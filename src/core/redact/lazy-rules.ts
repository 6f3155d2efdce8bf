let loaded: typeof import("./rules.ts") | null = null;

/** The rules, loaded when a first text comes that may hold a secret. Not imported: start-up is the cost of a hot entry, and what it writes is plain. */
export function rules(): typeof import("./rules.ts") {
	loaded ??= require("./rules.ts") as typeof import("./rules.ts");
	return loaded;
}
