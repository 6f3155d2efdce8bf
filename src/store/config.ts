import type { Thresholds } from "../core/guardian/pressure-level.ts";
import type { MarkerRule } from "../core/pressure/pressure.ts";
import { readJson } from "./json-file.ts";
import { configPath } from "./paths.ts";

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
	/** Shares of the way to compaction at which a task's pressure is a warning, needs a fresh summary, is critical. */
	task: Thresholds;
	guard: {
		/** At critical pressure: `warn` tells the user once a cycle, `enforce` holds changes back, `off` does neither. */
		mode: string;
	};
}

export const DEFAULT_CONFIG: Config = {
	marker: { rule: "distance", headroomTokens: 37_000, minUsedShare: 0.4, percent: 65, staleMinutes: 30 },
	nudge: { wording: "facts" },
	recovery: { maxChars: 9_000 },
	startup: { maxChars: 4_000 },
	steering: { maxChars: 1_500 },
	workspaceFile: { enabled: true, freshMinutes: 10 },
	statusLine: { wrappedTimeoutMs: 2_000 },
	task: { warn: 0.55, compress: 0.7, critical: 0.85 },
	guard: { mode: "warn" },
};

export const GUARD_MODES = ["warn", "enforce", "off"];

/** No hook value may be larger: Claude Code replaces more than 10,000 characters by a preview (contract §1.4). */
export const MAX_GIVEN_CHARS = 9_500;

/** The configuration, and what in the file does not fit. */
export function loadConfig(root: string | null): { config: Config; problems: string[] } {
	const problems: string[] = [];
	const file = root ? readJson<Record<string, unknown>>(configPath(root)) : null;
	const config = structuredClone(DEFAULT_CONFIG);
	if (!file) return { config, problems };
	for (const [section, values] of Object.entries(file)) {
		const target = (config as unknown as Record<string, Record<string, unknown>>)[section];
		if (!target) problems.push(`${section}: unknown key`);
		else if (values === null || typeof values !== "object") problems.push(`${section}: must be an object`);
		else takeSection(section, target, values as Record<string, unknown>, problems);
	}
	config.recovery.maxChars = Math.max(500, Math.min(MAX_GIVEN_CHARS, config.recovery.maxChars));
	// a request cut to its length and the closing line always fit
	config.steering.maxChars = Math.max(800, Math.min(MAX_GIVEN_CHARS, config.steering.maxChars));
	config.startup.maxChars = Math.max(200, Math.min(MAX_GIVEN_CHARS, config.startup.maxChars));
	const { warn, compress, critical } = config.task;
	if (!(warn <= compress && compress <= critical && critical <= 1)) {
		problems.push("task: warn, compress and critical must rise from 0 to 1");
		config.task = { ...DEFAULT_CONFIG.task };
	}
	return { config, problems };
}

function takeSection(
	section: string,
	target: Record<string, unknown>,
	values: Record<string, unknown>,
	problems: string[],
): void {
	for (const [name, value] of Object.entries(values)) {
		const usual = target[name];
		const where = `${section}.${name}`;
		if (usual === undefined) problems.push(`${where}: unknown key`);
		else if (typeof value !== typeof usual) problems.push(`${where}: must be a ${typeof usual}`);
		else if (typeof value === "number" && !(Number.isFinite(value) && value >= 0))
			problems.push(`${where}: must be 0 or more`);
		else if (where === "marker.rule" && value !== "distance" && value !== "percent")
			problems.push(`${where}: must be "distance" or "percent"`);
		else if (where === "guard.mode" && !GUARD_MODES.includes(value as string))
			problems.push(`${where}: must be one of ${GUARD_MODES.join(", ")}`);
		else target[name] = value;
	}
}
