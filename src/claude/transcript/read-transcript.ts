import { isSince } from "../../core/text/version.ts";
import { branchesOf, nodeReader, type TranscriptNode } from "../../core/transcript/active-branch.ts";
import { decode, isObject } from "../../core/transcript/decode.ts";
import type { EventLine } from "../../core/transcript/event.ts";
import type { Witness } from "../../core/transcript/provenance.ts";
import { type Json, quietJson } from "../../core/transcript/quiet-json.ts";
import { quietly } from "../../files/quietly.ts";
import { isSessionId } from "../../store/paths.ts";
import {
	endsOf,
	findLineBackwards,
	forEachLine,
	isLineStart,
	readEntry,
	type TranscriptFile,
	wholeLinesEnd,
	withTranscript,
} from "./transcript-file.ts";

const MB = 1024 * 1024;
/** So many bytes of the unread part are read at most, from its end. */
const MOST = 20 * MB;
/** When the time is spent, so many last bytes are read, and before them only what the user said. */
const LAST = MB / 2;

/** How far a transcript was read, and the last nodes of the active branch, on which new lines hang. */
export interface ReadTo {
	offset: number;
	last: TranscriptNode[];
}

/** `on`: from where the last reading ended. `anew`: another file. `rewound`: the user went back behind what was read. */
export type Start = "on" | "anew" | "rewound";

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
	isSpent?: (() => boolean) | undefined;
	/** Whether the next reading goes on where the time was spent: nobody waits for the result. */
	goesOn?: boolean;
	/** Bytes read at most, from the end. */
	most?: number;
	/** Whether Claude Code handed this text over as a prompt; asked of a line that does not tell who spoke. */
	heard?: ((text: string) => boolean) | undefined;
}

/**
 * Reads a transcript's active branch, from where the last reading ended: the one place where its lines are read, parsed and
 * decoded. `begin` is called with how the reading starts, and gives the function that takes each line. What the user rewound is left
 * out; where it was read already, everything is read anew. Time and memory are bounded. Throws when the file can't be opened.
 */
export function readTranscript(
	path: string,
	known: ReadTo | null,
	begin: (start: Start) => (line: EventLine) => void,
	options: ReadOptions = {},
): TranscriptRead {
	const { until = Infinity, most = MOST, goesOn = false, heard = () => false } = options;
	return withTranscript(path, (file) => {
		const within = wholeLinesEnd(file, Math.min(until, file.size));
		// one line is longer than that
		const size = within <= (known?.offset ?? 0) ? wholeLinesEnd(file, file.size) : within;
		const isKnown = known !== null && known.offset <= size && isLineStart(file, known.offset);
		let lowest = isKnown ? known.offset : 0;
		let from = Math.max(lowest, size - most);
		let start: Start = isKnown || !known ? "on" : "anew";
		let active = activeLines(file, from, size, isKnown && from === lowest ? known.last : undefined);
		if (!active) {
			[lowest, from, start] = [0, Math.max(0, size - most), "rewound"];
			active = activeLines(file, from, size)!;
		}
		const take = begin(start);
		const stopped = readLines(file, size, active.places, take, witnessOf(file, heard), options);
		const isCut = stopped !== null && !goesOn;
		const offset = isCut ? size : (stopped ?? size);
		return {
			offset,
			last: active.lastBefore(offset),
			isPartial: from > lowest || active.beginsInside || isCut,
			isCut,
		};
	});
}

/**
 * Hands the lines that begin at `places` to `take`. Gives the byte at which the time was spent, `null` where all lines were read. When the
 * time is spent, the reading ends (`goesOn`), or only the user's words and the last lines are read of the rest.
 */
function readLines(
	file: TranscriptFile,
	end: number,
	places: ReadonlyMap<number, unknown>,
	take: (line: EventLine) => void,
	witness: Witness,
	{ isSpent, goesOn = false }: ReadOptions,
): number | null {
	let stopped: number | null = null;
	let isFirst = true;
	const read = (line: Buffer, pos: number): boolean => {
		if (!places.has(pos)) return true;
		// where nobody waits, each reading reads something
		if (stopped === null && !(goesOn && isFirst) && isSpent?.()) stopped = pos;
		isFirst = false;
		if (stopped !== null && goesOn) return false;
		if (stopped !== null && pos < end - LAST && !isUserWord(line)) return true;
		takeEntry(places.get(pos) ?? parseLine(line, file), pos, witness, take);
		return true;
	};
	const [first = end] = places.keys();
	forEachLine(file, first, end, read);
	return stopped;
}

/** Hands the events of a line that begins at byte `pos` to `take`, where it has any. A line of a foreign shape is skipped. */
function takeEntry(entry: unknown, pos: number, witness: Witness, take: (line: EventLine) => void): void {
	quietly(() => {
		const events = decode(entry, witness);
		const { uuid } = Object(entry) as Json;
		if (events.length > 0) take({ pos, uuid: isSessionId(uuid) ? uuid : "", events });
	});
}

const marks = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text));
const holdsAny = (line: Buffer, some: readonly Buffer[]): boolean => some.some((mark) => line.includes(mark));

const MARKED = marks('"uuid"', '"user"', '"assistant"', '"queue-operation"', '"queued_command"', '"compact_boundary"');
const USER = marks('"user"');
const RESULT = marks('"tool_result"');
/** The queue, and what the user is asked and answers. */
const WORDS = marks(
	...['"queue-operation"', '"queued_command"', '"AskUserQuestion"', '"ExitPlanMode"', '"answers"'],
	...["want to proceed with this tool use", "approved your plan"],
);

/** Whether a line may hold words of the user: a cheap look before the parse. */
const isUserWord = (line: Buffer): boolean =>
	(holdsAny(line, USER) && !holdsAny(line, RESULT)) || holdsAny(line, WORDS);

/** The parsed line; `undefined` for a line that holds no event. */
const parseLine = (line: Buffer, file: TranscriptFile): unknown =>
	holdsAny(line, MARKED) ? readEntry(file, line) : undefined;

const LOOKED_AT = 128 * 1024;
/** What only versions write that sign a queued message where it is given; some programs write spaces behind the colons. */
const SIGNS = /"(?:promptSource|turnOrigin)": ?"|"origin": ?\{"kind": ?"|"type": ?"queued_command"/;
const VERSION = /"version": ?"(\d{1,4}\.\d{1,4}\.\d{1,6})"/g;
/** Seen on 2.1.153 and later; up to 2.1.39 the queue's own record is all there is. */
const SIGNED_SINCE = [2, 1, 153] as const;

/**
 * Gives the witness of who spoke in this transcript. `signsQueue`: whether queued messages are signed where they are given to the model; the
 * queue's own records, which channels, other sessions and agents write too, then say nothing of who spoke.
 */
function witnessOf(file: TranscriptFile, heard: (text: string) => boolean): Witness {
	let isSigned: boolean | undefined;
	const look = (): boolean => {
		const text = endsOf(file, LOOKED_AT).toString("latin1");
		return SIGNS.test(text) || [...text.matchAll(VERSION)].some(([, version]) => isSince(version, SIGNED_SINCE));
	};
	return { signsQueue: () => (isSigned ??= look()), heard };
}

/** So many bytes of lines are kept in parsed form; later lines are parsed twice. */
const PARSED_ONCE = MB / 2;
/** Nodes kept between two readings: new lines hang on one of them, or the user went back further. */
const KEPT = 40;
/** How far back a parent is searched for. */
const REACH = 32 * MB;
/** Types of the lines in the tree that may hold events; the queue's lines stand outside of the tree. */
const TELLING = new Set<unknown>(["user", "assistant", "system", "attachment"]);

/**
 * Finds the lines of the active branch between `from` and `to`. `given`: the last nodes of an earlier reading that ended at `from`. `places`:
 * byte -> parsed entry (`undefined` past the first 512 KB: parse again). `beginsInside`: the first line's parent is not in the file.
 * `lastBefore(pos)`: the branch's last nodes, for the next reading. `null`: the user rewound behind `given`, so all has to be read anew.
 */
function activeLines(file: TranscriptFile, from: number, to: number, given?: readonly TranscriptNode[]) {
	// an earlier reading that met no node does not show where the branch goes on
	const known = given?.length ? given : undefined;
	const nodes: TranscriptNode[] = [...(known ?? [])];
	const starts = nodes.map(() => -1);
	const places = new Map<number, unknown>();
	let room = PARSED_ONCE;
	const nodeOf = nodeReader();
	const look = (line: Buffer, pos: number): void => {
		const entry = parseLine(line, file);
		if (!isObject(entry)) return;
		const node = nodeOf(entry);
		room -= line.length;
		const isTelling = node || entry.isSidechain ? TELLING.has(entry.type) : entry.type === "queue-operation";
		if (isTelling) places.set(pos, room > 0 ? entry : undefined);
		if (!node) return;
		nodes.push(node);
		starts.push(pos);
	};
	forEachLine(file, from, to, look);
	// the parents of known nodes may not be among them
	const before = new Set(known?.map(({ parent }) => parent));
	const isEarlier = (uuid: string): boolean => before.has(uuid) || standsBefore(file, uuid, from);
	const { left: abandoned, gaps, begin } = branchesOf(nodes, isEarlier);
	// the branch of the new lines has to begin at a known node
	const isMissed = begin !== null && !known?.some(({ uuid }) => uuid === begin);
	if (known && (isMissed || known.some(({ uuid }) => abandoned.has(uuid)))) return null;
	for (const [i, { uuid }] of nodes.entries()) if (abandoned.has(uuid)) places.delete(starts[i]!);
	return {
		places,
		beginsInside: from === 0 && nodes.length > 0 && gaps.has(nodes[0]!.uuid),
		lastBefore(pos: number) {
			const last = nodes.filter(({ uuid }, i) => starts[i]! < pos && !abandoned.has(uuid)).slice(-KEPT);
			// a node before a gap does not show whether it was abandoned
			const gap = last.findLastIndex(({ uuid }) => gaps.has(uuid));
			return last.slice(Math.max(0, gap));
		},
	};
}

const standsBefore = (file: TranscriptFile, uuid: string, from: number): boolean =>
	from > 0 &&
	findLineBackwards(file, `"${uuid}"`, from, REACH, (line) => (quietJson(line) as Json | null)?.uuid === uuid) !== null;
