import { isSince, olderThan } from "../text/version.ts";
import { parseBoundedJson } from "../transcript/quiet-json.ts";

/** The settings about compaction in one settings file. Lists of files have the one of highest precedence first. */
export interface CompactionSettings {
	autoCompactEnabled?: unknown;
	autoCompactWindow?: unknown;
	modelSettings?: unknown;
}

export interface TriggerInput {
	model: string;
	/** The window a status line reported; `null` where only the model's name is known. */
	reportedWindow: number | null;
	claudeVersion: string | null;
	env: Record<string, string | undefined>;
	scopes: readonly CompactionSettings[];
	/** `preTokens` of automatic compactions seen under the same `observedKey`, oldest first. */
	observed: (key: string) => readonly number[];
}

/** Where automatic compaction triggers. `tokens` is `null` when it does not trigger by itself; `why` says why. */
export interface CompactionTrigger {
	tokens: number | null;
	/** The window compaction counts by: the model's or the configured one. */
	window: number;
	/** The same by the model's whole window. */
	whole: { tokens: number; window: number };
	why:
		| "formula"
		| "percent"
		| "observed"
		| "put off"
		| "auto-compaction is off"
		| "this model compacts only at the API limit";
	/** Under this key observed compactions are kept: they hold for one model, window and setting. */
	observedKey: string;
}

/** Output reserve and safety margin (measured on 2.1.329: window − 20,000 − 13,000; a smaller output limit reserves less). */
const OUTPUT_RESERVE = 20_000;
const SAFETY_MARGIN = 13_000;
/** Computes at how many tokens Claude Code compacts: by its formula, lowered by a percentage or by what past compactions showed. */
export function compactionTrigger(input: TriggerInput): CompactionTrigger {
	const { model, env } = input;
	const wholeWindow = input.reportedWindow ?? modelWindow(model, env);
	const configured = configuredWindow(input);
	const window = Math.min(wholeWindow, configured ?? wholeWindow);
	const outputLimit = wholeNumber(env.CLAUDE_CODE_MAX_OUTPUT_TOKENS ?? "");
	const reserve = outputLimit > 0 ? Math.min(OUTPUT_RESERVE, outputLimit) : OUTPUT_RESERVE;
	const byMargin = window - reserve - SAFETY_MARGIN;
	const percent = Number.parseFloat(env.CLAUDE_AUTOCOMPACT_PCT_OVERRIDE ?? "");
	const most = percent > 0 && percent <= 100 ? percent : Infinity;
	const triggerOf = (size: number) =>
		Math.min(size - reserve - SAFETY_MARGIN, Math.floor(((size - reserve) * most) / 100));
	const formula = triggerOf(window);
	const observedKey = `${canonicalModel(model)}|${window}|${formula}`;
	const result = { window, whole: { tokens: triggerOf(wholeWindow), window: wholeWindow }, observedKey };
	if (isAutoCompactOff(input)) return { ...result, tokens: null, why: "auto-compaction is off" };
	const observed = input.observed(observedKey);
	const shouldNotCompact = configured === null && !compactsBeforeLimit(model, input.claudeVersion);
	if (shouldNotCompact && !hasCompactedByFormula(formula, observed))
		return { ...result, tokens: null, why: "this model compacts only at the API limit" };
	const tokens = correctByObserved(formula, observed);
	const isObserved = shouldNotCompact || tokens !== formula;
	const why = isObserved ? "observed" : formula < byMargin ? "percent" : "formula";
	return { ...result, tokens, why };
}

/**
 * The window set by hand, or `null`. Measured on 2.1.329: the environment wins over the settings, a higher file over a
 * lower one, and inside a file the model's own value over the general one, `"auto"` included.
 */
function configuredWindow({ model, env, scopes: settingsFiles, claudeVersion }: TriggerInput): number | null {
	const knowsUnits = claudeVersion === null || isSince(claudeVersion, [2, 1, 304]);
	const fromEnv = windowSize(env.CLAUDE_CODE_AUTO_COMPACT_WINDOW ?? "", { knowsUnits });
	if (fromEnv !== null) return fromEnv;
	for (const { modelSettings, autoCompactWindow: generalValue } of settingsFiles) {
		const modelsValue = windowForModel(modelSettings, model);
		if (modelsValue === "auto") return null;
		for (const value of [modelsValue, generalValue])
			if (Number.isInteger(value) && Number(value) >= MIN_WINDOW && Number(value) <= MILLION) return Number(value);
	}
	return null;
}

/**
 * The number of tokens in a window's size that a person wrote, as Claude Code reads it: `200k`, `0.2M`, `2e5`, `200_000`, else the digits at
 * its beginning; a size too small is raised to the smallest, `null` means that the text is ignored. The flag takes `200` for 200,000, the
 * variable knows units since 2.1.304 (seen on 2.1.303, 2.1.330 and 2.1.332).
 */
export function windowSize(text: string, { knowsUnits = true, isFlag = false } = {}): number | null {
	const unit = knowsUnits && { k: 1_000, m: MILLION }[text.trim().slice(-1).toLowerCase()];
	const number = unit ? Math.round(Number.parseFloat(text) * unit) : wholeNumber(text);
	const tokens = isFlag && !unit && number >= 100 && number <= 1_000 ? number * 1_000 : number;
	return Number.isSafeInteger(tokens) && tokens > 0 ? Math.max(MIN_WINDOW, tokens) : null;
}

/** Reads the number in a text such as `1e5`, `100_000` or `100,000`; else the digits at its beginning; `NaN` where there are none. */
function wholeNumber(text: string): number {
	const trimmed = text.trim();
	if (/^[+-]?(\d+(\.\d*)?|\.\d+)e[+-]?\d+$/i.test(trimmed)) return Number(trimmed);
	const isGrouped = /^[+-]?\d{1,3}([_,\u00A0\u202F ])\d{3}(\1\d{3})*$/.test(trimmed);
	return Number.parseInt(isGrouped ? trimmed.replace(/[_,\u00A0\u202F ]/g, "") : trimmed, 10);
}
/** The window that a settings file sets for this model, by any spelling of its name; `undefined` where it sets none. */
function windowForModel(modelSettings: unknown, model: string): unknown {
	if (modelSettings === null || typeof modelSettings !== "object") return undefined;
	const byModel = modelSettings as Record<string, { autoCompactWindow?: unknown } | null>;
	const name = Object.keys(byModel).find((key) => key === model || canonicalModel(key) === canonicalModel(model));
	return name === undefined ? undefined : byModel[name]?.autoCompactWindow;
}
/** Whether automatic compaction is off, by the environment or by the first settings file that has the setting. */
function isAutoCompactOff({ env, scopes: settingsFiles }: TriggerInput): boolean {
	if (isTrueVariable(env.DISABLE_AUTO_COMPACT) || isTrueVariable(env.DISABLE_COMPACT)) return true;
	return settingsFiles.find((file) => typeof file.autoCompactEnabled === "boolean")?.autoCompactEnabled === false;
}

/** How many past compactions count. */
const MAX_OBSERVED = 8;
/** Compactions at one trigger differ by what the last step added. */
const MAX_SPREAD = 0.03;
/** Below this share of the formula a compaction is likely of another kind: idle and reactive ones report themselves as automatic. */
const NEAR_SHARE = 0.8;
/** One step adds this share at most, for a compaction to count as one of the formula's. */
const MAX_OVERSHOOT = 0.05;

/**
 * The trigger by the formula, lowered where past compactions (`observed`: their tokens) agree on fewer: two near below it, or three far
 * below. A compaction begins at the trigger or, when one step added much, beyond it, so what is seen above the formula never raises it.
 * A single one below says nothing: idle and reactive compactions trigger anywhere.
 */
function correctByObserved(formula: number, observed: readonly number[]): number {
	const below = observed.slice(-MAX_OBSERVED).filter((tokens) => tokens < formula);
	const farBelow = below.filter((tokens) => tokens < NEAR_SHARE * formula);
	const nearBelow = below.filter((tokens) => tokens >= NEAR_SHARE * formula);
	return smallestIfClose(farBelow, 3) ?? smallestIfClose(nearBelow, 2) ?? formula;
}

/** The smallest of these numbers, where there are at least `minCount` and all are close together; else `null`. */
function smallestIfClose(numbers: readonly number[], minCount: number): number | null {
	if (numbers.length < minCount) return null;
	const smallest = Math.min(...numbers);
	return Math.max(...numbers) - smallest <= MAX_SPREAD * smallest ? smallest : null;
}

/** Whether past compactions (`observed`: their tokens) show that a model compacts where the formula says: at least three did. */
const hasCompactedByFormula = (formula: number, observed: readonly number[]): boolean =>
	observed.slice(-MAX_OBSERVED).filter((tokens) => tokens >= formula && tokens <= formula * (1 + MAX_OVERSHOOT))
		.length >= 3;

const MILLION = 1_000_000;
const MIN_WINDOW = 100_000;
const STANDARD_WINDOW = 200_000;
/** A model id without its date, region, vendor and `[1m]` spelling: the name `modelSettings` goes by. */
function canonicalModel(model: string): string {
	return model.replace(/^.*anthropic[./]/, "").replace(/(?:-\d{8})?(?:-v\d+(?::\d+)?)?(?:@\d{8})?(?:\[1m\])?$/i, "");
}

/**
 * The model's context window in tokens. Measured on 2.1.329: 4.7 and later and unknown ids 1,000,000, earlier ones
 * 200,000, `[1m]` spellings 1,000,000.
 */
export function modelWindow(model: string, env: Record<string, string | undefined> = {}): number {
	if (isTrueVariable(env.CLAUDE_CODE_DISABLE_1M_CONTEXT)) return STANDARD_WINDOW;
	if (/\[1m\]$/i.test(model)) return MILLION;
	const version = modelVersion(model);
	return version === null || version >= 4.07 ? MILLION : STANDARD_WINDOW;
}

/**
 * Whether the model compacts before the API refuses, when no window is configured. Measured on 2.1.329: 4.6 and later
 * do, earlier ones and `[1m]` spellings of 200k models do not; up to 2.1.150 every model did, from 2.1.160 on no more.
 */
function compactsBeforeLimit(model: string, claudeVersion: string | null): boolean {
	if (claudeVersion && olderThan(claudeVersion, [2, 1, 160])) return true;
	const version = modelVersion(model);
	if (version === null || version >= 4.07) return true;
	return version >= 4.06 && !/\[1m\]$/i.test(model);
}

/** Version as major + minor / 100, so that 4.10 is later than 4.6; `null` for ids that follow no known pattern. */
function modelVersion(model: string): number | null {
	const name = canonicalModel(model);
	const modern = /^claude-[a-z]+-(\d{1,2})(?:-(\d{1,2}))?$/.exec(name);
	const early = /^claude-(\d)(?:-(\d))?-[a-z]+$/.exec(name);
	const match = modern ?? early;
	return match ? Number(match[1]) + Number(match[2] ?? 0) / 100 : null;
}

/** Whether an environment variable is switched on: `1`, `true`, `yes` or `on`. */
export const isTrueVariable = (value: string | undefined): boolean => /^(1|true|yes|on)$/i.test(value ?? "");

/** Reads observed compactions from a text, one on each line as a JSON list. A line that can't be read is passed over: a full disk may have cut it short. */
export const parseObservedTriggers = (text: string): [key: string, uuid: string, preTokens: number][] =>
	text.split("\n").flatMap((line) => {
		const [key, uuid, preTokens] = [parseBoundedJson(line)].flat() as [string?, string?, number?];
		return typeof key === "string" && Number.isFinite(preTokens) ? [[key, String(uuid), preTokens!]] : [];
	});
