import { applyToState } from "../state/apply.ts";
import { endUnlisted } from "../state/background-account.ts";
import { directivesOf } from "../state/directives.ts";
import type { Applied, OpenCall } from "../state/session-state.ts";
import { safeHead } from "../text/safe-head.ts";
import { normalised, safeText } from "../text/text.ts";
import type { EventLine, TranscriptEvent } from "../transcript/event.ts";
import { interrupt, noteEnded, takeAccount } from "./background.ts";
import { addHistory, forget, learn, type Made, RECORD_TEXT } from "./history.ts";
import { followTasks, planOf, proposePlan } from "./plan.ts";
import type { LateRecord, RecordBody, SessionRecord } from "./record.ts";
import { safeName } from "./safe-name.ts";
import { type Approval, type SessionSnapshot, seconds } from "./session-context.ts";
import { countUsage } from "./token-count.ts";

const RESULT_TEXT = 400;
const MAX_APPROVALS = 200;
const MAX_TOOLS = 300;

type Event<K extends TranscriptEvent["kind"]> = Extract<TranscriptEvent, { kind: K }>;
/** What an event is applied to. */
interface Draft {
	snapshot: SessionSnapshot;
	/** The facts, normalised. */
	known: Set<string>;
	nextId(): string;
}

/**
 * Applies lines of a transcript to a snapshot, in place, and gives what goes into the event log: the one place where an event
 * counts. Linear in the events. The ids of records and history entries are made from the line's uuid (its position where it
 * has none) and the record's number in it, so the same line always gives the same ids. The history grows without bound: the
 * compactor follows.
 */
export function applier(snapshot: SessionSnapshot): (line: EventLine) => SessionRecord[] {
	const known = new Set(snapshot.facts.map(normalised));
	return ({ pos, uuid, events }) => {
		let n = 0;
		const draft = { snapshot, known, nextId: () => `${uuid || `@${pos}`}.${n++}` };
		return events
			.flatMap((event) => applyEvent(draft, event))
			.map(({ at, id, ...body }) => ({ v: 1, at, id, pos, ...body }));
	};
}

/** Takes in what was written to the event log by somebody who could not have the lock. */
export function applyLate(snapshot: SessionSnapshot, records: readonly LateRecord[]): void {
	for (const record of records) {
		if (record.kind === "profile") snapshot.profile = record.profile;
		else if (record.kind === "background") takeAccount(snapshot, { at: record.at, tasks: record.tasks });
		else {
			snapshot.ended = record.reason;
			interrupt(snapshot, seconds(record.at));
		}
	}
}

function applyEvent(draft: Draft, event: TranscriptEvent): Made[] {
	const { snapshot } = draft;
	const running = [...snapshot.state.backgroundTasks];
	const applied = applyToState(snapshot.state, event);
	if (snapshot.account) endUnlisted(snapshot.state, snapshot.account);
	const at = "at" in event ? event.at : "";
	noteEnded(snapshot, running, seconds(at));
	return recordsOf(draft, event, applied).map((body) => ("id" in body ? body : { ...body, at, id: draft.nextId() }));
}

/** What came of an event, beside the state. What has its id already stands in the history too. */
function recordsOf(draft: Draft, event: TranscriptEvent, applied: Applied): (RecordBody | Made)[] {
	const { snapshot } = draft;
	switch (event.kind) {
		case "message":
			snapshot.ended = "";
			return applied.counts ? [message(draft, event)] : [];
		case "taken back":
			return applied.counts ? forget(snapshot, event.text, draft.known) : [];
		case "said":
			return [entry(draft, event, { role: "assistant", text: safeHead(event.text, RECORD_TEXT) })];
		case "call":
			return called(draft, event, applied.call);
		case "result":
			return resulted(draft, event, applied);
		case "interrupted":
			return applied.decision ? [decided(draft, { ...applied.decision, tool: applied.call?.tool ?? "" })] : [];
		case "boundary":
			return [{ kind: "compaction", trigger: safeText(event.trigger), tokens: event.preTokens }];
		case "usage":
			countUsage(snapshot, event);
	}
	return [];
}

function message(draft: Draft, event: Event<"message">): Made {
	const text = safeHead(event.text, RECORD_TEXT);
	for (const fact of directivesOf(text)) learn(draft.snapshot, draft.known, fact);
	return entry(draft, event, { role: "user", text });
}

const entry = (
	{ snapshot, nextId }: Draft,
	{ at, text }: { at: string; text: string },
	said: { role: "user" | "assistant"; text: string },
): Made => addHistory(snapshot, { ...said, length: text.length, at, id: nextId() });

function called({ snapshot, known }: Draft, { at, tool, input }: Event<"call">, call?: OpenCall): RecordBody[] {
	countCall(snapshot, safeName(tool).slice(0, 100));
	const note = tool === "Bash" ? SAVED_NOTE.exec(call?.subject ?? "")?.[3] : undefined;
	if (note) learn(snapshot, known, note);
	if (tool !== "ExitPlanMode" || typeof input.plan !== "string") return [];
	const text = safeHead(input.plan, 12_000);
	const path = typeof input.planFilePath === "string" ? safeName(input.planFilePath) : "";
	proposePlan(snapshot, text, path, seconds(at));
	return [{ kind: "plan", approved: false, text: text.slice(0, RECORD_TEXT) }];
}
const SAVED_NOTE = /\bccg'? memory save ((?:--\S+(?: (?!-)\S+)? )*)(['"])([\s\S]+?)\2/;

function countCall({ tool_stats: stats }: SessionSnapshot, tool: string): void {
	stats.total_calls++;
	if (Object.hasOwn(stats.by_tool, tool)) stats.by_tool[tool]!++;
	else if (Object.keys(stats.by_tool).length < MAX_TOOLS)
		Object.defineProperty(stats.by_tool, tool, { value: 1, enumerable: true, configurable: true, writable: true });
}

function resulted(draft: Draft, event: Event<"result">, { call, decision }: Applied): (RecordBody | Made)[] {
	const { snapshot } = draft;
	if (event.failed) snapshot.tool_stats.failures++;
	const made: (RecordBody | Made)[] = [resultEntry(draft, event, call)];
	const told = decision ?? (call && grant(call, event));
	if (told) made.push(decided(draft, { ...told, at: event.at, tool: call?.tool || "unknown" }));
	return call && !event.failed ? [...made, ...followTasks(snapshot, call, seconds(event.at))] : made;
}

function resultEntry({ snapshot, nextId }: Draft, event: Event<"result">, call?: OpenCall): Made {
	const told = safeHead(event.text, RESULT_TEXT).trim();
	const what = call?.tool ? `${call.tool} ${call.subject}`.trim() : "a tool";
	const text = told ? `${what}\n${event.failed ? "failed: " : "-> "}${told}` : what;
	return addHistory(snapshot, {
		role: "tool",
		text,
		length: text.length + Math.max(0, event.text.length - RESULT_TEXT),
		at: event.at,
		id: nextId(),
		tool: safeName(call?.tool || "unknown").slice(0, 100),
		...(event.failed && { failed: true as const }),
	});
}

/** A call that a person allowed when Claude Code asked. */
function grant(call: OpenCall, { granted }: Event<"result">) {
	if (!granted) return null;
	const scope = granted === "once" ? "" : safeName(granted).slice(0, 100);
	return { kind: "allowed" as const, subject: `${call.tool} ${call.subject}`.trim(), words: scope };
}

function decided(
	{ snapshot, known, nextId }: Draft,
	{ kind, tool, subject, words, at }: Pick<Approval, "kind" | "tool" | "subject" | "words"> & { at: string },
): Made {
	const id = nextId();
	snapshot.approvals.push({ timestamp: seconds(at), kind, tool, subject, words, id });
	if (snapshot.approvals.length > MAX_APPROVALS) snapshot.approvals.shift();
	if (kind === "answer") learn(snapshot, known, `${subject} — ${words}`);
	const plan = snapshot.current_plan;
	if (kind === "plan approved" && plan?.status === "Proposed")
		snapshot.current_plan = planOf({ ...plan, status: "Approved" });
	return { kind: "decision", decision: kind, tool, subject, words, at, id };
}
