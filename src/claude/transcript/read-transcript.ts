import { isSince } from "../../core/text/version.ts";
import { findLeftBranches, makeNodeReader, type TranscriptNode } from "../../core/transcript/active-branch.ts";
import { decodeLine, isObject } from "../../core/transcript/decode.ts";
import type { EventLine } from "../../core/transcript/event.ts";
import type { Witness } from "../../core/transcript/provenance.ts";
import { type Json, parseBoundedJson } from "../../core/transcript/quiet-json.ts";
import { tryOrUndefined } from "../../files/quietly.ts";
import { isSessionId } from "../../store/paths.ts";
import type { TranscriptFile } from "./transcript-file.ts";
import { findLastLine, forEachLine, isLineStart, lastLineEnd, readEnds, withTranscript } from "./transcript-file.ts";

const MB = 1024 * 1024;
/** So many bytes of the unread part are read at most, from its end. */
const MAX_BYTES = 20 * MB;
/** When the time is spent, so many last bytes are read, and before them only what the user said. */
const LAST_BYTES = MB / 2;

/** How far a transcript was read, and the last nodes of the active branch, on which new lines hang. */
export interface ReadTo {
	offset: number;
	last: TranscriptNode[];
}

/** How a reading starts: `continued` where the last one ended; `anew`, another file; `rewound`, the user went back behind what was read. */
export type ReadStart = "continued" | "anew" | "rewound";

export interface TranscriptRead extends ReadTo {
	/** Whether a part was not read: lines before the bytes that were read, or lines there was no time for. */
	isPartial: boolean;
	/** Whether the time was spent before everything was read; no later reading goes on from there. */
	isCut: boolean;
}

export interface ReadOptions {
	/** Ends the reading at a byte, as for the state before an earlier compaction. */
	until?: number | undefined;
	/** Whether the time is spent. Then the user's words and the last lines alone are read. */
	isTimeUp?: (() => boolean) | undefined;
	/** Whether the next reading goes on where the time was spent: nobody waits for the result. */
	isResumable?: boolean;
	/** Bytes read at most, from the end. */
	maxBytes?: number;
	/** Whether Claude Code handed a text over as the user's prompt; asked of a line that does not tell who spoke. */
	isPrompt?: ((text: string) => boolean) | undefined;
}

/**
 * Reads a transcript's active branch, from where the last reading (`known`) ended: the one place where its lines are read, parsed and
 * decoded. `onStart` is called with how the reading starts, and gives the function that is called with each line. What the user rewound is
 * left out; where it was read already, everything is read anew. Time and memory are bounded. Throws when the file can't be opened.
 */
export function readTranscript(
	path: string,
	known: ReadTo | null,
	onStart: (start: ReadStart) => (line: EventLine) => void,
	options: ReadOptions = {},
): TranscriptRead {
	const { until = Infinity, maxBytes = MAX_BYTES, isResumable = false, isPrompt = () => false } = options;
	return withTranscript(path, (file) => {
		const wantedEnd = lastLineEnd(file, Math.min(until, file.size));
		// (a line that is longer than the wanted part is read whole)
		const end = wantedEnd <= (known?.offset ?? 0) ? lastLineEnd(file, file.size) : wantedEnd;
		const isKnown = known !== null && known.offset <= end && isLineStart(file, known.offset);
		let unreadFrom = isKnown ? known.offset : 0;
		let from = Math.max(unreadFrom, end - maxBytes);
		let start: ReadStart = isKnown || !known ? "continued" : "anew";
		const mostNodes = maxBytes === Infinity ? Infinity : MOST_NODES;
		let active = findActiveLines(file, [from, end], mostNodes, isKnown && from === unreadFrom ? known.last : undefined);
		if (!active) {
			[unreadFrom, from, start] = [0, Math.max(0, end - maxBytes), "rewound"];
			active = findActiveLines(file, [from, end], mostNodes)!;
		}
		const onLine = onStart(start);
		const stoppedAt = readLines(file, end, active.entries, onLine, makeWitness(file, isPrompt), options);
		const isCut = stoppedAt !== null && !isResumable;
		const offset = isCut ? end : (stoppedAt ?? end);
		const isPartial = from > unreadFrom || active.isParentMissing || isCut;
		return { offset, last: active.lastNodes(offset), isPartial, isCut };
	});
}

/**
 * Calls `onLine` with each line that begins at a byte of `entries` and holds an event. When the time is spent, it stops where the reading is
 * resumable; else it reads of the rest only the user's words and the last lines. Gives the byte at which the time was spent, else `null`.
 */
function readLines(
	file: TranscriptFile,
	end: number,
	entries: ReadonlyMap<number, unknown>,
	onLine: (line: EventLine) => void,
	witness: Witness,
	{ isTimeUp, isResumable = false }: ReadOptions,
): number | null {
	let stoppedAt: number | null = null;
	let lines = 0;
	const readLine = (line: Buffer, pos: number): boolean => {
		if (!entries.has(pos)) return true;
		// (asked seldom, since the answer takes longer than most lines, and not at the first one: each reading gets on)
		const isAsked = lines++ > 0 && (lines % 16 === 0 || line.length > MB / 16);
		if (stoppedAt === null && isAsked && isTimeUp?.()) stoppedAt = pos;
		if (stoppedAt !== null && isResumable) return false;
		if (stoppedAt !== null && pos < end - LAST_BYTES && !mayHoldUserWords(line)) return true;
		decodeEntry(entries.get(pos) ?? parseLine(line, file), pos, witness, onLine);
		return true;
	};
	const [first = end] = entries.keys();
	forEachLine(file, first, end, readLine);
	return stoppedAt;
}

/** Decodes a parsed line and calls `onLine` with its events, where it has any. `pos`: its first byte. A line of a foreign shape is skipped. */
function decodeEntry(entry: unknown, pos: number, witness: Witness, onLine: (line: EventLine) => void): void {
	tryOrUndefined(() => {
		const events = decodeLine(entry, witness);
		const { uuid } = Object(entry) as Json;
		if (events.length > 0) onLine({ pos, uuid: isSessionId(uuid) ? uuid : "", events });
	});
}

/** The texts as bytes: a line is searched for them before it is decoded. */
const toBuffers = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text));
/** Whether a line holds any of some marks. */
const includesAny = (line: Buffer, marks: readonly Buffer[]): boolean => marks.some((mark) => line.includes(mark));

const EVENT_MARKS = toBuffers(
	...['"uuid"', '"user"', '"assistant"', '"queue-operation"', '"queued_command"', '"compact_boundary"'],
);
const USER_MARK = toBuffers('"user"');
const RESULT_MARK = toBuffers('"tool_result"');
/** The queue, and what the user is asked and answers. */
const USER_WORD_MARKS = toBuffers(
	...['"queue-operation"', '"queued_command"', '"AskUserQuestion"', '"ExitPlanMode"', '"answers"'],
	...["want to proceed with this tool use", "approved your plan"],
);

/** Whether a line may hold words of the user: a cheap look before the parse. */
const mayHoldUserWords = (line: Buffer): boolean =>
	(includesAny(line, USER_MARK) && !includesAny(line, RESULT_MARK)) || includesAny(line, USER_WORD_MARKS);

/** The parsed line; `undefined` where it holds no event. In a subagent's file the lines are its conversation, so `isSidechain` is unset. */
function parseLine(line: Buffer, { isSubagent }: TranscriptFile): unknown {
	if (!includesAny(line, EVENT_MARKS)) return undefined;
	const entry = parseBoundedJson(line.toString("utf8"));
	return isSubagent ? { ...Object(entry), isSidechain: false } : entry;
}

const SIGN_BYTES = 128 * 1024;
/** What only versions write that sign a queued message where it is given; some programs write spaces behind the colons. */
const SIGNS = /"(?:promptSource|turnOrigin)": ?"|"origin": ?\{"kind": ?"|"type": ?"queued_command"/;
const VERSION = /"version": ?"(\d{1,4}\.\d{1,4}\.\d{1,6})"/g;
/** Seen on 2.1.153 and later; up to 2.1.39 the queue's own record is all there is. */
const SIGNED_SINCE = [2, 1, 153] as const;

/**
 * Gives the witness by which the decoder finds out who spoke. `signsQueuedMessages`: whether this transcript signs queued messages where they are
 * given to the model. Then the queue's own records, which other sessions and agents write too, say nothing of who spoke.
 */
function makeWitness(file: TranscriptFile, sawPrompt: (text: string) => boolean): Witness {
	let isSigned: boolean | undefined;
	const findSigns = (): boolean => {
		const text = readEnds(file, SIGN_BYTES).toString("latin1");
		return SIGNS.test(text) || [...text.matchAll(VERSION)].some(([, version]) => isSince(version, SIGNED_SINCE));
	};
	return { signsQueuedMessages: () => (isSigned ??= findSigns()), sawPrompt };
}

/** So many bytes of lines, each and what its parts take, are kept in parsed form; later lines are parsed twice. */
const MAX_PARSED = 2 * MB;
/** Nodes kept between two readings: new lines hang on one of them, or the user went back further. */
const KEPT_NODES = 40;
/** Of more than twice so many lines the last ones are read; what was parsed of the others is collected. */
const MOST_NODES = 15_000;
/** How far back a parent is searched for. */
const REACH = 32 * MB;
/** Types of the lines in the tree that may hold events; the queue's lines stand outside of the tree. */
const EVENT_TYPES = new Set<unknown>(["user", "assistant", "system", "attachment"]);

/**
 * Finds the lines of the active branch between bytes `from` and `to`. `known`: the last nodes of an earlier reading that ended at `from`. Gives
 * - `entries`: by the first byte of each line its parsed entry (`undefined` past the first 2 MB: it is parsed again later),
 * - `isParentMissing`: whether the first line's parent is not in the file,
 * - `lastNodes(pos)`: the branch's last nodes before a byte, for the next reading.
 * Gives `null` where the user rewound behind the known nodes: then everything has to be read anew.
 */
function findActiveLines(
	file: TranscriptFile,
	[from, to]: [from: number, to: number],
	mostNodes: number,
	known: readonly TranscriptNode[] = [],
) {
	const nodes = [...known];
	const starts = nodes.map(() => -1);
	const entries = new Map<number, unknown>();
	let parsedRoom = MAX_PARSED;
	let isShortened = false;
	const readNode = makeNodeReader();
	const addLine = (line: Buffer, pos: number): void => {
		const entry = parseLine(line, file);
		if (!isObject(entry)) return;
		const node = readNode(entry);
		parsedRoom -= line.length + 500;
		const mayHoldEvent = node || entry.isSidechain ? EVENT_TYPES.has(entry.type) : entry.type === "queue-operation";
		if (mayHoldEvent) entries.set(pos, parsedRoom > 0 ? entry : undefined);
		if (!node) return;
		nodes.push(node);
		starts.push(pos);
		if (nodes.length < 2 * mostNodes) return;
		nodes.splice(0, mostNodes);
		for (const start of starts.splice(0, mostNodes)) entries.delete(start);
		isShortened = true;
		Bun.gc(true);
	};
	forEachLine(file, from, to, addLine);
	// the parents of known nodes may not be among them
	const knownParents = new Set(known.map(({ parent }) => parent));
	const isEarlier = (uuid: string): boolean => knownParents.has(uuid) || isEntryBefore(file, uuid, from);
	const { left: abandoned, gaps, begin } = findLeftBranches(nodes, isEarlier);
	// the branch of the new lines has to begin at a known node (a reading that met no node does not show where it goes on)
	const isElsewhere = begin !== null && !known.some(({ uuid }) => uuid === begin);
	const isRewound = isElsewhere || known.some(({ uuid }) => abandoned.has(uuid));
	if (known.length > 0 && isRewound) return null;
	for (const [i, { uuid }] of nodes.entries()) if (abandoned.has(uuid)) entries.delete(starts[i]!);
	return {
		entries,
		isParentMissing: isShortened || (from === 0 && nodes.length > 0 && gaps.has(nodes[0]!.uuid)),
		lastNodes(pos: number) {
			const last = nodes.filter(({ uuid }, i) => starts[i]! < pos && !abandoned.has(uuid)).slice(-KEPT_NODES);
			// a node before a gap does not show whether it was abandoned
			const gap = last.findLastIndex(({ uuid }) => gaps.has(uuid));
			return last.slice(Math.max(0, gap));
		},
	};
}

/** Whether the entry with this id stands in the file before byte `from`, as far back as is searched. */
function isEntryBefore(file: TranscriptFile, uuid: string, from: number): boolean {
	const isEntry = (line: string): boolean => (parseBoundedJson(line) as Json | null)?.uuid === uuid;
	return from > 0 && findLastLine(file, `"${uuid}"`, from, REACH, isEntry) !== null;
}
