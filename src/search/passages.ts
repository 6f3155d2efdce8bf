import { unixSeconds } from "../core/context/session-context.ts";
import { readDecision } from "../core/state/decisions.ts";
import { copyWithinBounds, readEdits } from "../core/state/kept-input.ts";
import { subagentFile } from "../core/text/paths.ts";
import { safeEnds, safeHead } from "../core/text/safe-head.ts";
import { safeText } from "../core/text/text.ts";
import type { EventLine, EventOf, TranscriptEvent } from "../core/transcript/event.ts";
import { isMessageToCcg, isOwnCall, isOwnPrompt } from "../core/transcript/own-calls.ts";
import { MIN_PIECE, type Passage, type PassageKind } from "./passage.ts";

/** A longer text becomes several passages of about this many characters. */
const PIECE_LENGTH = 1_400;
/** Of one message, one call, one result so much can be found again. */
const MAX_MESSAGE = 60_000;
const MAX_FILE = 1_000_000;
const MAX_CALL = 2_400;
const MAX_INPUT = 1_200;
const MAX_RESULT = 2_400;
/** Calls that wait for their result. */
const MAX_WAITING = 200;

/**
 * A call whose result has not come. Its text is redacted with its result, or when the call is stored (`redactWaiting`). `isOwn`: it runs ccg,
 * and is not found again. `isEdit`: its result says nothing more, unless it failed.
 */
export type WaitingCall = Omit<Passage, "kind"> & { isOwn?: boolean; isEdit?: boolean };
/** A passage before it has its number among those of its line. */
type NewPassage = Omit<Passage, "part">;

/** The calls that still wait for their result, by their ids, redacted so that they may be stored. */
export const redactWaiting = (waiting: ReadonlyMap<string, WaitingCall>): [string, WaitingCall][] =>
	[...waiting].map(([id, call]) => [id, { ...call, text: safeText(call.text) }]);

/**
 * Gives a function that makes the passages of a transcript's lines, called with them in order: what the user and the agent said, each call
 * with the most telling part of its result. Calls without a result wait in `waiting` (changed in place), also for a later reading.
 */
export function passageMaker(waiting: Map<string, WaitingCall>): (line: EventLine) => Passage[] {
	// whether the user's last message runs ccg: what it prints is not indexed
	let isCcgRun = false;
	const passages = (event: TranscriptEvent, pos: number) => {
		const isMessage = event.kind === "message" || event.kind === "unclear";
		if (isMessage) isCcgRun = isMessageToCcg(event.text);
		const isOutput = event.kind === "told" && event.by === "output";
		return isCcgRun && (isMessage || isOutput) ? [] : eventPassages(event, pos, waiting);
	};
	return ({ pos, events }) =>
		events.flatMap((event) => passages(event, pos)).map((passage, part) => ({ ...passage, part }));
}

/** The kinds of a subagent's passages that are indexed. What it was told stands in the call that started it. */
const SUBAGENT_KINDS: { [K in PassageKind]?: PassageKind } = { agent: "subagent", call: "subcall", failure: "subcall" };

/** The passages with the kinds that they have as a subagent's, without those that are not indexed of one. */
export const asSubagentPassages = <P extends { kind: PassageKind }>(passages: readonly P[]) =>
	passages.flatMap(({ kind, ...one }) => (SUBAGENT_KINDS[kind] ? [{ ...one, kind: SUBAGENT_KINDS[kind] }] : []));

/** Makes the passages of an event. Those of a call come with its result: until then the call is kept in `waiting`. */
function eventPassages(event: TranscriptEvent, pos: number, waiting: Map<string, WaitingCall>): NewPassage[] {
	const messagePassages = (kind: Passage["kind"], { at, text }: { at: string; text: string }) =>
		splitPassage({ pos, tool: "", path: "", kind, at: unixSeconds(at), text: safeHead(text, MAX_MESSAGE) });
	if (event.kind === "message") return event.waits ? [] : messagePassages("user", event);
	if (event.kind === "said") return messagePassages("agent", event);
	if (event.kind === "unclear") return messagePassages("unclear", event);
	if (event.kind === "told" && event.by === "host" && isOwnPrompt(event.text)) return [];
	if (event.kind === "told") return messagePassages(event.by, event);
	if (event.kind === "aside") {
		const ofSubagent = asSubagentPassages(event.events.flatMap((one) => eventPassages(one, pos, waiting)));
		return ofSubagent.map((passage) => ({ ...passage, path: subagentPath(event.agent) }));
	}
	if (event.kind === "call") keepWaitingCall(waiting, event, pos);
	if (event.kind !== "result") return [];
	const call = waiting.get(event.id);
	waiting.delete(event.id);
	return call?.isOwn ? [] : resultPassages(call, event, pos);
}

/** The path of a subagent's transcript below its session's; the call that started the subagent has it too. */
const subagentPath = (id: string): string => subagentFile(`subagents/agent-${id}.jsonl`) ?? "";

/** Keeps a call in `waiting` until its result comes; of too many the oldest is dropped. */
function keepWaitingCall(waiting: Map<string, WaitingCall>, event: EventOf<"call">, pos: number): void {
	const { tool, input } = event;
	const changes = readEdits(input)?.flatMap(({ before, after }) => diffLines(redactLines(before), redactLines(after)));
	const path = inputPath(input);
	waiting.set(event.id, {
		pos,
		part: 0,
		at: unixSeconds(event.at),
		tool: safeHead(tool, 100),
		path: safeHead(path ?? "", 1_000),
		text: changes ? cutIfLong(`${tool} ${path}\n${changes.join("\n")}`, MAX_CALL) : callText(tool, input),
		isOwn: isOwnCall(tool, input),
		isEdit: changes !== undefined,
	});
	if (waiting.size > MAX_WAITING) waiting.delete(waiting.keys().next().value!);
}

/** Makes the passages of a call with its result. */
function resultPassages(call: WaitingCall | undefined, event: EventOf<"result">, pos: number): NewPassage[] {
	const { failed, text, at, detail } = event;
	const { tool = "", text: calledWith = "", isEdit = false } = call ?? {};
	const { agentId } = Object(detail);
	const path = call?.path || subagentPath(typeof agentId === "string" ? agentId : "");
	const refusal = failed && readDecision({ tool, subject: "", order: 0 }, event);
	const outcome = refusal ? `refused by the user${refusal.words && `: ${refusal.words}`}` : text.trim();
	// a failed edit's result repeats what was to be edited
	const result = !isEdit ? outcome : failed ? outcome.split("\nString: ", 1)[0] : "";
	const lead = `${calledWith}${result ? `\n→ ${failed ? "failed: " : ""}` : failed ? "\n→ failed" : ""}`;
	const callWithResult = safeEnds(lead + result, lead.length + MAX_RESULT, lead.length);
	const kind = failed ? "failure" : tool === QUESTION_TOOL ? "answer" : "call";
	return splitPassage({ pos, tool, path, kind, at: unixSeconds(at) || (call?.at ?? 0), text: callWithResult });
}

/** A long text cut by `cut`, which also redacts it. A short one stays as it is: it is redacted with the text that it becomes a part of. */
const cutIfLong = (text: string, max: number, cut = safeEnds): string => (text.length <= max ? text : cut(text, max));

/** A call as a person reads it: of Bash the command, else the tool and a line for each input. */
function callText(tool: string, input: Record<string, unknown>): string {
	if (tool.split("__").at(-1) === "Bash" && typeof input.command === "string") {
		const description = typeof input.description === "string" ? safeHead(input.description, 300) : "";
		return `$ ${cutIfLong(input.command, MAX_CALL)}${description && `\n# ${description}`}`;
	}
	const lines = [cutIfLong(tool, 100, safeHead)];
	let left = MAX_CALL;
	for (const [name, value] of callInputs(tool, input)) {
		if (left <= 0) break;
		// deep or large ones are cut: an input may be of any shape
		const text = typeof value === "string" ? value : (JSON.stringify(copyWithinBounds({ value }).value) ?? "");
		const label = name && `${cutIfLong(name, 100, safeHead)}: `;
		const line = `${label}${cutIfLong(text, Math.min(left, name ? MAX_INPUT : MAX_CALL))}`;
		lines.push(line);
		left -= line.length;
	}
	return lines.join("\n");
}

/** The inputs of a call, with their names; of a question to the user the question with its options, without a name. */
function callInputs(tool: string, input: Record<string, unknown>): [name: string, value: unknown][] {
	const { questions } = input;
	if (tool !== QUESTION_TOOL || !Array.isArray(questions)) return Object.entries(input);
	return questions.map((one) => {
		const { question, options } = Object(one);
		const optionLines = [options].flat().map((option) => {
			const { label, description } = Object(option);
			return `- ${label}${description ? `: ${description}` : ""}`;
		});
		return ["", [question, ...optionLines].join("\n")];
	});
}
const QUESTION_TOOL = "AskUserQuestion";

/** The path of the file that a call was made on. */
const inputPath = (input: Record<string, unknown>): string | undefined =>
	[input.file_path, input.notebook_path, input.path].find((one) => typeof one === "string");

/** The lines of a redacted text. It is redacted before it is split: a key of several lines is not known line by line. */
const redactLines = (text: string): string[] => (text ? safeHead(text, MAX_MESSAGE).split("\n") : []);

/** The lines of an edit: behind `@` those that stayed (a change is found by these too), behind `-` the old, behind `+` the new. */
function diffLines(before: readonly string[], after: readonly string[]): string[] {
	const [old, current] = [new Set(before), new Set(after)];
	const marked = (mark: string, lines: readonly string[], isWanted: (line: string) => boolean) =>
		lines.filter((line) => line.trim() && isWanted(line)).map((line) => `${mark} ${line}`);
	return [
		...marked("@", before, (line) => current.has(line)),
		...marked("-", before, (line) => !current.has(line)),
		...marked("+", after, (line) => !old.has(line)),
	];
}

/** The passages of a file of text: each begins where a paragraph, a line or a word does. */
export function textPassages(text: string, { kind, at }: Pick<Passage, "kind" | "at">): Passage[] {
	const safe = safeHead(text, MAX_FILE);
	let from = 0;
	return splitPassage({ pos: 0, tool: "", path: "", kind, at, text: safe }).map((piece) => {
		const pos = Math.max(0, safe.indexOf(piece.text, from));
		from = pos + piece.text.length;
		return { ...piece, pos, part: 0 };
	});
}

/** Splits a long passage into several, whose texts end between paragraphs, lines or words. Joined they are the text; of a blank one there is none. */
function splitPassage(passage: NewPassage): NewPassage[] {
	const text = passage.text.trim();
	if (!text) return [];
	const pieces: NewPassage[] = [];
	for (let from = 0; from < text.length; ) {
		const isLast = text.length - from <= PIECE_LENGTH * 1.3;
		const end = isLast ? text.length : endOfPiece(text, from);
		const piece = text.slice(from, end);
		if (piece.trim()) pieces.push({ ...passage, text: piece });
		from = end;
	}
	return pieces;
}

/** The end of the piece that begins at `from`: behind a paragraph, line, sentence or word, where the piece is long enough then. */
function endOfPiece(text: string, from: number): number {
	const longest = from + PIECE_LENGTH;
	for (const separator of ["\n\n", "\n", ". ", " "]) {
		const at = text.lastIndexOf(separator, longest);
		if (at > from + MIN_PIECE) return at + separator.length;
	}
	// no half of a pair of surrogates
	return text.codePointAt(longest - 1)! > 0xffff ? longest - 1 : longest;
}
