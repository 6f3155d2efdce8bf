import { excerpt } from "../text/excerpt.ts";
import { lasts } from "../text/lasting.ts";
import { quotedName } from "../text/quoted.ts";
import { safeHead } from "../text/safe-head.ts";
import { cut, normalise, safeText } from "../text/text.ts";
import type { EventOf } from "../transcript/event.ts";
import { isOwnMessage } from "../transcript/own-calls.ts";
import { boundList, countDropped, leavePlace, type Message, placeIn, type SessionState } from "./session-state.ts";

/** Adds a user's message to the state; a queued message that is given now, or is queued again, is not added twice. */
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
		return giveQueued(state, queued);
	}
	const waits = queued?.waits;
	if (event.source === "queued" && isQueuedAgain(state, text, event.waits)) {
		if (waits && !queued.waits) giveQueued(state, queued);
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
	boundList(state, "messages", [(one) => !one.lasts], KEPT_LAST);
}

/** Whether a message asks ccg alone; then the agent's words up to its next call are no work and are not kept. A shell line gets no answer. */
function isForCcg(state: SessionState, text: string): boolean {
	const isOwn = isOwnMessage(text);
	if (isOwn && !text.startsWith("! ")) state.asksCcg = true;
	return isOwn;
}

/** Moves a message that waited in the queue to the end of the list: the agent reads it only now, behind what it did meanwhile. */
function giveQueued(state: SessionState, message: Message): void {
	if (message.order === state.order && (state.prose.at(-1)?.order ?? 0) < message.order) return;
	leavePlace(state, message.order);
	Object.assign(message, { order: ++state.order }, placeIn(state));
	state.messages.splice(state.messages.indexOf(message), 1);
	state.messages.push(message);
}

const KEPT_LAST = 40;

/** A message's text as the state keeps it, and how many characters were cut from it. */
function keptMessage(whole: string): { text: string; cut: number } {
	const { text, missing } = excerpt(safeHead(whole, MAX_READ), MAX_MESSAGE, lasts);
	return { text, cut: missing + Math.max(0, whole.length - MAX_READ) };
}

const MAX_MESSAGE = 6_000;
/** A longer one is a file that was pasted: its end is not looked at. */
const MAX_READ = 256 * 1024;

/**
 * Whether a queued message repeats one of the last five: it was put into the queue once more, or is given from it. Counts how often it
 * went in, as up to 2.1.39 a message that is given in the middle of a turn is not written again.
 */
function isQueuedAgain(state: SessionState, text: string, waits = false): boolean {
	const key = normalise(text);
	const same = state.messages.slice(-5).findLast((message) => normalise(message.text) === key);
	if (same?.waits && waits) same.waits++;
	else delete same?.waits;
	return same !== undefined;
}

/** Removes a queued message that the user took back before it was given. One that was given before, and queued again, stays. */
export function takeBack(state: SessionState, text: string): void {
	const key = normalise(keptMessage(text).text);
	const at = state.messages.findLastIndex((one) => one.waits && normalise(one.text) === key);
	const message = state.messages[at];
	if (!message?.waits || --message.waits > 0) return;
	state.messages.splice(at, 1);
	leavePlace(state, message.order);
}

const MAX_UNCLEAR = 20;
const UNCLEAR_TEXT = 1_000;

/** Adds a message whose speaker is not known to a list of its own, apart from the user's messages: nothing follows from it. */
export function keepUnclear(state: SessionState, { at, text }: EventOf<"unclear">): void {
	if (isForCcg(state, text)) return;
	const message = { at, order: state.order, ...placeIn(state), text: safeHead(text, UNCLEAR_TEXT) };
	const others = state.unclear?.filter((one) => one.text !== message.text) ?? [];
	if (others.length >= MAX_UNCLEAR) countDropped(state, "unclear messages");
	state.unclear = [...others, message].slice(-MAX_UNCLEAR);
}

/** A line for people on how many messages of a session have no known speaker; `null` where all have one. */
export function unclearText({ unclear = [], claudeVersion }: SessionState): string | null {
	if (unclear.length === 0) return null;
	const count = unclear.length === 1 ? "one message" : `${unclear.length} messages`;
	return `unclear of ${count} who said it: Claude Code ${quotedName(claudeVersion)} signs it in no way that this ccg knows`;
}
