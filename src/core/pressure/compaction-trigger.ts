import { isSince, olderThan } from "../text/version.ts";
import { quietJson } from "../transcript/quiet-json.ts";

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
	why:
		| "formula"
		| "percent"
		| "observed"
		| "told by Claude Code"
		| "auto-compaction is off"
		| "this model compacts only at the API limit";
	/** Under this key observed compactions are kept: they hold for one model, window and setting. */
	observedKey: string;
}

/** Output reserve and safety margin (measured on 2.1.329: window − 20,000 − 13,000; a smaller output limit reserves less). */
const OUTPUT_RESERVE = 20_000;
const MARGIN = 13_000;
/** Computes at how many tokens Claude Code compacts: by its formula, lowered by a percentage or by what past compactions showed. */
export function compactionTrigger(input: TriggerInput): CompactionTrigger {
	const { model, env } = input;
	const modelsWindow = input.reportedWindow ?? modelWindow(model, env);
	const configured = configuredWindow(input);
	const window = Math.min(modelsWindow, configured ?? modelsWindow);
	const outputLimit = wholeNumber(env.CLAUDE_CODE_MAX_OUTPUT_TOKENS ?? "");
	const reserve = outputLimit > 0 ? Math.min(OUTPUT_RESERVE, outputLimit) : OUTPUT_RESERVE;
	const plain = window - reserve - MARGIN;
	const percent = Number.parseFloat(env.CLAUDE_AUTOCOMPACT_PCT_OVERRIDE ?? "");
	const byPercent = percent > 0 && percent <= 100 ? Math.floor(((window - reserve) * percent) / 100) : plain;
	const formula = Math.min(plain, byPercent);
	const observedKey = `${canonicalModel(model)}|${window}|${formula}`;
	const result = { window, observedKey };
	if (isOff(input)) return { ...result, tokens: null, why: "auto-compaction is off" };
	const observed = input.observed(observedKey);
	const silent = configured === null && !compactsByItself(model, input.claudeVersion);
	if (silent && !triggersByItself(formula, observed))
		return { ...result, tokens: null, why: "this model compacts only at the API limit" };
	const tokens = correctedTrigger(formula, observed);
	const why = silent || tokens !== formula ? "observed" : formula < plain ? "percent" : "formula";
	return { ...result, tokens, why };
}

/**
 * The window set by hand, or `null`. Measured on 2.1.329: the environment wins over the settings, a higher file over a
 * lower one, and inside a file the model's own value over the general one, `"auto"` included.
 */
function configuredWindow({ model, env, scopes, claudeVersion }: TriggerInput): number | null {
	const knowsUnits = claudeVersion === null || isSince(claudeVersion, [2, 1, 304]);
	const fromEnv = windowSize(env.CLAUDE_CODE_AUTO_COMPACT_WINDOW ?? "", { knowsUnits });
	if (fromEnv !== null) return fromEnv;
	for (const scope of scopes) {
		const own = perModel(scope.modelSettings, model);
		if (own === "auto") return null;
		for (const value of [own, scope.autoCompactWindow])
			if (Number.isInteger(value) && Number(value) >= SMALLEST && Number(value) <= MILLION) return Number(value);
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
	return Number.isSafeInteger(tokens) && tokens > 0 ? Math.max(SMALLEST, tokens) : null;
}

/** The number in a text such as `1e5`, `100_000` or `100,000`; else the digits at its beginning; `NaN` where there are none. */
function wholeNumber(text: string): number {
	const written = text.trim();
	if (/^[+-]?(\d+(\.\d*)?|\.\d+)e[+-]?\d+$/i.test(written)) return Number(written);
	const isGrouped = /^[+-]?\d{1,3}([_,\u00A0\u202F ])\d{3}(\1\d{3})*$/.test(written);
	return Number.parseInt(isGrouped ? written.replace(/[_,\u00A0\u202F ]/g, "") : written, 10);
}
/** The window that a settings file sets for this model, by any spelling of its name; `undefined` where it sets none. */
function perModel(settings: unknown, model: string): unknown {
	if (settings === null || typeof settings !== "object") return undefined;
	const byModel = settings as Record<string, { autoCompactWindow?: unknown } | null>;
	const name = Object.keys(byModel).find((key) => key === model || canonicalModel(key) === canonicalModel(model));
	return name === undefined ? undefined : byModel[name]?.autoCompactWindow;
}
/** Whether automatic compaction is off, by the environment or by the first settings file that says so or not. */
function isOff({ env, scopes }: TriggerInput): boolean {
	if (isTrue(env.DISABLE_AUTO_COMPACT) || isTrue(env.DISABLE_COMPACT)) return true;
	return scopes.find((scope) => typeof scope.autoCompactEnabled === "boolean")?.autoCompactEnabled === false;
}

/** How many past compactions count. */
const PAST = 8;
/** Compactions at one trigger differ by what the last step added. */
const AGREEMENT = 0.03;
/** Below this share of the formula a compaction is likely of another kind: idle and reactive ones report themselves as automatic. */
const NEAR = 0.8;
/** One step adds this share at most, for a compaction to count as one of the formula's. */
const FIT = 0.05;

/**
 * The formula, lowered where compactions agree on a lower place: two near below it, or three far below. A compaction
 * begins at the trigger or, when one step added much, beyond it, so what is seen above the formula never raises it. A
 * single one below says nothing: idle and reactive compactions trigger anywhere.
 */
function correctedTrigger(formula: number, observed: readonly number[]): number {
	const below = observed.slice(-PAST).filter((tokens) => tokens < formula);
	const farBelow = below.filter((tokens) => tokens < NEAR * formula);
	const nearBelow = below.filter((tokens) => tokens >= NEAR * formula);
	return agreedPlace(farBelow, 3) ?? agreedPlace(nearBelow, 2) ?? formula;
}

/** The smallest of these numbers, where there are at least `least` and all are close together; else `null`. */
function agreedPlace(numbers: readonly number[], least: number): number | null {
	if (numbers.length < least) return null;
	const smallest = Math.min(...numbers);
	return Math.max(...numbers) - smallest <= AGREEMENT * smallest ? smallest : null;
}

/** Whether past compactions show that a model compacts by itself although it is said not to: three took place at the formula's number. */
const triggersByItself = (formula: number, observed: readonly number[]): boolean =>
	observed.slice(-PAST).filter((tokens) => tokens >= formula && tokens <= formula * (1 + FIT)).length >= 3;

const MILLION = 1_000_000;
const SMALLEST = 100_000;
const CLASSIC = 200_000;
/** A model id without its date, region, vendor and `[1m]` spelling: the name `modelSettings` goes by. */
function canonicalModel(model: string): string {
	return model.replace(/^.*anthropic[./]/, "").replace(/(?:-\d{8})?(?:-v\d+(?::\d+)?)?(?:@\d{8})?(?:\[1m\])?$/i, "");
}

/**
 * The model's context window in tokens. Measured on 2.1.329: 4.7 and later and unknown ids 1,000,000, earlier ones
 * 200,000, `[1m]` spellings 1,000,000.
 */
export function modelWindow(model: string, env: Record<string, string | undefined> = {}): number {
	if (isTrue(env.CLAUDE_CODE_DISABLE_1M_CONTEXT)) return CLASSIC;
	if (/\[1m\]$/i.test(model)) return MILLION;
	const version = modelVersion(model);
	return version === null || version >= 4.07 ? MILLION : CLASSIC;
}

/**
 * Whether the model compacts before the API refuses, when no window is configured. Measured on 2.1.329: 4.6 and later
 * do, earlier ones and `[1m]` spellings of 200k models do not; up to 2.1.150 every model did, from 2.1.160 on no more.
 */
function compactsByItself(model: string, claudeVersion: string | null): boolean {
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

export const isTrue = (value: string | undefined): boolean => /^(1|true|yes|on)$/i.test(value ?? "");

/** Reads the kept compactions from a text, one on each line. A line that can't be read is passed over: a full disk may have cut it short. */
export const observedIn = (text: string): [key: string, uuid: string, preTokens: number][] =>
	text.split("\n").flatMap((line) => {
		const [key, uuid, preTokens] = [quietJson(line)].flat() as [string?, string?, number?];
		return typeof key === "string" && Number.isFinite(preTokens) ? [[key, String(uuid), preTokens!]] : [];
	});
