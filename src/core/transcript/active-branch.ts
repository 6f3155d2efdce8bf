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

/** Tells of one line after the other, in the order of the file, its place in the tree; `null` of one that has none. */
export function nodeReader(): (line: Json) => TranscriptNode | null {
	let stays: { anchor: string; tail: string } | undefined;
	return (line) => {
		const node = nodeOf(line);
		if (!node) return null;
		const { anchorUuid: anchor, tailUuid: tail } = Object(Object(line.compactMetadata).preservedSegment) as Json;
		// "Summarize from here": what stays comes behind the boundary, what was summarised is all that stands between
		if (anchor === node.uuid) node.parent = undefined;
		else if (isLineId(anchor) && isLineId(tail)) stays = { anchor, tail };
		// "up to here": what stays comes behind the summary; only who went back behind all of it sends a prompt right there
		if (stays && node.parent === stays.anchor && node.kind !== "prompt") node.parent = stays.tail;
		return node;
	};
}

/** Gives the node of the tree that a line is; `null` for a line without an id and for a subagent's. */
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

const isLineId = (value: unknown): value is string => typeof value === "string" && value !== "" && value.length <= 200;

/**
 * Finds the lines that were `left`; with the `gaps`, lines on the path whose parents are in no line, and where it `begin`s: the line whose
 * parent stands earlier in the file than these, where the path leads to one. `nodes` are in the order of the file; `isEarlier` says whether a
 * parent that is not among them stands earlier in the file. Linear.
 *
 * Beside the path stay: other lines of a message that is on it, the results of calls on it (parallel calls: each result
 * hangs on its own call), what is neither prompt nor answer, such as the records of hooks, and prompts sent by interrupting
 * calls. Where a parent is in no line, the path goes on at the last message before: lines get lost, and what stands before is
 * not known to be left.
 */
export function branchesOf(nodes: readonly TranscriptNode[], isEarlier: (uuid: string) => boolean = () => false) {
	const { isOnPath, messages, gaps, begin } = activePath(nodes, isEarlier);
	const sent = promptsSentByInterrupting(nodes, isOnPath);
	const left = new Set<string>();
	for (const node of nodes) {
		if (isOnPath(node.uuid)) continue;
		const begins = !sent.has(node.uuid) && beginsBranch(node, messages);
		if (begins || (node.parent && left.has(node.parent))) left.add(node.uuid);
	}
	return { left, gaps, begin };
}

/** Walks from the last message to the root: which lines are on the path, and where a parent is missing. */
function activePath(nodes: readonly TranscriptNode[], isEarlier: (uuid: string) => boolean) {
	const place = new Map<string, number>();
	for (const [index, { uuid }] of nodes.entries()) if (!place.has(uuid)) place.set(uuid, index);
	const messageBefore = lastMessages(nodes);
	// a line may stand in the file twice: its first place counts
	const onPath = new Uint8Array(nodes.length);
	const isOnPath = (uuid: string): boolean => onPath[place.get(uuid)!] === 1;
	const [messages, gaps] = [new Set<string>(), new Set<string>()];
	for (let at = messageBefore.at(-1)!; at >= 0; ) {
		const { uuid, parent, kind, messageId } = nodes[at]!;
		onPath[place.get(uuid)!] = 1;
		if (messageId) messages.add(messageId);
		// the first prompt, also when it was edited and sent again
		if (parent === null && kind === "prompt") break;
		const known = parent ? place.get(parent) : undefined;
		// a parent that comes later is a damaged file
		if (known !== undefined && known < at) {
			at = known;
			continue;
		}
		if (parent && known === undefined) {
			if (isEarlier(parent)) return { isOnPath, messages, gaps, begin: uuid };
			gaps.add(uuid);
		}
		at = messageBefore[at]!;
	}
	return { isOnPath, messages, gaps, begin: null };
}

/** For each place the last prompt, answer or result before it, and last of all before the end; -1 where there is none. */
function lastMessages(nodes: readonly TranscriptNode[]): number[] {
	const before = [-1];
	for (const [index, { kind }] of nodes.entries()) before.push(kind === "other" ? before[index]! : index);
	return before;
}

/** Whether a line beside the path begins a branch of its own. */
function beginsBranch({ kind, messageId }: TranscriptNode, messages: ReadonlySet<string>): boolean {
	return kind === "prompt" || (kind === "answer" && !(messageId && messages.has(messageId)));
}

/**
 * Prompts that may have been sent by interrupting calls (queued messages and Esc). They are written right before the calls'
 * results, the first on the last line before, each other on the one before it. The answer hangs on one of the results, so the
 * prompts stand beside the path (measured on 2.1.329 and 2.1.330). When the user takes them back before the answer, none of
 * these results is on the path. A rewind looks different: it goes on with a prompt.
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
