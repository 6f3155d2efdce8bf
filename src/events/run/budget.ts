import type { Env } from "../../store/paths.ts";

/**
 * The time a hook may still take for what it could do without. Counted in the process's own time on the processor: a busy
 * machine cuts nothing off, and the same input gives the same text. Size limits do the work; this is for what they overlook.
 */
export interface Budget {
	/** Milliseconds spent since the process began, all its threads together. */
	spentMs(): number;
	/** Optional steps are left out from here on. */
	isSpent(): boolean;
	/** Only the user's words are read from here on; a quarter of a second later, nothing. */
	limitMs: number;
}

/** An honest hook takes 40 to 250 ms. */
const LIMIT_MS = 600;

export const NO_LIMIT: Budget = { spentMs: () => 0, isSpent: () => false, limitMs: Infinity };

/** `CCG_HOOK_CPU_MS` is for tests: `0` leaves out every optional step. */
export function budgetOf(env: Env): Budget {
	const given = Number(env.CCG_HOOK_CPU_MS);
	const limitMs = env.CCG_HOOK_CPU_MS && Number.isFinite(given) && given >= 0 ? given : LIMIT_MS;
	const spentMs = (): number => {
		const { user, system } = process.cpuUsage();
		return (user + system) / 1000;
	};
	return { spentMs, isSpent: () => spentMs() >= limitMs, limitMs };
}

/**
 * Does a step that the rest can do without, unless the time is spent. One that fails, also for want of stack or memory, costs
 * itself. What was left out is added to `leftOut` and logged.
 */
export function optionally<T>(
	name: string,
	{ budget, log, leftOut }: { budget: Budget; log(reason: unknown): void; leftOut: string[] },
	act: () => T,
): T | null {
	if (budget.isSpent()) {
		leftOut.push(name);
		log(`left out for want of time: ${name}`);
		return null;
	}
	try {
		return act();
	} catch (error) {
		leftOut.push(name);
		log(`left out: ${name}: ${error instanceof Error ? error.message : String(error)}`);
		return null;
	}
}
