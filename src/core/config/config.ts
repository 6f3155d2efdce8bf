import type { MarkerRule } from "../pressure/pressure.ts";
import { isObject } from "../transcript/decode.ts";

/** The most characters that a hook may give: Claude Code replaces more than 10,000 by a preview. */
export const MAX_INJECTED_CHARS = 9_500;

/**
 * Semantic search is off as long as `url` is not set: an OpenAI-compatible endpoint, such as `http://127.0.0.1:11434/v1`. `keyEnv` is the
 * environment variable that holds the key; never the key itself.
 */
export const NO_EMBEDDINGS = { url: "", model: "", keyEnv: "" };

/** `config.json`: what each key is for stands in docs/reference.md. A value that does not fit counts as missing (`ccg doctor` names it). */
export const DEFAULT_CONFIG = {
	marker: {
		rule: "distance" as MarkerRule["rule"],
		headroomTokens: 37_000,
		minUsedShare: 0.4,
		percent: 65,
		staleMinutes: 30,
	},
	nudge: { wording: "facts" },
	moment: "status",
	recovery: { maxChars: MAX_INJECTED_CHARS, tellUser: true },
	startup: { maxChars: 1_500 },
	statusLine: { cacheClock: false },
	steering: { maxChars: 6_000 },
	workspaceFile: { enabled: false, freshMinutes: 10 },
	task: { warn: 0.55, compress: 0.7, critical: 0.85 },
	guard: { mode: "warn" },
	search: { enabled: true },
	embeddings: NO_EMBEDDINGS,
	checkpoints: { usageShare: 0.75, waveAgents: 1, phases: true, minutes: 30, freshHours: 24 },
	retention: { enabled: true, maxAgeDays: 90, maxCheckpoints: 20 },
};

export type Config = typeof DEFAULT_CONFIG;

/** Makes the configuration: the defaults, over them the sections of the file, over these the profile's. Gives the file's problems too. */
export function makeConfig(file: object, profile: object = {}): { config: Config; problems: string[] } {
	const problems: string[] = [];
	const config = mergeSections(DEFAULT_CONFIG, file, problems);
	const { url, model } = config.embeddings;
	if (url && !model) problems.push("embeddings.model: must name the model the endpoint has");
	// with a key left out, text could go where nobody meant it to
	const embeddings = problems.some((one) => one.startsWith("embeddings")) ? NO_EMBEDDINGS : config.embeddings;
	const merged = { ...mergeSections(config, profile, []), embeddings };
	const { warn, compress, critical } = merged.task;
	if (warn <= compress && compress <= critical && critical <= 1) return { config: merged, problems };
	problems.push("task: warn, compress and critical must rise from 0 to 1");
	return { config: { ...merged, task: DEFAULT_CONFIG.task }, problems };
}

/** A copy of the defaults with the values of `sections` in it, at any depth; a value that does not fit is left out and added to `problems`. */
function mergeSections<T extends object>(defaults: T, sections: object, problems: string[], parentPath = ""): T {
	const merged = { ...defaults } as Record<string, unknown>;
	for (const [name, value] of Object.entries(sections)) {
		const path = parentPath + name;
		const current = Object.hasOwn(merged, name) ? merged[name] : undefined;
		const problem = valueProblem(path, current, value);
		if (problem) problems.push(`${path}: ${problem}`);
		else merged[name] = isObject(current) ? mergeSections(current, value, problems, `${path}.`) : value;
	}
	return merged as T;
}

/** Why a value can't stand at `path` in the configuration, in words, or `null`; `current`: the value it replaces, whose type it must have. */
function valueProblem(path: string, current: unknown, value: unknown): string | null {
	if (current === undefined) return "unknown key";
	if (isObject(current)) return isObject(value) ? null : "must be an object";
	if (typeof value !== typeof current) return `must be a ${typeof current}`;
	if (typeof value === "number" && !(Number.isFinite(value) && value >= 0)) return "must be 0 or more";
	const check = CHECKS[path];
	return check ? check(value as never) : null;
}
/** Makes a check that a value is one of these. */
const oneOf =
	(...choices: string[]) =>
	(value: string): string | null =>
		choices.includes(value) ? null : `must be one of ${choices.join(", ")}`;
/** Makes a check that a value is a whole number within these bounds. */
const wholeBetween =
	(least: number, most: number) =>
	(value: number): string | null =>
		Number.isInteger(value) && value >= least && value <= most
			? null
			: `must be a whole number from ${least} to ${most}`;

/** Checks of values beyond their type, by path: each gives the problem in words, or `null`. */
const CHECKS: Record<string, (value: never) => string | null> = {
	"marker.rule": oneOf("distance", "percent"),
	"guard.mode": oneOf("warn", "enforce", "off"),
	"recovery.maxChars": wholeBetween(2_000, MAX_INJECTED_CHARS),
	"steering.maxChars": wholeBetween(800, MAX_INJECTED_CHARS),
	"startup.maxChars": wholeBetween(200, MAX_INJECTED_CHARS),
	moment: oneOf("status", "agent", "auto"),
	"nudge.wording": oneOf("facts", "directive", "off"),
	"embeddings.url": urlProblem,
	"embeddings.model": (model) =>
		/^[^\p{C}]{0,200}$/u.test(model) ? null : "must have at most 200 characters, on one line",
	"embeddings.keyEnv": (name) =>
		/^(?:[A-Za-z_][A-Za-z0-9_]{0,99})?$/.test(name)
			? null
			: "must be the name of an environment variable, not the key itself",
};
/** Whether semantic search is on: the configuration names an endpoint. */
export const hasEndpoint = ({ url }: Config["embeddings"]): boolean => url !== "";
/** Why a URL can't be the endpoint for embeddings, in words; `null` where it can or is empty. */
function urlProblem(text: string): string | null {
	if (text === "") return null;
	const url = URL.parse(text);
	if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) return "must begin with http:// or https://";
	if (url.username || url.password) return "must hold no name and no password; keyEnv names where the key stands";
	if (url.search || url.hash) return "must end with its path, as in http://127.0.0.1:11434/v1";
	if (url.protocol === "http:" && !isLoopback(url.hostname))
		return `http to ${url.hostname} would send your sessions' text unencrypted; use https, or an endpoint on this machine`;
	return null;
}

/** Whether a host is this machine by its very name: no name server is asked. */
const isLoopback = (host: string): boolean =>
	host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);

/** The host that texts for semantic search are sent to, and whether it is another machine; `null` where it is off. */
export function embeddingsHost({ url }: Config["embeddings"]): { host: string; isElsewhere: boolean } | null {
	const parsed = url ? URL.parse(url) : null;
	return parsed && { host: parsed.host, isElsewhere: !isLoopback(parsed.hostname) };
}

/** A profile as its author wrote it. */
export interface Profile {
	name: string;
	description: string;
	/** The file it stands in; `built-in` for one of ccg's own. */
	source: string;
	/** Sections of the configuration. */
	config: Record<string, unknown>;
}

/** Profiles that are always there; a file of the same name takes their place. */
export const BUILT_IN: Record<string, { description: string; config: Record<string, unknown> }> = {
	default: { description: "config.json as it is", config: {} },
	careful: {
		description: "earlier and firmer nudges, a shorter steering text, changes held back at critical pressure",
		config: {
			marker: { rule: "distance", headroomTokens: 60_000, minUsedShare: 0.3 },
			nudge: { wording: "directive" },
			steering: { maxChars: 2_500 },
			guard: { mode: "enforce" },
		},
	},
	quiet: {
		description:
			"no nudge, no halt gate, no line after a compaction, little at a start; checkpoints and recovery go on",
		config: {
			nudge: { wording: "off" },
			recovery: { tellUser: false },
			startup: { maxChars: 1_000 },
			guard: { mode: "off" },
			workspaceFile: { enabled: false },
		},
	},
};

/** Whether a value may be a profile's name, and so the name of its file. */
export const isProfileName = (name: unknown): name is string =>
	typeof name === "string" && /^[A-Za-z0-9_-]{1,40}$/.test(name);
