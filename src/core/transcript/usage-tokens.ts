/** What a response used; `tokens` is the context size: input + cache creation + cache read (issue rule; output is not counted). `null` when the usage is missing or says nothing, as right after a start or a compaction. */
export function usageOf(usage: unknown) {
	const told = Object(usage) as Record<string, unknown>;
	const count = (name: string): number => {
		const value = told[name];
		return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
	};
	const input = count("input_tokens");
	const cacheCreation = count("cache_creation_input_tokens");
	const cacheRead = count("cache_read_input_tokens");
	const tokens = input + cacheCreation + cacheRead;
	return tokens > 0 ? { tokens, input, output: count("output_tokens"), cacheCreation, cacheRead } : null;
}
