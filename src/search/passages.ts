import { decisionOf } from "../core/state/decisions.ts";
import { editsIn } from "../core/state/edits.ts";
import { keptInput } from "../core/state/kept-input.ts";
import { subagentIn } from "../core/text/paths.ts";
import { safeEnds, safeHead } from "../core/text/safe-head.ts";
import { safeText } from "../core/text/text.ts";
import type { EventLine, TranscriptEvent } from "../core/transcript/event.ts";
import { isOwnCall, isOwnMessage, isOwnPrompt } from "../core/transcript/own-calls.ts";
import { LEAST_PIECE, type Passage, type PassageKind } from "./passage.ts";

/** A longer text becomes several passages of about this many characters. */
const LENGTH = 1_400;
/** Of one message, one call, one result so much can be found again. */
const MAX_SAID = 60_000;
const MAX_FILE = 1_000_000;
const MAX_CALL = 2_400;
const MAX_INPUT = 1_200;
const MAX_RESULT = 2_400;
/** Calls that wait for their result. */
const MAX_OPEN = 200;

/**
 * A call whose result has not come. Its text is looked through with its result, or when it is kept (`keptCalls`). `isOwn`: it runs ccg, and is
 * not found again. `isEdit`: its result says nothing more, unless it failed.
 */
export type WaitingCall = Omit<Passage, "kind"> & { isOwn?: boolean; isEdit?: boolean };

export const keptCalls = (waiting: ReadonlyMap<string, WaitingCall>): [string, WaitingCall][] =>
	[...waiting].map(([id, call]) => [id, { ...call, text: safeText(call.text) }]);

/**
 * Makes the passages of a transcript's lines, in order: what the user and the agent said, each call with the telling part of its
 * result. Calls without a result wait in `waiting` (changed in place) for a later reading.
 */
export function passageMaker(waiting: Map<string, WaitingCall>): (line: EventLine) => Passage[] {
	// what the user's last message ran, so that what it printed is not found again
	let isOwn = false;
	const passages = (event: TranscriptEvent, pos: number) => {
		const isSaid = event.kind === "message" || event.kind === "unclear";
		if (isSaid) isOwn = isOwnMessage(event.text);
		const isOfOwn = isSaid || (event.kind === "told" && event.by === "output");
		return isOwn && isOfOwn ? [] : passagesOf(event, pos, waiting);
	};
	return ({ pos, events }) =>
		events.flatMap((event) => passages(event, pos)).map((passage, part) => ({ ...passage, part }));
}

/** What is found of a subagent's transcript. What it was told stands in the call that started it. */
const OF_SUBAGENT: { [K in PassageKind]?: PassageKind } = { agent: "subagent", call: "subcall", failure: "subcall" };

export const ofSubagent = <P extends { kind: PassageKind }>(passages: readonly P[]) =>
	passages.flatMap(({ kind, ...one }) => (OF_SUBAGENT[kind] ? [{ ...one, kind: OF_SUBAGENT[kind] }] : []));

/** Makes the passages of an event. A call waits in `waiting` for its result. */
function passagesOf(event: TranscriptEvent, pos: number, waiting: Map<string, WaitingCall>): Omit<Passage, "part">[] {
	const said = (kind: Passage["kind"], { at, text }: { at: string; text: string }) =>
		pieces({ pos, tool: "", path: "", kind, at: secondsOf(at), text: safeHead(text, MAX_SAID) });
	if (event.kind === "message") return event.waits ? [] : said("user", event);
	if (event.kind === "said") return said("agent", event);
	if (event.kind === "unclear") return said("unclear", event);
	if (event.kind === "told") return event.by === "host" && isOwnPrompt(event.text) ? [] : said(event.by, event);
	if (event.kind === "aside") {
		const path = agentPath(event.agent);
		return ofSubagent(event.events.flatMap((one) => passagesOf(one, pos, waiting))).map((one) => ({ ...one, path }));
	}
	if (event.kind === "call") wait(waiting, event, pos);
	if (event.kind !== "result") return [];
	const call = waiting.get(event.id);
	waiting.delete(event.id);
	return call?.isOwn ? [] : passagesOfResult(call, event, pos);
}

/** Where the transcript of a subagent lies: its call names it, too. */
const agentPath = (id: string): string => subagentIn(`subagents/agent-${id}.jsonl`) ?? "";

/** Keeps a call until its result comes; of too many the oldest is dropped. */
function wait(waiting: Map<string, WaitingCall>, event: Extract<TranscriptEvent, { kind: "call" }>, pos: number): void {
	const { tool, input } = event;
	const changes = editsIn(input)?.flatMap(({ before, after }) => linesChanged(safeLines(before), safeLines(after)));
	waiting.set(event.id, {
		pos,
		part: 0,
		at: secondsOf(event.at),
		tool: safeHead(tool, 100),
		path: safeHead(pathIn(input) ?? "", 1_000),
		text: changes ? ends(`${tool} ${pathIn(input)}\n${changes.join("\n")}`, MAX_CALL) : callText(tool, input),
		isOwn: isOwnCall(tool, input),
		isEdit: changes !== undefined,
	});
	if (waiting.size > MAX_OPEN) waiting.delete(waiting.keys().next().value!);
}

/** Makes the passages of a call with its result. */
function passagesOfResult(
	call: WaitingCall | undefined,
	event: Extract<TranscriptEvent, { kind: "result" }>,
	pos: number,
): Omit<Passage, "part">[] {
	const { failed, text, at, detail } = event;
	const { tool = "", text: asked = "", isEdit = false } = call ?? {};
	const { agentId } = Object(detail);
	// where its subagent's transcript lies
	const path = call?.path || agentPath(typeof agentId === "string" ? agentId : "");
	const refused = failed && decisionOf({ tool, subject: "", order: 0 }, event);
	const told = refused ? `refused by the user${refused.words && `: ${refused.words}`}` : text.trim();
	// a failed edit's result repeats what was to be edited
	const result = !isEdit ? told : failed ? told.split("\nString: ", 1)[0] : "";
	const lead = `${asked}${result ? `\n→ ${failed ? "failed: " : ""}` : failed ? "\n→ failed" : ""}`;
	const said = safeEnds(lead + result, lead.length + MAX_RESULT, lead.length);
	const kind = failed ? "failure" : tool === ASKING ? "answer" : "call";
	return pieces({ pos, tool, path, kind, at: secondsOf(at) || (call?.at ?? 0), text: said });
}

/** Where nothing is cut, a text is looked through once, with all it becomes a part of. */
const ends = (text: string, max: number, cut = safeEnds): string => (text.length <= max ? text : cut(text, max));

/** A call as a person reads it: its command or what it was made on first, its other inputs below. */
function callText(tool: string, input: Record<string, unknown>): string {
	if (tool.split("__").at(-1) === "Bash" && typeof input.command === "string") {
		const told =
			typeof input.description === "string" && input.description ? `\n# ${safeHead(input.description, 300)}` : "";
		return `$ ${ends(input.command, MAX_CALL)}${told}`;
	}
	const lines = [ends(tool, 100, safeHead)];
	let left = MAX_CALL;
	for (const [name, value] of askedOr(tool, input)) {
		if (left <= 0) break;
		// deep or large ones are cut: an input may be of any shape
		const text = typeof value === "string" ? value : (JSON.stringify(keptInput({ value }).value) ?? "");
		const line = `${name && `${ends(name, 100, safeHead)}: `}${ends(text, Math.min(left, name ? MAX_INPUT : MAX_CALL))}`;
		lines.push(line);
		left -= line.length;
	}
	return lines.join("\n");
}

/** The inputs of a call; of questions to the user what may be answered. */
function askedOr(tool: string, input: Record<string, unknown>): [name: string, value: unknown][] {
	const { questions } = input;
	if (tool !== ASKING || !Array.isArray(questions)) return Object.entries(input);
	return questions.flatMap((one) => {
		const { question, options } = Object(one);
		const said = [options].flat().map((option) => {
			const { label, description } = Object(option);
			return `- ${label}${description ? `: ${description}` : ""}`;
		});
		return [["", [question, ...said].join("\n")] as [string, string]];
	});
}
const ASKING = "AskUserQuestion";

const pathIn = (input: Record<string, unknown>): string | undefined =>
	[input.file_path, input.notebook_path, input.path].find((one) => typeof one === "string");

/** Looked through as a whole: behind marks no rule knows a key of several lines. */
const safeLines = (text: string): string[] => (text ? safeHead(text, MAX_SAID).split("\n") : []);

/** The lines that went and came, and behind `@` those that stayed: a change is found by these too. */
function linesChanged(before: readonly string[], after: readonly string[]): string[] {
	const [was, is] = [new Set(before), new Set(after)];
	const marked = (mark: string, lines: readonly string[], isOf: (line: string) => boolean) =>
		lines.filter((line) => line.trim() && isOf(line)).map((line) => `${mark} ${line}`);
	return [
		...marked("@", before, (line) => is.has(line)),
		...marked("-", before, (line) => !is.has(line)),
		...marked("+", after, (line) => !was.has(line)),
	];
}

/** The passages of a file of text: each begins where a paragraph, a line or a word does. */
export function textPassages(text: string, { kind, at }: Pick<Passage, "kind" | "at">): Passage[] {
	const safe = safeHead(text, MAX_FILE);
	let from = 0;
	return pieces({ pos: 0, tool: "", path: "", kind, at, text: safe }).map((piece) => {
		const pos = Math.max(0, safe.indexOf(piece.text, from));
		from = pos + piece.text.length;
		return { ...piece, pos, part: 0 };
	});
}

/** A long text in pieces that end between paragraphs, lines or words; joined they are the text. */
function pieces(passage: Omit<Passage, "part">): Omit<Passage, "part">[] {
	const text = passage.text.trim();
	if (!text) return [];
	if (text.length <= LENGTH * 1.3) return [{ ...passage, text }];
	const found: Omit<Passage, "part">[] = [];
	for (let from = 0; from < text.length; ) {
		const end = text.length - from <= LENGTH * 1.3 ? text.length : endOfPiece(text, from);
		const piece = text.slice(from, end);
		if (piece.trim()) found.push({ ...passage, text: piece });
		from = end;
	}
	return found;
}

/** Gives the end of the piece that begins at a place: behind a paragraph, line, sentence or word. */
function endOfPiece(text: string, from: number): number {
	const most = from + LENGTH;
	for (const mark of ["\n\n", "\n", ". ", " "]) {
		const at = text.lastIndexOf(mark, most);
		if (at > from + LEAST_PIECE) return at + mark.length;
	}
	// no half of a pair of surrogates
	return text.codePointAt(most - 1)! > 0xffff ? most - 1 : most;
}

function secondsOf(at: string): number {
	const ms = Date.parse(at);
	return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
}
