/**
 * A transcript is a tree: a rewind, or a message edited and sent again, begins a new branch and leaves the old one in the
 * file. What stands is the path from the last message up to the root, with what belongs to it beside the path.
 */
import type { Json } from "./quiet-json.ts";

/** A line of a transcript, as far as the tree is concerned. */
export interface TranscriptNode {
	uuid: string;
	/** `null` at a root, missing where it is the last message before. At a compaction's boundary: the message that it names. */
	parent?: string | null | undefined;
	kind: "prompt" | "answer" | "result" | "other";
	/** Of an answer: one message of the model may stand in several lines. */
	messageId?: string;
}

/** Gives a function that takes the lines in the order of the file and gives each one's node in the tree; `null` for one that has none. */
export function makeNodeReader(): (line: Json) => TranscriptNode | null {
	let keptSegment: { anchor: string; tail: string } | undefined;
	return (line) => {
		const node = nodeOf(line);
		if (!node) return null;
		const { anchorUuid: anchor, tailUuid: tail } = Object(Object(line.compactMetadata).preservedSegment) as Json;
		// "Summarize from here": the kept lines come after the boundary, what was summarised stands between
		if (anchor === node.uuid) node.parent = undefined;
		else if (isLineId(anchor) && isLineId(tail)) keptSegment = { anchor, tail };
		// "up to here": the kept lines come after the summary; a prompt there means that the user went back before them
		if (keptSegment && node.parent === keptSegment.anchor && node.kind !== "prompt") node.parent = keptSegment.tail;
		return node;
	};
}

/** The node of the tree that a line is; `null` for a line without an id and for a subagent's. */
function nodeOf(line: Json): TranscriptNode | null {
	const { uuid, parentUuid, logicalParentUuid, isSidechain, type, isMeta, isCompactSummary } = line;
	if (!isLineId(uuid) || isSidechain === true) return null;
	const parent = [parentUuid, logicalParentUuid].find(isLineId) ?? (parentUuid === undefined ? undefined : null);
	const { id, content } = Object(line.message) as Json;
	const isResult = Array.isArray(content) && content.some((block) => block?.type === "tool_result");
	const isPrompt = isMeta !== true && isCompactSummary !== true;
	const kind =
		type === "assistant" ? "answer" : type !== "user" ? "other" : isResult ? "result" : isPrompt ? "prompt" : "other";
	return {
		uuid,
		...(parent !== undefined && { parent }),
		kind,
		...(kind === "answer" && isLineId(id) && { messageId: id }),
	};
}

/** Whether a value is usable as the id of a line. */
const isLineId = (value: unknown): value is string => typeof value === "string" && value !== "" && value.length <= 200;

/**
 * Finds the lines that the user `left` by a rewind or an edit; the `gaps`, lines on the path whose parent is missing; and where the path
 * `begin`s if it leads to a line before these (`isEarlier` says whether an id is there). `nodes`: in the order of the file. Linear.
 *
 * Not left are: other lines of a message on the path, results of its calls (each of parallel calls has its own), what is neither
 * prompt nor answer, such as records of hooks, and prompts sent by interrupting calls. At a gap the path goes on at the last message
 * before: lines get lost, and what stands before is not known to be left.
 */
export function findLeftBranches(nodes: readonly TranscriptNode[], isEarlier: (uuid: string) => boolean = () => false) {
	const { isOnPath, messages, gaps, begin } = activePath(nodes, isEarlier);
	const sent = promptsSentByInterrupting(nodes, isOnPath);
	const left = new Set<string>();
	for (const node of nodes) {
		if (isOnPath(node.uuid)) continue;
		const isFirst = !sent.has(node.uuid) && beginsBranch(node, messages);
		if (isFirst || (node.parent && left.has(node.parent))) left.add(node.uuid);
	}
	return { left, gaps, begin };
}

/** Walks from the last message to the root: which lines are on the path, the ids of its answers, and where a parent is missing. */
function activePath(nodes: readonly TranscriptNode[], isEarlier: (uuid: string) => boolean) {
	const placeOf = new Map<string, number>();
	for (const [index, { uuid }] of nodes.entries()) if (!placeOf.has(uuid)) placeOf.set(uuid, index);
	const messageBefore = messagesBefore(nodes);
	// a line may stand in the file twice: its first place counts
	const onPath = new Uint8Array(nodes.length);
	const isOnPath = (uuid: string): boolean => onPath[placeOf.get(uuid)!] === 1;
	const [messages, gaps] = [new Set<string>(), new Set<string>()];
	for (let at = messageBefore.at(-1)!; at >= 0; ) {
		const { uuid, parent, kind, messageId } = nodes[at]!;
		onPath[placeOf.get(uuid)!] = 1;
		if (messageId) messages.add(messageId);
		// the first prompt, also when it was edited and sent again
		if (parent === null && kind === "prompt") break;
		const parentPlace = parent ? placeOf.get(parent) : undefined;
		// a parent that comes later is a damaged file
		if (parentPlace !== undefined && parentPlace < at) {
			at = parentPlace;
			continue;
		}
		if (parent && parentPlace === undefined) {
			if (isEarlier(parent)) return { isOnPath, messages, gaps, begin: uuid };
			gaps.add(uuid);
		}
		at = messageBefore[at]!;
	}
	return { isOnPath, messages, gaps, begin: null };
}

/** For each place in `nodes`, and for their end, the place of the last prompt, answer or result before it; -1 for none. */
function messagesBefore(nodes: readonly TranscriptNode[]): number[] {
	const before = [-1];
	for (const [index, { kind }] of nodes.entries()) before.push(kind === "other" ? before[index]! : index);
	return before;
}

/** Whether a line beside the path begins a branch of its own: a prompt, or an answer that is not part of a message on the path. */
function beginsBranch({ kind, messageId }: TranscriptNode, messages: ReadonlySet<string>): boolean {
	return kind === "prompt" || (kind === "answer" && !(messageId && messages.has(messageId)));
}

/**
 * Ids of prompts beside the path that the user may have sent by interrupting calls (queued messages and Esc). They stand right before
 * the calls' results, each a child of the line before; the answer is a child of a result (seen on 2.1.329 and 2.1.330). If the user
 * takes them back, none of these results is on the path. After a rewind a prompt follows, not a result.
 */
function promptsSentByInterrupting(nodes: readonly TranscriptNode[], isOnPath: (uuid: string) => boolean): Set<string> {
	const sent = new Set<string>();
	let isAnswered = true;
	let isBeforeResult = false;
	let next: TranscriptNode["kind"] | undefined;
	for (const { uuid, parent, kind } of nodes.toReversed()) {
		if (kind === "other") continue;
		if (kind === "answer") {
			isAnswered = isOnPath(uuid);
			isBeforeResult = false;
		}
		// of parallel calls one result is on the path
		if (kind === "result") isBeforeResult = isOnPath(uuid) || (next === "result" && isBeforeResult);
		if (kind === "prompt" && parent && isBeforeResult && isAnswered) sent.add(uuid);
		next = kind;
	}
	return sent;
}
