import { MAX_INJECTED_CHARS } from "../../core/block/budget.ts";
import type { MarkerRule } from "../../core/pressure/pressure.ts";
import { readBytes } from "../json-file.ts";
import { configPath } from "../paths.ts";
import { embeddingsProblem, NO_EMBEDDINGS } from "./embeddings.ts";
import { chosenProfile, type ProfilePlace } from "./profiles.ts";

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
	recovery: { maxChars: 19_000, tellUser: true },
	startup: { maxChars: 4_000 },
	steering: { maxChars: 1_500 },
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
 * the file: the session's, else the project's; `profile` is its name, `null` without one.
 */
export function loadConfig(
	root: string | null,
	place?: ProfilePlace,
): { config: Config; problems: string[]; profile: string | null; unusable?: string } {
	const file = root ? fileObject(configPath(root)) : {};
	const profile = root && place ? chosenProfile(root, place) : null;
	const isUnusable = typeof file === "string";
	const { config, problems } = configured(isUnusable ? {} : file, profile?.config);
	const name = profile?.name ?? null;
	return isUnusable ? { config, problems: [file], profile: name, unusable: file } : { config, problems, profile: name };
}

/** The configuration that the sections of a file and of a profile make, and what of the file does not fit. */
export function configured(file: object, profile: object = {}): { config: Config; problems: string[] } {
	const problems: string[] = [];
	const { version: _, ...sections } = file as Record<string, unknown>;
	const config = withSections(DEFAULT_CONFIG, sections, problems);
	const fault = embeddingsProblem(config.embeddings);
	if (fault) problems.push(`embeddings.${fault}`);
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
		else made[name] = isSection(before) ? withSections(before, value, problems, `${where}.`) : value;
	}
	return made as T;
}

const isSection = (value: unknown): value is object =>
	value !== null && typeof value === "object" && !Array.isArray(value);

/** `usual`: what counts where nothing is set; a value is of its type. */
function problemOf(where: string, usual: unknown, value: unknown): string | null {
	if (usual === undefined) return "unknown key";
	if (isSection(usual)) return isSection(value) ? null : "must be an object";
	if (typeof value !== typeof usual) return `must be a ${typeof usual}`;
	if (typeof value === "number" && !(Number.isFinite(value) && value >= 0)) return "must be 0 or more";
	const check = CHECKS[where];
	return check ? check(value as never) : null;
}

const oneOf =
	(...choices: string[]) =>
	(value: string): string | null =>
		choices.includes(value) ? null : `must be one of ${choices.join(", ")}`;

const between =
	(least: number, most: number) =>
	(value: number): string | null =>
		Number.isInteger(value) && value >= least && value <= most
			? null
			: `must be a whole number from ${least} to ${most}`;

/** What is wrong with a value, beyond its type. */
const CHECKS: Record<string, (value: never) => string | null> = {
	"marker.rule": oneOf("distance", "percent"),
	"guard.mode": oneOf("warn", "enforce", "off"),
	// the recovery block comes in two parts, each one hook's value
	"recovery.maxChars": between(2_000, 2 * MAX_INJECTED_CHARS),
	// a request cut to its length and the closing line always fit
	"steering.maxChars": between(800, MAX_INJECTED_CHARS),
	"startup.maxChars": between(200, MAX_INJECTED_CHARS),
	"nudge.wording": oneOf("facts", "directive", "off"),
};

const VERSION = 1;
/** A hundred times what it needs. */
const MAX_CONFIG_BYTES = 64 * 1024;

/** The file's object, empty when there is no file; a text says what is wrong with it. */
function fileObject(path: string): object | string {
	const file = readBytes(path, { maxBytes: MAX_CONFIG_BYTES });
	if (file.state === "absent") return {};
	if (file.state === "unreadable") return `it can't be read (${file.reason})`;
	let value: unknown;
	try {
		value = JSON.parse(file.text.replace(/^\uFEFF/, ""));
	} catch (error) {
		return `no JSON (${error instanceof Error ? error.message : String(error)})`;
	}
	if (!isSection(value)) return "it holds no object";
	const { version = VERSION } = value as { version?: unknown };
	return version === VERSION ? value : `its version is ${version}, this ccg reads ${VERSION}`;
}
