import type { Io } from "./io.ts";

/**
 * Prints an answer for programs. One convention for all commands: keys in snake_case, as Claude Code's own payloads to hooks
 * have them; times in ISO 8601. `asIs` names keys whose values are kept as they are: names that are data, not ours.
 */
export function answerJson(io: Io, value: unknown, asIs: readonly string[] = []): void {
	io.out(JSON.stringify(snakeKeys(value, asIs), null, 2));
}

/** `camelCase` and `two words` as `snake_case`, at every depth. */
export function snakeKeys(value: unknown, asIs: readonly string[] = []): unknown {
	if (Array.isArray(value)) return value.map((one) => snakeKeys(one, asIs));
	if (value === null || typeof value !== "object") return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, one]) => [snake(key), asIs.includes(key) ? one : snakeKeys(one, asIs)]),
	);
}

const snake = (key: string): string =>
	key
		.replace(/([a-z0-9])([A-Z])/g, "$1_$2")
		.replace(/ /g, "_")
		.toLowerCase();
