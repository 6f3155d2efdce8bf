/** Where the levels begin, as shares of the way to compaction, 0.0 to 1.0; part of the configuration. */
export interface Thresholds {
	warn: number;
	compress: number;
	critical: number;
}

export type PressureLevel = "normal" | "warning" | "compress" | "critical";

/** A pressure and how it is known. `value` is `null` where it is missing and counts as critical. */
export interface KnownPressure {
	value: number | null;
	level: PressureLevel;
	source: "given" | "measured" | "not measured since the compaction" | "first turn" | "missing";
}

/** What there is to tell the pressure from. */
export interface PressureFacts {
	/** Of `--pressure`, checked. */
	given?: number | undefined;
	/** ccg's own measurement; `null` where the session has none. */
	measured: { tokens: number | null; trigger: number | null; window: number | null; beforeCompaction: boolean } | null;
	/** No checkpoint of this task was written yet. */
	firstTurn: boolean;
}

/** Seed 2, pressure thresholds: each level begins at its threshold. */
export function levelOf(pressure: number, { warn, compress, critical }: Thresholds): PressureLevel {
	if (pressure >= critical) return "critical";
	if (pressure >= compress) return "compress";
	return pressure >= warn ? "warning" : "normal";
}

/**
 * The pressure a task works under: what the host gives, else what ccg measured, else the fallback rule: 0.0 in the
 * first turn, critical later. After a compaction the context is new: until it is measured, its first turn is meant.
 */
export function knownPressure({ given, measured, firstTurn }: PressureFacts, thresholds: Thresholds): KnownPressure {
	const known = (value: number, source: KnownPressure["source"]): KnownPressure => ({
		value,
		level: levelOf(value, thresholds),
		source,
	});
	if (given !== undefined) return known(given, "given");
	if (measured) {
		const share = shareOf(measured.tokens, measured.trigger, measured.window);
		if (measured.beforeCompaction || (measured.tokens === null && measured.window !== null))
			return known(0, "not measured since the compaction");
		if (share !== null) return known(share, "measured");
	}
	return firstTurn ? known(0, "first turn") : { value: null, level: "critical", source: "missing" };
}

/** Share of the way to compaction, 0 to 1; of the window where nothing compacts by itself; `null` while unknown. */
export function shareOf(tokens: number | null, trigger: number | null, window: number | null): number | null {
	const whole = trigger ?? window;
	if (tokens === null || whole === null || !(whole > 0)) return null;
	return Math.min(1, Math.max(0, tokens / whole));
}
