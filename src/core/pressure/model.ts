import { olderThan } from "../text/version.ts";

const MILLION = 1_000_000;
const CLASSIC = 200_000;

/** A model id without its date, region, vendor and `[1m]` spelling: the name `modelSettings` goes by. */
export function canonicalModel(model: string): string {
	return model
		.replace(/\[1m\]$/i, "")
		.replace(/^.*anthropic[./]/, "")
		.replace(/@\d{8}$/, "")
		.replace(/-v\d+(:\d+)?$/, "")
		.replace(/-\d{8}$/, "");
}

/**
 * The model's context window in tokens. Measured on 2.1.329: 4.7 and later and unknown ids 1,000,000, earlier ones
 * 200,000, `[1m]` spellings 1,000,000.
 */
export function modelWindow(model: string, env: Record<string, string | undefined> = {}): number {
	if (isOn(env.CLAUDE_CODE_DISABLE_1M_CONTEXT)) return CLASSIC;
	if (/\[1m\]$/i.test(model)) return MILLION;
	const version = modelVersion(model);
	return version === null || version >= 4.07 ? MILLION : CLASSIC;
}

/**
 * Whether the model compacts before the API refuses, when no window is configured. Measured on 2.1.329: 4.6 and later
 * do, earlier ones and `[1m]` spellings of 200k models do not; up to 2.1.150 every model did, from 2.1.160 on no more.
 */
export function compactsByItself(model: string, claudeVersion: string | null): boolean {
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

export const isOn = (value: string | undefined): boolean => /^(1|true|yes|on)$/i.test(value ?? "");
