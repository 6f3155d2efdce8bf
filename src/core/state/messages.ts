import { cut, normalised, safeText } from "../text/text.ts";
import type { TranscriptEvent } from "../transcript/event.ts";
import { withoutPastes } from "../transcript/spoken.ts";
import { directivesOf } from "./directives.ts";
import { boundMessages } from "./message-bound.ts";
import { endTurn } from "./prose.ts";
import { countDropped, leavePlace, type Message, type SessionState } from "./session-state.ts";
import { isQueuedAgain, keptMessage } from "./taken-back.ts";
import { markWithdrawn } from "./withdrawals.ts";

/** Gives whether it is a new one. */
export function applyMessage(state: SessionState, event: Extract<TranscriptEvent, { kind: "message" }>): boolean {
	const { text, cut: cutOff } = keptMessage(event.text);
	// nothing but invisible characters
	if (!text.trim()) return false;
	const queued = state.messages.findLast((message) => message.source === "queued");
	// a queued message is written again as a typed one when its turn comes
	if (queued && event.source !== "queued" && normalised(queued.text) === normalised(text)) {
		queued.source = event.source;
		delete queued.waits;
		nowGiven(state, queued);
		return false;
	}
	const waits = queued?.waits;
	if (event.source === "queued" && isQueuedAgain(state, text, event.waits)) {
		if (waits && !queued.waits) nowGiven(state, queued);
		return false;
	}
	endTurn(state);
	state.order++;
	state.messages.push({
		at: event.at,
		order: state.order,
		source: event.source,
		...(event.waits && { waits: 1 }),
		text,
		...(cutOff > 0 ? { cut: cutOff } : {}),
		directives: directivesWithin(state, withoutPastes(text)),
	});
	if (event.plan) state.plan = { text: cut(safeText(event.plan), 12_000), path: "", at: event.at, approved: true };
	state.startedAt ||= event.at;
	markWithdrawn(state, state.messages.at(-1)!);
	// whatever was asked, the user has spoken since; a shell line says nothing
	if (event.source !== "command") state.questions = [];
	boundMessages(state);
	return true;
}

/** It was put into the queue before: the agent reads it now, behind what it did meanwhile. */
function nowGiven(state: SessionState, message: Message): void {
	if (message.order === state.order && (state.prose.at(-1)?.order ?? 0) < message.order) return;
	endTurn(state);
	leavePlace(state, message.order);
	message.order = ++state.order;
	state.messages.splice(state.messages.indexOf(message), 1);
	state.messages.push(message);
}

/** A message of a thousand commanding lines is a paste: those at its end are nearest to what is asked. */
function directivesWithin(state: SessionState, text: string): string[] {
	const all = directivesOf(text);
	if (all.length > MAX_DIRECTIVES) countDropped(state, "directives of one message", all.length - MAX_DIRECTIVES);
	return all.slice(-MAX_DIRECTIVES);
}
const MAX_DIRECTIVES = 60;
