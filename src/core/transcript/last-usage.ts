import { decode } from "./decode.ts";
import { quietJson } from "./quiet-json.ts";

/** What the transcript's tail tells about context use. `tokens` is `null` while nothing was answered since the last boundary. */
export interface TailUsage {
	tokens: number | null;
	model: string | null;
	version: string | null;
	/** The last automatic boundary in the tail and what the context held then. */
	boundary: { uuid: string; preTokens: number } | null;
}

const USAGE = '"usage"';
const BOUNDARY = "compact_boundary";
/** Only lines that hold one of these tell anything. */
export const USAGE_MARKS = [USAGE, BOUNDARY] as const;

/**
 * Reads whole transcript lines from the last to the first and stops at the last boundary or, once the usage is known,
 * at the first line of the tail. Returns `null` when the tail holds neither a usage nor a boundary.
 */
export function lastUsage(lines: readonly string[]): TailUsage | null {
	const found: TailUsage = { tokens: null, model: null, version: null, boundary: null };
	let known = false;
	for (let i = lines.length - 1; i >= 0; i--) {
		const line = lines[i]!;
		const isUsage = found.tokens === null && line.includes(USAGE);
		if (!isUsage && !line.includes(BOUNDARY)) continue;
		const entry = quietJson(line);
		for (const event of decode(entry)) {
			if (event.kind === "usage" && found.tokens === null) {
				known = true;
				found.tokens = event.tokens;
				found.model = event.model;
				found.version = versionOf(entry);
			}
			if (event.kind === "boundary") {
				if (event.trigger === "auto" && event.preTokens)
					found.boundary = { uuid: event.uuid, preTokens: event.preTokens };
				return found;
			}
		}
	}
	return known ? found : null;
}

function versionOf(entry: unknown): string | null {
	const version = (entry as { version?: unknown }).version;
	return typeof version === "string" ? version : null;
}
