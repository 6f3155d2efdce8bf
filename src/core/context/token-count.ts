import type { TranscriptEvent } from "../transcript/event.ts";
import { safeName } from "./safe-name.ts";
import type { CountedMessage, SessionSnapshot, TokenUsage } from "./session-context.ts";

const MAX_COUNTED = 64;
const MAX_MODELS = 40;

/**
 * Adds an API message's tokens once: its further lines, also with others in between, replace what was counted, because the
 * last one holds the final number of output tokens.
 */
export function countUsage(
	{ token_usage: usage, counted_messages: counted }: SessionSnapshot,
	event: Extract<TranscriptEvent, { kind: "usage" }>,
): void {
	const model = safeName(event.model).slice(0, 100);
	const now: CountedMessage = {
		id: event.messageId.slice(0, 100),
		model,
		input_tokens: event.input ?? event.tokens,
		output_tokens: event.output ?? 0,
		cache_creation_tokens: event.cacheCreation ?? 0,
		cache_read_tokens: event.cacheRead ?? 0,
	};
	const at = event.messageId ? counted.findIndex(({ id }) => id === now.id) : -1;
	const before = at < 0 ? null : counted[at]!;
	if (!Object.hasOwn(usage, model)) {
		if (Object.keys(usage).length >= MAX_MODELS) return;
		Object.defineProperty(usage, model, {
			value: { messages: 0, ...NO_TOKENS },
			enumerable: true,
			configurable: true,
			writable: true,
		});
	}
	const sum = usage[model]!;
	if (before && before.model !== model) return;
	if (!before) sum.messages++;
	for (const name of COUNTS) sum[name] += Math.max(now[name], before?.[name] ?? 0) - (before?.[name] ?? 0);
	if (!event.messageId) return;
	if (before) for (const name of COUNTS) before[name] = Math.max(before[name], now[name]);
	else counted.push(now);
	if (counted.length > MAX_COUNTED) counted.shift();
}

const NO_TOKENS: Omit<TokenUsage, "messages"> = {
	input_tokens: 0,
	output_tokens: 0,
	cache_creation_tokens: 0,
	cache_read_tokens: 0,
};
const COUNTS = ["input_tokens", "output_tokens", "cache_creation_tokens", "cache_read_tokens"] as const;
