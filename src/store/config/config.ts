import { MAX_INJECTED_CHARS } from "../../core/block/budget.ts";
import type { MarkerRule, Thresholds } from "../../core/pressure/pressure.ts";
import { readBytes } from "../json-file.ts";
import { configPath } from "../paths.ts";
import { type EmbeddingsConfig, embeddingsProblem, NO_EMBEDDINGS } from "./embeddings.ts";
import { chosenProfile, type ProfilePlace } from "./profiles.ts";

/** `config.json`. Every key has a default; a key of the wrong type counts as missing (`ccg doctor` names it). */
export interface Config {
	marker: MarkerRule & { staleMinutes: number };
	nudge: {
		/** `facts`, `directive`, or `off` for none. */
		wording: string;
	};
	recovery: {
		maxChars: number;
		/** Tells the user after a compaction what was lost and what came back: a line, and a part of the status line. */
		tellUser: boolean;
	};
	startup: { maxChars: number };
	steering: { maxChars: number };
	/** The checkpoint in the workspace as well; it may end up in packages and archives made there. */
	workspaceFile: { enabled: boolean; freshMinutes: number };
	/** Shares of the way to compaction at which a task's pressure is a warning, needs a fresh summary, is critical. */
	task: Thresholds;
	guard: {
		/** At critical pressure: `warn` tells the user once a cycle, `enforce` holds changes back, `off` does neither. */
		mode: string;
	};
	/** The search index for `ccg recall`. */
	search: { enabled: boolean };
	/** Semantic search; no profile may set it: it decides where text goes. */
	embeddings: EmbeddingsConfig;
	/** What takes checkpoints by itself beside a compaction; 0 and `false` switch a trigger off. */
	checkpoints: {
		/** Share of the way to compaction. */
		usageShare: number;
		/** Subagents that make a wave. */
		waveAgents: number;
		phases: boolean;
		/** Without a checkpoint. */
		minutes: number;
		/** A checkpoint that is older is told as stale. */
		freshHours: number;
	};
	/** What `ccg gc` keeps; `enabled`: whether it runs by itself, once a day at a session's start. */
	retention: Retention & { enabled: boolean };
}

/** What is kept; `ccg gc` deletes the rest. */
export interface Retention {
	/** Sessions, checkpoints, damaged files and rotated logs nobody touched for longer go. */
	maxAgeDays: number;
	/** Of each session, the newest, each with its report. */
	maxCheckpoints: number;
}

export const DEFAULT_CONFIG: Config = {
	marker: { rule: "distance", headroomTokens: 37_000, minUsedShare: 0.4, percent: 65, staleMinutes: 30 },
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

/**
 * The configuration, and what in the file does not fit. The file is its owner's: it is read through a link, never
 * quarantined, never written. `unusable` says why none of it counts. With a place the profile chosen there counts over
 * the file: the session's, else the project's; `profile` is its name, `null` without one.
 */
export function loadConfig(
	root: string | null,
	place?: ProfilePlace,
): { config: Config; problems: string[]; profile: string | null; unusable?: string } {
	const problems: string[] = [];
	const config = defaults();
	const file = root ? fileObject(configPath(root)) : {};
	const unusable = typeof file === "string" ? file : undefined;
	if (typeof file === "string") problems.push(file);
	else {
		const { version: _, ...sections } = file;
		takeSections(config, sections, problems);
	}
	const fault = embeddingsProblem(config.embeddings);
	// with a key left out, text could go where nobody meant it to
	if (fault || problems.some((one) => one.startsWith("embeddings"))) config.embeddings = { ...NO_EMBEDDINGS };
	if (fault) problems.push(`embeddings.${fault}`);
	const profile = root && place ? chosenProfile(root, place) : null;
	if (profile) takeSections(config, withoutEmbeddings(profile.config), []);
	for (const section of ["recovery", "steering", "startup"] as const)
		config[section].maxChars = withinBounds(section, config[section].maxChars, problems);
	const { warn, compress, critical } = config.task;
	if (!(warn <= compress && compress <= critical && critical <= 1)) {
		problems.push("task: warn, compress and critical must rise from 0 to 1");
		config.task = { ...DEFAULT_CONFIG.task };
	}
	return { config, problems, profile: profile?.name ?? null, ...(unusable ? { unusable } : {}) };
}

/** Where text goes is said in config.json alone. */
function withoutEmbeddings({ embeddings: _, ...sections }: Record<string, unknown>): Record<string, unknown> {
	return sections;
}

/** The fewest characters of a part: of the steering, a request cut to its length and the closing line always fit. */
const LEAST_CHARS = { recovery: 2_000, steering: 800, startup: 200 };
/** The most: the recovery block comes in two parts, each one hook's value. */
const MOST_CHARS = { recovery: 2 * MAX_INJECTED_CHARS, steering: MAX_INJECTED_CHARS, startup: MAX_INJECTED_CHARS };

function withinBounds(section: keyof typeof LEAST_CHARS, chars: number, problems: string[]): number {
	const least = LEAST_CHARS[section];
	const most = MOST_CHARS[section];
	const counts = Math.max(least, Math.min(most, chars));
	if (counts !== chars)
		problems.push(`${section}.maxChars: ${chars} is out of bounds (${least} to ${most}); ${counts} counts`);
	return counts;
}

/** Puts the sections of a file or a profile over a configuration; what does not fit is told and left out. */
export function takeSections(config: object, sections: Record<string, unknown>, problems: string[], above = ""): void {
	const target = config as Record<string, unknown>;
	for (const [name, value] of Object.entries(sections)) {
		const where = above + name;
		const usual = Object.hasOwn(target, name) ? target[name] : undefined;
		const problem = problemOf(where, usual, value);
		if (problem) problems.push(`${where}: ${problem}`);
		else if (isSection(usual)) takeSections(usual, value as Record<string, unknown>, problems, `${where}.`);
		else target[name] = value;
	}
}

const isSection = (value: unknown): value is object =>
	value !== null && typeof value === "object" && !Array.isArray(value);

/** `usual`: what counts where nothing is set; a value is of its type. */
function problemOf(where: string, usual: unknown, value: unknown): string | null {
	if (usual === undefined) return "unknown key";
	if (isSection(usual)) return isSection(value) ? null : "must be an object";
	if (typeof value !== typeof usual) return `must be a ${typeof usual}`;
	if (typeof value === "number" && !(Number.isFinite(value) && value >= 0)) return "must be 0 or more";
	const choices = CHOICES[where];
	return choices && !choices.includes(value as string) ? `must be one of ${choices.join(", ")}` : null;
}

const CHOICES: Record<string, string[]> = {
	"marker.rule": ["distance", "percent"],
	"guard.mode": ["warn", "enforce", "off"],
	"nudge.wording": ["facts", "directive", "off"],
};

/** A copy; `structuredClone` takes a tenth of a millisecond at its first call. */
function defaults(): Config {
	const sections = Object.entries(DEFAULT_CONFIG).map(([name, values]) => [name, { ...values }]);
	return Object.fromEntries(sections) as Config;
}

const VERSION = 1;
/** A hundred times what it needs. */
const MAX_CONFIG_BYTES = 64 * 1024;

/** The file's object, empty when there is no file; a text says what is wrong with it. */
function fileObject(path: string): Record<string, unknown> | string {
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
	if (version !== VERSION)
		return typeof version === "number" && version > VERSION
			? `it is for a newer ccg (version ${version}, this one reads ${VERSION})`
			: `its version is not ${VERSION}`;
	return value as Record<string, unknown>;
}
