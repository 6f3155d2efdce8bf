import { expect } from "vitest";
import { redactByRules } from "../../../src/core/redact/rules.ts";

/** On the processor's time, so that a busy machine changes nothing. */
export function msOf(text: string): number {
	const start = process.cpuUsage();
	redactByRules(text, () => {});
	return process.cpuUsage(start).user / 1000;
}

export const sized = (unit: string, size: number): string => unit.repeat(Math.ceil(size / unit.length)).slice(0, size);

export function expectLinear(unit: string): void {
	msOf(sized(unit, 4_096));
	// squared it would be 16 times; small times are noise, and so is one try
	const isLinear = (): boolean => msOf(sized(unit, 65_536)) < Math.max(msOf(sized(unit, 16_384)) * 9, 60);
	expect(isLinear() || isLinear() || isLinear(), JSON.stringify(unit)).toBe(true);
}
