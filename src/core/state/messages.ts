import { excerpt } from "../text/excerpt.ts";
import { lasts } from "../text/lasting.ts";
import { quotedName } from "../text/quoted.ts";
import { safeHead } from "../text/safe-head.ts";
import { cut, normalise, safeText } from "../text/text.ts";
import type { EventOf } from "../transcript/event.ts";
import { isOwnMessage } from "../transcript/own-calls.ts";
import { boundList, countDropped, leavePlace, type Message, placeIn, type SessionState } from "./session-state.ts";

export function applyMessage(state: SessionState, event: EventOf<"message">): void {
	const { text, cut: cutOff } = keptMessage(event.text);
	// nothing but invisible characters
	if (!text.trim()) return;
	if (isForCcg(state, text)) return;
	delete state.asksCcg;
	const queued = state.messages.findLast(({ source }) => source === "queued");
	// a queued message is written again as a typed one when its turn comes
	if (queued && event.source !== "queued" && normalise(queued.text) === normalise(text)) {
		queued.source = event.source;
		delete queued.waits;
		return nowGiven(state, queued);
	}
	const waits = queued?.waits;
	if (event.source === "queued" && isQueuedAgain(state, text, event.waits)) {
		if (waits && !queued.waits) nowGiven(state, queued);
		return;
	}
	state.order++;
	const message: Message = {
		at: event.at,
		order: state.order,
		...placeIn(state),
		source: event.source,
		...(event.waits && { waits: 1 }),
		text,
		...(cutOff > 0 && { cut: cutOff }),
		...(lasts(text) && { lasts: true }),
	};
	state.messages.push(message);
	if (event.plan)
		state.plan = { text: cut(safeText(event.plan), 12_000), path: "", at: event.at, ...placeIn(state), approved: true };
	state.startedAt ||= event.at;
	// the oldest goes first that does not say of itself that it lasts
	boundList(state, "messages", [(one) => !one.lasts], LAST);
}

/** Whether a message asks ccg alone: what the agent says to it, up to its next call, is no work. It answers nothing to a shell line. */
function isForCcg(state: SessionState, text: string): boolean {
	const isOwn = isOwnMessage(text);
	if (isOwn && !text.startsWith("! ")) state.asksCcg = true;
	return isOwn;
}

/** It was put into the queue before: the agent reads it now, behind what it did meanwhile. */
function nowGiven(state: SessionState, message: Message): void {
	if (message.order === state.order && (state.prose.at(-1)?.order ?? 0) < message.order) return;
	leavePlace(state, message.order);
	Object.assign(message, { order: ++state.order }, placeIn(state));
	state.messages.splice(state.messages.indexOf(message), 1);
	state.messages.push(message);
}

const LAST = 40;

function keptMessage(said: string): { text: string; cut: number } {
	const { text, missing } = excerpt(safeHead(said, MAX_READ), MAX_MESSAGE, lasts);
	return { text, cut: missing + Math.max(0, said.length - MAX_READ) };
}

const MAX_MESSAGE = 6_000;
/** A longer one is a file that was pasted: its end is not looked at. */
const MAX_READ = 256 * 1024;

/**
 * Whether a queued message is one of the last: put into the queue once more, or given from it. Up to 2.1.39 a message given in
 * the middle of a turn is not written again, so it is counted how often it went in.
 */
function isQueuedAgain(state: SessionState, text: string, waits = false): boolean {
	const key = normalise(text);
	const same = state.messages.slice(-5).findLast((message) => normalise(message.text) === key);
	if (same?.waits && waits) same.waits++;
	else delete same?.waits;
	return same !== undefined;
}

/**
 * The user took a queued message back before it was given: it was never said. One
 * that was given before, and queued again, stays.
 */
export function takeBack(state: SessionState, said: string): void {
	const key = normalise(keptMessage(said).text);
	const at = state.messages.findLastIndex(({ waits, text }) => waits && normalise(text) === key);
	const message = state.messages[at];
	if (!message?.waits || --message.waits > 0) return;
	state.messages.splice(at, 1);
	leavePlace(state, message.order);
}

const MAX_UNCLEAR = 20;
const UNCLEAR_TEXT = 1_000;

/** Keeps a message of nobody known apart from what the user said: nothing follows from it. */
export function keepUnclear(state: SessionState, { at, text }: EventOf<"unclear">): void {
	if (isForCcg(state, text)) return;
	const kept = { at, order: state.order, ...placeIn(state), text: safeHead(text, UNCLEAR_TEXT) };
	const before = state.unclear?.filter((one) => one.text !== kept.text) ?? [];
	if (before.length >= MAX_UNCLEAR) countDropped(state, "unclear messages");
	state.unclear = [...before, kept].slice(-MAX_UNCLEAR);
}

/** What of a session's transcript ccg does not know, for people; `null` where it could tell of all who spoke. */
export function unclearText({ unclear = [], claudeVersion }: SessionState): string | null {
	if (unclear.length === 0) return null;
	const count = unclear.length === 1 ? "one message" : `${unclear.length} messages`;
	return `unclear of ${count} who said it: Claude Code ${quotedName(claudeVersion)} signs it in no way that this ccg knows`;
}
