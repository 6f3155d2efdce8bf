import { safeText } from "../text/text.ts";
import type { TranscriptEvent } from "../transcript/event.ts";
import { applyAgentWords } from "./agent-words.ts";
import { applyCall } from "./calls.ts";
import { decide } from "./decisions.ts";
import { safeName } from "./file-uses.ts";
import { applyMessage } from "./messages.ts";
import { keepProse } from "./prose.ts";
import { applyResult } from "./results.ts";
import type { Applied, Decision, SessionState } from "./session-state.ts";
import { takeBack } from "./taken-back.ts";
import { keepUnclear } from "./unclear.ts";

/** Applies one event to the state, in place: a transcript has tens of thousands of them. */
export function applyToState(state: SessionState, event: TranscriptEvent): Applied {
	switch (event.kind) {
		case "message":
			return { counts: applyMessage(state, event) };
		case "taken back":
			return { counts: takeBack(state, event.text) };
		case "call":
			return applyCall(state, event);
		case "result":
			return applyResult(state, event);
		case "interrupted":
			return applyInterruption(state, event);
		default:
			applyFact(state, event);
			return {};
	}
}

/** Events of which the state says all that is to be said. */
function applyFact(
	state: SessionState,
	event: Extract<TranscriptEvent, { kind: "ended" | "said" | "unclear" | "usage" | "boundary" | "place" }>,
): void {
	switch (event.kind) {
		case "ended":
			state.backgroundTasks = state.backgroundTasks.filter(({ id }) => id !== event.id);
			return;
		case "said":
			return applySaid(state, event);
		case "unclear":
			return keepUnclear(state, event);
		case "usage":
			state.tokens = event.tokens;
			state.model = safeName(event.model).slice(0, 100);
			return;
		case "boundary":
			state.boundaries++;
			state.tokens = null;
			state.open = {};
			return;
		case "place":
			state.cwd = safeName(event.cwd);
			state.branch = safeName(event.branch);
			state.claudeVersion = safeName(event.version) || state.claudeVersion;
	}
}

/** Only what is safe is looked into: a name the agent used may be a secret. */
function applySaid(state: SessionState, event: Extract<TranscriptEvent, { kind: "said" }>): void {
	const text = safeText(event.text);
	delete state.refusedAt;
	state.lastSaid = lastPart(text, 1_500);
	keepProse(state, text, event.at);
	applyAgentWords(state, text, event.at);
}

/** The user stopped the agent: with what it was about to do, where that is known. */
function applyInterruption(state: SessionState, event: Extract<TranscriptEvent, { kind: "interrupted" }>): Applied {
	const call = Object.values(state.open).findLast(({ order }) => order >= state.order - 20);
	// a rejected call is written as an interruption too: it is one act while the agent has not gone on
	if (state.refusedAt === state.order) return {};
	const subject = call ? `${call.tool} ${call.subject}`.trim() : "the agent's answer";
	state.decisions = state.decisions.filter((one) => one.kind !== "interrupted" || one.subject !== subject);
	const decision: Decision = { kind: "interrupted", subject, words: "", at: event.at, order: state.order };
	decide(state, decision);
	return { decision, ...(call && { call }) };
}

/** The end of a text, saying how much stood before it. */
const lastPart = (text: string, max: number): string =>
	text.length <= max ? text : `[${text.length - max} characters before…] ${text.slice(-max)}`;
