import type { SessionContext } from "../../core/context/session-context.ts";
import { isoOf } from "./layout/moment.ts";

/** Keys below which names are data: tools, models, what a tool was given. */
export const DATA_KEYS = ["by_tool", "token_usage", "input", "open_calls", "payload"];

/** Fields of a context that hold Unix seconds. */
const TIMES = new Set(["created_at", "updated_at", "timestamp", "started_at", "seen_at", "captured_at"]);

/** A context for programs: on disk its times are Unix seconds, in every answer of ccg they are ISO 8601. */
export function withIsoTimes(context: SessionContext): unknown {
	const { left_out: out } = context.summarised;
	const summarised = { ...context.summarised, left_out: out && { ...out, from: isoOf(out.from), to: isoOf(out.to) } };
	return isoTimes({ ...context, summarised });
}

/** The event log's lines tell their own time in ISO 8601; what they hold of background work does not. */
export const recordsWithIsoTimes = (records: readonly { kind: string }[]): unknown[] =>
	records.map((record) => (record.kind === "background" ? isoTimes(record) : record));

function isoTimes(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(isoTimes);
	if (value === null || typeof value !== "object") return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, one]) => {
			if (key === "input") return [key, one];
			return [key, TIMES.has(key) && typeof one === "number" ? isoOf(one) : isoTimes(one)];
		}),
	);
}
