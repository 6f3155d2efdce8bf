import { type CompactionRules, DOCUMENT_RULES } from "../../core/context/compaction-rules.ts";
import type { Thresholds } from "../../core/halt/pressure-level.ts";
import type { MarkerRule } from "../../core/pressure/pressure.ts";
import { colourProblem } from "../../core/pressure/status-colours.ts";
import { formatProblem } from "../../core/pressure/status-format.ts";
import { DEFAULT_LOOK, type LineLook } from "../../core/pressure/status-text.ts";
import { MAX_INJECTED_CHARS } from "../../core/recovery/budget.ts";
import type { Retention } from "../../core/retention.ts";
import { readBytes } from "../json-file.ts";
import { configPath } from "../paths.ts";
import { type EmbeddingsConfig, embeddingsProblem, NO_EMBEDDINGS } from "./embeddings.ts";
import { chosenProfile, type ProfilePlace } from "./profiles.ts";

/** `config.json`. Every key has a default; a key of the wrong type counts as missing (`ccg doctor` names it). */
export interface Config {
	marker: MarkerRule & { staleMinutes: number };
	nudge: {
		/** `facts`, `directive`, or a wording of one's own with `{room}` and `{save}`; `off` for none. */
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
	/** The look of the status line: docs/statusline.md. */
	statusLine: { wrappedTimeoutMs: number } & Pick<LineLook, "format" | "bar" | "colours">;
	/** When the session context is compacted, and what stays. */
	context: CompactionRules;
	/** Shares of the way to compaction at which a task's pressure is a warning, needs a fresh summary, is critical. */
	task: Thresholds;
	guard: {
		/** At critical pressure: `warn` tells the user once a cycle, `enforce` holds changes back, `off` does neither. */
		mode: string;
	};
	memory: {
		/** Where a MEMORY.md that is a symbolic link may lead to; empty for nowhere but the store. */
		linkFolder: string;
	};
	/** The search index for `ccg recall` and `ccg search`. */
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

export const DEFAULT_CONFIG: Config = {
	marker: { rule: "distance", headroomTokens: 37_000, minUsedShare: 0.4, percent: 65, staleMinutes: 30 },
	nudge: { wording: "facts" },
	recovery: { maxChars: 19_000, tellUser: true },
	startup: { maxChars: 4_000 },
	steering: { maxChars: 1_500 },
	workspaceFile: { enabled: false, freshMinutes: 10 },
	statusLine: { wrappedTimeoutMs: 2_000, ...DEFAULT_LOOK },
	context: { ...DOCUMENT_RULES },
	task: { warn: 0.55, compress: 0.7, critical: 0.85 },
	guard: { mode: "warn" },
	memory: { linkFolder: "" },
	search: { enabled: true },
	embeddings: NO_EMBEDDINGS,
	checkpoints: { usageShare: 0.75, waveAgents: 1, phases: true, minutes: 30, freshHours: 24 },
	retention: {
		enabled: true,
		maxAgeDays: 90,
		maxSessions: 1_000,
		maxCheckpoints: 20,
		maxReports: 200,
		maxBytes: 1024 ** 3,
	},
};

export const GUARD_MODES = ["warn", "enforce", "off"];

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
const LEAST_CHARS = { recovery: 500, steering: 800, startup: 200 };
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
export function takeSections(config: Config, sections: Record<string, unknown>, problems: string[]): void {
	for (const [section, values] of Object.entries(sections)) {
		const target = Object.hasOwn(config, section)
			? (config as unknown as Record<string, Record<string, unknown>>)[section]
			: undefined;
		if (!target) problems.push(`${section}: unknown key`);
		else if (values === null || typeof values !== "object" || Array.isArray(values))
			problems.push(`${section}: must be an object`);
		else takeSection(section, target, values as Record<string, unknown>, problems);
	}
}

/** A copy; `structuredClone` takes a tenth of a millisecond at its first call. */
function defaults(): Config {
	const sections = Object.entries(DEFAULT_CONFIG).map(([name, values]) => [name, { ...values }]);
	const config = Object.fromEntries(sections) as Config;
	config.statusLine.bar = { ...config.statusLine.bar };
	config.statusLine.colours = { ...config.statusLine.colours };
	return config;
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
	if (value === null || typeof value !== "object" || Array.isArray(value)) return "it holds no object";
	const { version = VERSION } = value as { version?: unknown };
	if (version !== VERSION)
		return typeof version === "number" && version > VERSION
			? `it is for a newer ccg (version ${version}, this one reads ${VERSION})`
			: `its version is not ${VERSION}`;
	return value as Record<string, unknown>;
}

function takeSection(
	section: string,
	target: Record<string, unknown>,
	values: Record<string, unknown>,
	problems: string[],
): void {
	for (const [name, value] of Object.entries(values)) {
		const usual = Object.hasOwn(target, name) ? target[name] : undefined;
		const where = `${section}.${name}`;
		if (usual === undefined) problems.push(`${where}: unknown key`);
		else if (typeof usual === "object" && usual !== null) {
			if (value === null || typeof value !== "object" || Array.isArray(value))
				problems.push(`${where}: must be an object`);
			else takeSection(where, usual as Record<string, unknown>, value as Record<string, unknown>, problems);
		} else if (typeof value !== typeof usual) problems.push(`${where}: must be a ${typeof usual}`);
		else if (typeof value === "number" && !(Number.isFinite(value) && value >= 0))
			problems.push(`${where}: must be 0 or more`);
		else if (where === "marker.rule" && value !== "distance" && value !== "percent")
			problems.push(`${where}: must be "distance" or "percent"`);
		else if (where === "guard.mode" && !GUARD_MODES.includes(value as string))
			problems.push(`${where}: must be one of ${GUARD_MODES.join(", ")}`);
		else {
			const problem = lookProblem(section, name, value);
			if (problem) problems.push(`${where}: ${problem}`);
			else target[name] = value;
		}
	}
}

const MAX_BAR = 60;

/** What is wrong with a value of the status line's look. */
function lookProblem(section: string, name: string, value: unknown): string | null {
	if (section === "statusLine.colours") return colourProblem(value as string);
	if (section === "statusLine" && name === "format") return formatProblem(value as string);
	if (section !== "statusLine.bar") return null;
	if (name === "width")
		return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_BAR
			? null
			: `must be a whole number from 1 to ${MAX_BAR}`;
	return /^[^\p{C}\p{M}\s]{2}$/u.test(value as string) && Bun.stringWidth(value as string) === 2
		? null
		: 'must be two characters of one column each, such as "█░" or "#-"';
}
