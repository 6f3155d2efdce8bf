import { basename } from "node:path";
import { MAX_INJECTED_CHARS } from "../../core/block/budget.ts";
import type { MarkerRule } from "../../core/pressure/pressure.ts";
import { isObject } from "../../core/transcript/decode.ts";
import { namesIn } from "../../files/names-in.ts";
import { whyOf } from "../../files/system-failure.ts";
import { readObject } from "../json-file.ts";
import { configPath, profilesFolder } from "../paths.ts";
import {
	BUILT_IN,
	chosenProfile,
	isProfileName,
	type Profile,
	type ProfilePlace,
	profilePath,
	readProfile,
} from "./profiles.ts";

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
	recovery: { maxChars: MAX_INJECTED_CHARS, tellUser: true },
	startup: { maxChars: 1_500 },
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

/**
 * The configuration, and what in the file does not fit. The file is its owner's: it is read through a link, never
 * quarantined, never written. `unusable` says why none of it counts. With a place the profile chosen there counts over
 * the file: the session's, else the project's.
 */
export function loadConfig(
	root: string | null,
	place?: ProfilePlace,
): { config: Config; problems: string[]; unusable?: string } {
	const file = (root && readObject(configPath(root))) || {};
	const chosen = root && place ? chosenProfile(root, place) : null;
	if (typeof file !== "string") return makeConfig(file, chosen?.config);
	return { config: makeConfig({}, chosen?.config).config, problems: [file], unusable: file };
}

/** The configuration that the sections of a file and of a profile make, and what of the file does not fit. */
export function makeConfig(file: object, profile: object = {}): { config: Config; problems: string[] } {
	const problems: string[] = [];
	const config = withSections(DEFAULT_CONFIG, file, problems);
	const { url, model } = config.embeddings;
	if (url && !model) problems.push("embeddings.model: must name the model the endpoint has");
	// with a key left out, text could go where nobody meant it to
	const embeddings = problems.some((one) => one.startsWith("embeddings")) ? NO_EMBEDDINGS : config.embeddings;
	const whole = { ...withSections(config, profile, []), embeddings };
	const { warn, compress, critical } = whole.task;
	if (warn <= compress && compress <= critical && critical <= 1) return { config: whole, problems };
	problems.push("task: warn, compress and critical must rise from 0 to 1");
	return { config: { ...whole, task: DEFAULT_CONFIG.task }, problems };
}

/** A copy with sections put over it; what does not fit is told and left out. */
function withSections<T extends object>(usual: T, sections: object, problems: string[], above = ""): T {
	const made = { ...usual } as Record<string, unknown>;
	for (const [name, value] of Object.entries(sections)) {
		const where = above + name;
		const before = Object.hasOwn(made, name) ? made[name] : undefined;
		const problem = problemOf(where, before, value);
		if (problem) problems.push(`${where}: ${problem}`);
		else made[name] = isObject(before) ? withSections(before, value, problems, `${where}.`) : value;
	}
	return made as T;
}

/** `usual`: what counts where nothing is set; a value is of its type. */
function problemOf(where: string, usual: unknown, value: unknown): string | null {
	if (usual === undefined) return "unknown key";
	if (isObject(usual)) return isObject(value) ? null : "must be an object";
	if (typeof value !== typeof usual) return `must be a ${typeof usual}`;
	if (typeof value === "number" && !(Number.isFinite(value) && value >= 0)) return "must be 0 or more";
	const check = CHECKS[where];
	return check ? check(value as never) : null;
}

const oneOf =
	(...choices: string[]) =>
	(value: string): string | null =>
		choices.includes(value) ? null : `must be one of ${choices.join(", ")}`;

const wholeBetween =
	(least: number, most: number) =>
	(value: number): string | null =>
		Number.isInteger(value) && value >= least && value <= most
			? null
			: `must be a whole number from ${least} to ${most}`;

/** What is wrong with a value, beyond its type. */
const CHECKS: Record<string, (value: never) => string | null> = {
	"marker.rule": oneOf("distance", "percent"),
	"guard.mode": oneOf("warn", "enforce", "off"),
	"recovery.maxChars": wholeBetween(2_000, MAX_INJECTED_CHARS),
	"steering.maxChars": wholeBetween(800, MAX_INJECTED_CHARS),
	"startup.maxChars": wholeBetween(200, MAX_INJECTED_CHARS),
	"nudge.wording": oneOf("facts", "directive", "off"),
	"embeddings.url": urlProblem,
	"embeddings.model": (model) =>
		/^[^\p{C}]{0,200}$/u.test(model) ? null : "must have at most 200 characters, on one line",
	"embeddings.keyEnv": (name) =>
		/^(?:[A-Za-z_][A-Za-z0-9_]{0,99})?$/.test(name)
			? null
			: "must be the name of an environment variable, not the key itself",
};

export const hasEndpoint = ({ url }: Config["embeddings"]): boolean => url !== "";

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

/** Where the text goes: the host, and whether that is another machine. */
export function hostOf({ url }: Config["embeddings"]): { host: string; isElsewhere: boolean } | null {
	const parsed = url ? URL.parse(url) : null;
	return parsed && { host: parsed.host, isElsewhere: !isLoopback(parsed.hostname) };
}

/** A profile that fits; throws with every key that does not, or with why there is none. */
export function loadProfile(root: string, name: string): Profile {
	if (!isProfileName(name)) throw new Error(`'${name}' is no name for a profile: letters, digits, _ and -, at most 40`);
	const profile = readProfile(root, name);
	if (typeof profile === "string") throw new Error(profile);
	const { source, config } = profile;
	const problems = "embeddings" in config ? ["embeddings: only config.json may say where text is sent"] : [];
	problems.push(...makeConfig(config).problems);
	if (problems.length > 0) throw new Error(`profile ${source}: ${problems.join("; ")}`);
	return profile;
}

/** All profiles: the store's and the built-in ones, by name. What is wrong with one stands in `problem`. */
export function listProfiles(root: string): (Profile & { problem?: string })[] {
	const own = namesIn(profilesFolder(root)).flatMap((file) => {
		const name = basename(file, ".json");
		return name !== file && isProfileName(name) ? name : [];
	});
	const names = [...new Set([...Object.keys(BUILT_IN), ...own])].sort();
	return names.map((name) => {
		try {
			return loadProfile(root, name);
		} catch (error) {
			return { name, description: "", source: profilePath(root, name), config: {}, problem: whyOf(error) };
		}
	});
}
