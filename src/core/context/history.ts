import { directivesOf } from "../state/directives.ts";
import { safeHead } from "../text/safe-head.ts";
import { cut, normalised } from "../text/text.ts";
import type { RecordBody } from "./record.ts";
import { type SessionSnapshot, seconds } from "./session-context.ts";

/** Of a message in the context; the event log keeps `RECORD_TEXT` of it, so what is summarised is held there. */
const HISTORY_TEXT = 2_000;
export const RECORD_TEXT = 8_000;
const MAX_FACT = 500;
const CHARS_PER_TOKEN = 4;

/** A record with its time and id. */
export type Made = RecordBody & { at: string; id: string };

interface HistoryLine {
	role: "user" | "assistant" | "tool";
	/** Safe, cut to what the event log keeps. */
	text: string;
	/** Of the whole text, in characters. */
	length: number;
	at: string;
	id: string;
	tool?: string;
	failed?: true;
}

export function addHistory(snapshot: SessionSnapshot, { role, text, length, at, id, tool, failed }: HistoryLine): Made {
	const tokens = Math.ceil(length / CHARS_PER_TOKEN);
	const more = { ...(tool !== undefined && { tool }), ...(failed && { failed }) };
	snapshot.recent_history.push({
		timestamp: seconds(at),
		role,
		content: cut(text, HISTORY_TEXT),
		token_count: tokens,
		id,
		...more,
	});
	return { kind: "message", role, text, tokens, at, id, ...more };
}

/** A queued message that was never given: out of the history, with the facts that only it told. */
export function forget(snapshot: SessionSnapshot, said: string, known: Set<string>): RecordBody[] {
	const text = safeHead(said, RECORD_TEXT);
	const key = normalised(cut(text, HISTORY_TEXT));
	const { recent_history: history } = snapshot;
	const at = history.findLastIndex(({ role, content }) => role === "user" && normalised(content) === key);
	const [entry] = at < 0 ? [] : history.splice(at, 1);
	for (const fact of directivesOf(text)) unlearn(snapshot, known, fact);
	return entry ? [{ kind: "taken back", message: entry.id }] : [];
}

function unlearn(snapshot: SessionSnapshot, known: Set<string>, text: string): void {
	const key = normalised(factOf(text));
	if (snapshot.recent_history.some(({ role, content }) => role === "user" && normalised(content).includes(key))) return;
	known.delete(key);
	snapshot.facts = snapshot.facts.filter((fact) => normalised(fact) !== key);
}

/** Facts are a set; what differs in case and white space alone is the same. */
export function learn(snapshot: SessionSnapshot, known: Set<string>, text: string): void {
	const fact = factOf(text);
	if (!fact || known.has(normalised(fact))) return;
	known.add(normalised(fact));
	snapshot.facts.push(fact);
}

const factOf = (text: string): string => cut(text.replace(/\s+/g, " ").trim(), MAX_FACT);
