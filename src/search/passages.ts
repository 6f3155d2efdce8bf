import { partOfClean } from "../core/redact/secrets.ts";
import { keptInput } from "../core/state/kept-input.ts";
import { partsOf } from "../core/state/shell-text.ts";
import { subagentIn } from "../core/text/paths.ts";
import { safeEnds, safeHead } from "../core/text/safe-head.ts";
import { safeText } from "../core/text/text.ts";
import type { EventLine, TranscriptEvent } from "../core/transcript/event.ts";
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

/** A call whose result has not come. Its text is looked through with its result, or when it is kept (`keptCalls`). */
export type WaitingCall = Omit<Passage, "kind">;

export const keptCalls = (waiting: ReadonlyMap<string, WaitingCall>): [string, WaitingCall][] =>
	[...waiting].map(([id, call]) => [id, { ...call, text: safeText(call.text) }]);

/**
 * Makes the passages of a transcript's lines, in order: what the user and the agent said, each call with the telling part of its
 * result. Calls without a result wait in `waiting` (changed in place) for a later reading.
 */
export function passageMaker(waiting: Map<string, WaitingCall>): (line: EventLine) => Passage[] {
	return ({ pos, events }) =>
		events.flatMap((event) => passagesOf(event, pos, waiting)).map((passage, part) => ({ ...passage, part }));
}

/** What is found of a subagent's transcript. What it was told stands in the call that started it. */
const OF_SUBAGENT: { [K in PassageKind]?: PassageKind } = { agent: "subagent", call: "subcall", failure: "subcall" };

export const ofSubagent = <P extends { kind: PassageKind }>(passages: readonly P[]) =>
	passages.flatMap(({ kind, ...one }) => (OF_SUBAGENT[kind] ? [{ ...one, kind: OF_SUBAGENT[kind] }] : []));

function passagesOf(event: TranscriptEvent, pos: number, waiting: Map<string, WaitingCall>): Omit<Passage, "part">[] {
	const said = (kind: Passage["kind"], { at, text }: { at: string; text: string }) =>
		pieces({ pos, tool: "", path: "", kind, at: secondsOf(at), text: safeHead(text, MAX_SAID) });
	if (event.kind === "message") return event.waits || ASKED.test(event.text) ? [] : said("user", event);
	if (event.kind === "said") return said("agent", event);
	if (event.kind === "unclear") return said("unclear", event);
	if (event.kind === "told") return said(event.by, event);
	if (event.kind === "aside") {
		const path = pathOfAside(event.agent, waiting);
		return ofSubagent(event.events.flatMap((one) => passagesOf(one, pos, waiting))).map((one) => ({ ...one, path }));
	}
	if (event.kind === "call") wait(waiting, event, pos);
	if (event.kind !== "result") return [];
	const call = waiting.get(event.id);
	waiting.delete(event.id);
	return isLookUp(call) ? [] : answered(call, event, pos);
}

/** Where the transcript of a subagent that speaks in another's would lie: the call that started it names it too, where only one waits. */
function pathOfAside(agent: string, waiting: Map<string, WaitingCall>): string {
	const [task, ...others] = [...waiting].filter(([, { tool }]) => tool === "Task" || tool === "Agent");
	const one = others.length === 0 ? task : undefined;
	const path = agentPath(agent) || agentPath(one?.[0] ?? "");
	if (one) one[1].path ||= path;
	return path;
}
const agentPath = (id: string): string => subagentIn(`subagents/agent-${id}.jsonl`) ?? "";

function wait(waiting: Map<string, WaitingCall>, event: Extract<TranscriptEvent, { kind: "call" }>, pos: number): void {
	const { tool, input } = event;
	const path = [input.file_path, input.notebook_path, input.path].find((one) => typeof one === "string");
	waiting.set(event.id, {
		pos,
		part: 0,
		at: secondsOf(event.at),
		tool: safeHead(tool, 100),
		path: safeHead(String(path ?? ""), 1_000),
		text: callText(tool, input),
	});
	if (waiting.size > MAX_OPEN) waiting.delete(waiting.keys().next().value!);
}

/** What recall answered stands in the index already, and would be found before it: it holds the words asked for. */
const isLookUp = ({ tool, text }: Pick<WaitingCall, "tool" | "text"> = { tool: "", text: "" }): boolean => {
	if (tool !== "Bash") return LOOK_UP_TOOL.test(tool);
	const runs = partsOf(text.replace(/^\$ /, "").replace(/\n# [^\n]*$/, "")).map(({ run }) => run);
	return runs.some((run) => RECALL.test(run)) && runs.every((run) => RECALL.test(run) || AROUND.test(run));
};
/** A launcher between quotes is empty here. */
const RECALL = /^(?:\S*\/ccg|ccg|'') recall(?=\s|$)(?!.*(?:[`$]|(?<!2)>))/;
/** What leads to it, and what takes a part of its answer. */
const AROUND = /^(?:cd|head|tail|grep|sed|less)(?=\s|$)/;
/** The user's own way to ask. */
const ASKED = /^\/(?:ccg:)?recall(?=\s|$)/;
const LOOK_UP_TOOL = /^mcp__(?:plugin_ccg_)?ccg__(?:recall|read_passage|list_memories)$/;

function answered(
	call: WaitingCall | undefined,
	{ failed, text, at, detail }: Extract<TranscriptEvent, { kind: "result" }>,
	pos: number,
): Omit<Passage, "part">[] {
	const { tool = "", text: asked = "" } = call ?? {};
	const { agentId } = Object(detail);
	// where its subagent's transcript lies
	const path = call?.path || agentPath(typeof agentId === "string" ? agentId : "");
	const result = text.trim();
	const lead = `${asked}${result ? `\n→ ${failed ? "failed: " : ""}` : failed ? "\n→ failed" : ""}`;
	const said = safeEnds(lead + result, lead.length + MAX_RESULT, lead.length);
	const kind = failed ? "failure" : tool === ASKING ? "answer" : "call";
	return pieces({ pos, tool, path, kind, at: secondsOf(at) || (call?.at ?? 0), text: said });
}

/** Where nothing is cut, a text is looked through once, with all it becomes a part of. */
const ends = (text: string, max: number, cut = safeEnds): string => (text.length <= max ? text : cut(text, max));

/** A call as a person reads it: its command or what it was made on first, its other inputs below. */
function callText(tool: string, input: Record<string, unknown>): string {
	if (tool === "Bash" && typeof input.command === "string") {
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

/** The inputs of a call; of an edit what changed, of questions to the user what may be answered. */
function askedOr(tool: string, input: Record<string, unknown>): [name: string, value: unknown][] {
	const { old_string: before, new_string: after, questions, ...others } = input;
	if (typeof before === "string" && typeof after === "string")
		return [...Object.entries(others), ["", changeOf(before.split("\n"), after.split("\n"))]];
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

/** The lines that went and came, between those that stayed at either end. */
function changeOf(before: readonly string[], after: readonly string[]): string {
	const least = Math.min(before.length, after.length);
	let head = 0;
	while (head < least && before[head] === after[head]) head++;
	let tail = 0;
	while (tail < least - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
	const marked = (mark: string, lines: readonly string[]) => lines.map((line) => mark + line);
	return [
		...marked("  ", before.slice(0, head)),
		...marked("- ", before.slice(head, before.length - tail)),
		...marked("+ ", after.slice(head, after.length - tail)),
		...marked("  ", before.slice(before.length - tail)),
	].join("\n");
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
	if (text.length <= LENGTH * 1.3) return [{ ...passage, text: partOfClean(passage.text, text) }];
	const found: Omit<Passage, "part">[] = [];
	for (let from = 0; from < text.length; ) {
		const end = text.length - from <= LENGTH * 1.3 ? text.length : endOfPiece(text, from);
		const piece = text.slice(from, end);
		if (piece.trim()) found.push({ ...passage, text: partOfClean(passage.text, piece) });
		from = end;
	}
	return found;
}

function endOfPiece(text: string, from: number): number {
	const most = from + LENGTH;
	for (const mark of ["\n\n", "\n", ". ", " "]) {
		const at = text.lastIndexOf(mark, most);
		if (at > from + LEAST_PIECE) return at + mark.length;
	}
	// no half of a pair of surrogates
	return /[\uD800-\uDBFF]/.test(text[most - 1]!) ? most - 1 : most;
}

function secondsOf(at: string): number {
	const ms = Date.parse(at);
	return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
}
