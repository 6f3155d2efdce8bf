import { excerpt } from "../text/excerpt.ts";
import { nameInBackticks } from "../text/quoted.ts";
import { safeHead } from "../text/safe-head.ts";
import { isMeantToLast } from "../text/sentences.ts";
import { normalise, safeText, truncate } from "../text/text.ts";
import type { EventOf } from "../transcript/event.ts";
import { isMessageToCcg } from "../transcript/own-calls.ts";
import {
	addVacantOrder,
	countDropped,
	currentPos,
	type Message,
	type SessionState,
	trimList,
} from "./session-state.ts";

/** Adds a user's message to the state. A queued message (`waits` until it is given) is not added again when it is given or queued once more. */
export function applyMessage(state: SessionState, event: EventOf<"message">): void {
	const { text, cut } = excerptMessage(event.text);
	const isInvisible = !text.trim();
	if (isInvisible) return;
	if (isMessageToCcg(text)) return noteCcgAsked(state, text);
	delete state.asksCcg;
	const queued = state.messages.findLast(({ source }) => source === "queued");
	// a queued message is written again as a typed one when its turn comes
	if (queued && event.source !== "queued" && normalise(queued.text) === normalise(text)) {
		queued.source = event.source;
		delete queued.waits;
		return moveToEnd(state, queued);
	}
	const wasWaiting = queued?.waits;
	if (event.source === "queued" && recountRepeated(state, text, event.waits)) {
		if (wasWaiting && !queued.waits) moveToEnd(state, queued);
		return;
	}
	state.order++;
	state.messages.push({
		...{ at: event.at, order: state.order, ...currentPos(state), source: event.source },
		...(event.waits && { waits: 1 }),
		text,
		...(cut > 0 && { cut }),
		...(isMeantToLast(text) && { lasts: true }),
	});
	const plan = truncate(safeText(event.plan ?? ""), 12_000);
	if (event.plan) state.plan = { text: plan, path: "", at: event.at, ...currentPos(state), approved: true };
	state.startedAt ||= event.at;
	// messages that say of themselves that they are meant to last are dropped last
	trimList(state, "messages", ({ lasts }) => !lasts, PROTECTED_MESSAGES);
}

/** Notes that the user asked ccg: the agent's answer, up to its next call, is no work and is not kept. A shell line (`! …`) gets no answer. */
function noteCcgAsked(state: SessionState, text: string): void {
	if (!text.startsWith("! ")) state.asksCcg = true;
}

/** Moves a message that waited in the queue to the end of the list: the agent reads it only now, behind what it did meanwhile. */
function moveToEnd(state: SessionState, message: Message): void {
	const isLast = message.order === state.order && (state.prose.at(-1)?.order ?? 0) < message.order;
	if (isLast) return;
	addVacantOrder(state, message.order);
	Object.assign(message, { order: ++state.order }, currentPos(state));
	state.messages.splice(state.messages.indexOf(message), 1);
	state.messages.push(message);
}

const PROTECTED_MESSAGES = 40;

/** A message's text as the state keeps it, an excerpt where it is long, and how many characters were cut from it. */
function excerptMessage(fullText: string): { text: string; cut: number } {
	const { text, missing } = excerpt(safeHead(fullText, MAX_READ), MAX_MESSAGE, isMeantToLast);
	return { text, cut: missing + Math.max(0, fullText.length - MAX_READ) };
}

const MAX_MESSAGE = 6_000;
/** A longer one is a file that was pasted: its end is not looked at. */
const MAX_READ = 256 * 1024;

/**
 * Whether a queued message repeats one of the last five. Updates how often that one waits: once more where it was queued again, not at all
 * where it is given now. The number counts, as up to 2.1.39 a message that is given in the middle of a turn is not written again.
 */
function recountRepeated(state: SessionState, text: string, isQueuedAgain = false): boolean {
	const key = normalise(text);
	const repeated = state.messages.slice(-5).findLast((message) => normalise(message.text) === key);
	if (repeated?.waits && isQueuedAgain) repeated.waits++;
	else delete repeated?.waits;
	return repeated !== undefined;
}

/** Removes a queued message that the user took back, once for each time it was queued (`waits`). One that was given to the agent stays. */
export function removeQueuedMessage(state: SessionState, text: string): void {
	const key = normalise(excerptMessage(text).text);
	const index = state.messages.findLastIndex((message) => message.waits && normalise(message.text) === key);
	const message = state.messages[index];
	if (!message?.waits || --message.waits > 0) return;
	state.messages.splice(index, 1);
	addVacantOrder(state, message.order);
}

const MAX_UNCLEAR = 20;
const MAX_UNCLEAR_TEXT = 1_000;

/** Adds a message whose speaker is not known to a list of its own, apart from the user's messages: nothing else is read from it. */
export function addUnclearMessage(state: SessionState, { at, text }: EventOf<"unclear">): void {
	if (isMessageToCcg(text)) return noteCcgAsked(state, text);
	const message = { at, order: state.order, ...currentPos(state), text: safeHead(text, MAX_UNCLEAR_TEXT) };
	const others = state.unclear?.filter((other) => other.text !== message.text) ?? [];
	if (others.length >= MAX_UNCLEAR) countDropped(state, "unclear messages");
	state.unclear = [...others, message].slice(-MAX_UNCLEAR);
}

/** A line for people on how many messages of a session have no known speaker; `null` where all have one. */
export function unknownSpeakersText({ unclear = [], claudeVersion }: SessionState): string | null {
	if (unclear.length === 0) return null;
	const count = unclear.length === 1 ? "one message" : `${unclear.length} messages`;
	return `unclear of ${count} who said it: Claude Code ${nameInBackticks(claudeVersion)} signs it in no way that this ccg knows`;
}
