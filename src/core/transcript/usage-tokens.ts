/**
 * Context size a response reports: input + cache creation + cache read (issue rule; output is not counted).
 * `null` when the usage is missing or says nothing, as right after a start or a compaction.
 */
export function usageTokens(usage: unknown): number | null {
	if (usage === null || typeof usage !== "object") return null;
	const parts = usage as Record<string, unknown>;
	let sum = 0;
	for (const name of ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"]) {
		const value = parts[name];
		if (typeof value === "number" && Number.isFinite(value) && value > 0) sum += value;
	}
	return sum > 0 ? sum : null;
}
