import { type CompactionRules, DOCUMENT_RULES } from "../core/context/compaction-rules.ts";
import type { MarkerRule } from "../core/pressure/pressure.ts";
import { readJson } from "./json-file.ts";
import { configPath } from "./paths.ts";
import { chosenProfile, type Place } from "./profiles.ts";

/** `config.json`. Every key has a default; a key of the wrong type counts as missing (`ccg doctor` names it). */
export interface Config {
	marker: MarkerRule & { staleMinutes: number };
	nudge: {
		/** `facts`, `directive`, or a wording of one's own with `{room}` and `{save}`; `off` for none. */
		wording: string;
	};
	recovery: { maxChars: number };
	startup: { maxChars: number };
	steering: { maxChars: number };
	workspaceFile: { enabled: boolean; freshMinutes: number };
	statusLine: { wrappedTimeoutMs: number };
	guard: { mode: string };
	/** When the session context is compacted, and what stays. */
	context: CompactionRules;
}

export const DEFAULT_CONFIG: Config = {
	marker: { rule: "distance", headroomTokens: 37_000, minUsedShare: 0.4, percent: 65, staleMinutes: 30 },
	nudge: { wording: "facts" },
	recovery: { maxChars: 9_000 },
	startup: { maxChars: 4_000 },
	steering: { maxChars: 1_500 },
	workspaceFile: { enabled: true, freshMinutes: 10 },
	statusLine: { wrappedTimeoutMs: 2_000 },
	guard: { mode: "warn" },
	context: { ...DOCUMENT_RULES },
};

const GUARD_MODES = ["warn", "enforce", "off"];

/** No hook value may be larger: Claude Code replaces more than 10,000 characters by a preview (contract §1.4). */
export const MAX_GIVEN_CHARS = 9_500;

/**
 * The configuration, and what in the file does not fit. With a place the profile chosen there counts over the file: the
 * session's, else the project's; `profile` is its name, `null` without one.
 */
export function loadConfig(
	root: string | null,
	place?: Place,
): { config: Config; problems: string[]; profile: string | null } {
	const problems: string[] = [];
	const file = root ? readJson<Record<string, unknown>>(configPath(root)) : null;
	const config = structuredClone(DEFAULT_CONFIG);
	const profile = root && place ? chosenProfile(root, place) : null;
	if (file) takeSections(config, file, problems);
	if (profile) takeSections(config, profile.config, []);
	config.recovery.maxChars = Math.max(500, Math.min(MAX_GIVEN_CHARS, config.recovery.maxChars));
	// a request cut to its length and the closing line always fit
	config.steering.maxChars = Math.max(800, Math.min(MAX_GIVEN_CHARS, config.steering.maxChars));
	config.startup.maxChars = Math.max(200, Math.min(MAX_GIVEN_CHARS, config.startup.maxChars));
	return { config, problems, profile: profile?.name ?? null };
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
		else if (typeof value !== typeof usual) problems.push(`${where}: must be a ${typeof usual}`);
		else if (typeof value === "number" && !(Number.isFinite(value) && value >= 0))
			problems.push(`${where}: must be 0 or more`);
		else if (where === "marker.rule" && value !== "distance" && value !== "percent")
			problems.push(`${where}: must be "distance" or "percent"`);
		else if (where === "guard.mode" && !GUARD_MODES.includes(value as string))
			problems.push(`${where}: must be "warn", "enforce" or "off"`);
		else target[name] = value;
	}
}
