import { directivesOf } from "../state/directives.ts";
import { safeHead } from "../text/safe-head.ts";
import { cut, folded } from "../text/text.ts";
import { withoutPastes } from "../transcript/spoken.ts";
import type { RecordBody } from "./record.ts";
import { type HistoryEntry, type SessionContext, seconds } from "./session-context.ts";

/** Of a message in the context; the ledger keeps `LEDGER_TEXT` of it, so what is folded away is held there. */
const HISTORY_TEXT = 2_000;
export const LEDGER_TEXT = 8_000;
const MAX_FACT = 500;
const CHARS_PER_TOKEN = 4;
/** A queued message comes again within so many entries. */
const WAITS = 200;

/** A record with its time and id. */
export type Made = RecordBody & { at: string; id: string };

interface Said {
	role: "user" | "assistant" | "tool";
	/** Safe, cut to what the ledger keeps. */
	text: string;
	/** Of the whole text, in characters. */
	length: number;
	at: string;
	id: string;
	tool?: string;
	failed?: true;
}

export function addHistory(context: SessionContext, { role, text, length, at, id, tool, failed }: Said): Made {
	const tokens = Math.ceil(length / CHARS_PER_TOKEN);
	const more = { ...(tool !== undefined && { tool }), ...(failed && { failed }) };
	context.recent_history.push({
		timestamp: seconds(at),
		role,
		content: cut(text, HISTORY_TEXT),
		token_count: tokens,
		id,
		...more,
	});
	return { kind: "message", role, text, tokens, at, id, ...more };
}

/** A message that was queued is written again when its turn comes, and sometimes twice while it waits: it counts once. */
export function isWrittenAgain(
	{ recent_history: history }: SessionContext,
	text: string,
	isQueued: boolean,
	waits = false,
): boolean {
	const key = folded(cut(text, HISTORY_TEXT));
	// near the end: the whole history for each message would cost its square
	const said = history.slice(-WAITS).filter(({ role }) => role === "user");
	if (isQueued) return isQueuedAgain(said.slice(-5), key, waits);
	const waiting = said.findLast(({ queued }) => queued);
	if (!waiting || folded(waiting.content) !== key) return false;
	delete waiting.queued;
	delete waiting.waits;
	return true;
}

/** Put into the queue once more, or given from it: of one that is given unseen it is counted how often it went in. */
function isQueuedAgain(said: readonly HistoryEntry[], key: string, waits: boolean): boolean {
	const same = said.findLast(({ content }) => folded(content) === key);
	if (same?.waits && waits) same.waits++;
	else delete same?.waits;
	return same !== undefined;
}

/** A queued message that was never given: out of the history, with the facts that only it told. */
export function takeBack(context: SessionContext, said: string, known: Set<string>): RecordBody[] {
	const text = safeHead(said, LEDGER_TEXT);
	const key = folded(cut(text, HISTORY_TEXT));
	const { recent_history: history } = context;
	const at = history.findLastIndex(({ waits, content }) => waits && folded(content) === key);
	const entry = history[at];
	// given before, and queued again
	if (!entry?.waits || --entry.waits > 0) return [];
	history.splice(at, 1);
	for (const fact of directivesOf(withoutPastes(text))) unlearn(context, known, fact);
	return [{ kind: "taken back", message: entry.id }];
}

function unlearn(context: SessionContext, known: Set<string>, text: string): void {
	const key = folded(factOf(text));
	if (context.recent_history.some(({ role, content }) => role === "user" && folded(content).includes(key))) return;
	known.delete(key);
	context.facts = context.facts.filter((fact) => folded(fact) !== key);
}

/** Facts are a set; what differs in case and white space alone is the same. */
export function learn(context: SessionContext, known: Set<string>, text: string): void {
	const fact = factOf(text);
	if (!fact || known.has(folded(fact))) return;
	known.add(folded(fact));
	context.facts.push(fact);
}

const factOf = (text: string): string => cut(text.replace(/\s+/g, " ").trim(), MAX_FACT);
