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
/** So much of the end is read of what was not read before. */
const MOST = 20 * MB;
/** Read when the time is spent: so much of the end, and before that what the user said. */
const LAST = MB / 2;

/** How far a transcript was read, and the last lines of the active branch, on which what is new hangs. */
export interface ReadTo {
	offset: number;
	last: TranscriptNode[];
}

/** `on`: from where the last reading ended. `anew`: another file. `rewound`: the user went back behind what was read. */
export type Start = "on" | "anew" | "rewound";

export interface TranscriptRead extends ReadTo {
	/** Not everything was read: what stood before it, or what there was no time for. */
	isPartial: boolean;
	/** The time was spent before everything was read: nothing to go on from. */
	isCut: boolean;
}

export interface ReadOptions {
	/** Ends the reading at a byte, as for the state before an earlier compaction. */
	until?: number | undefined;
	/** Whether the time is spent. Then the user's words and the last lines alone are read. */
	isSpent?: (() => boolean) | undefined;
	/** Nobody waits for it: when the time is spent the next reading goes on from there. */
	goesOn?: boolean;
	/** Bytes of the end that are read at most. */
	most?: number;
	/** Whether Claude Code handed this text over as a prompt; asked of a line that does not tell who spoke. */
	heard?: ((text: string) => boolean) | undefined;
}

/**
 * Reads a transcript's active branch, from where the last reading ended: the one place where its lines are read, parsed and
 * decoded. `begin` gives what takes the lines. What the user rewound is left out; where that was read already, everything is
 * read anew. Bounded in time and memory whatever the file's size. Throws when the file can't be opened.
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
 * Gives where the time was spent, `null` where all of the lines were read. Then nobody waits and the reading ends, or of the rest what
 * the user said is read, and the last lines.
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

/** Gives the events of a line that begins at byte `pos`, where it tells any. One of a foreign shape is skipped. */
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

/** A cheap look before the parse. */
const isUserWord = (line: Buffer): boolean =>
	(holdsAny(line, USER) && !holdsAny(line, RESULT)) || holdsAny(line, WORDS);

/** What a line holds; `undefined` of one that tells nothing. */
const parseLine = (line: Buffer, file: TranscriptFile): unknown =>
	holdsAny(line, MARKED) ? readEntry(file, line) : undefined;

const LOOKED_AT = 128 * 1024;
/** What only versions write that sign a queued message where it is given; some programs write spaces behind the colons. */
const SIGNS = /"(?:promptSource|turnOrigin)": ?"|"origin": ?\{"kind": ?"|"type": ?"queued_command"/;
const VERSION = /"version": ?"(\d{1,4}\.\d{1,4}\.\d{1,6})"/g;
/** Seen on 2.1.153 and later; up to 2.1.39 the queue's own record is all there is. */
const SIGNED_SINCE = [2, 1, 153] as const;

/**
 * Tells whether queued messages of this transcript are signed where they are given. Then the records of the queue itself,
 * which hold what channels, other sessions and agents put there too, say nothing of who spoke.
 */
function witnessOf(file: TranscriptFile, heard: (text: string) => boolean): Witness {
	let isSigned: boolean | undefined;
	const look = (): boolean => {
		const text = endsOf(file, LOOKED_AT).toString("latin1");
		return SIGNS.test(text) || [...text.matchAll(VERSION)].some(([, version]) => isSince(version, SIGNED_SINCE));
	};
	return { signsQueue: () => (isSigned ??= look()), heard };
}

/** So many bytes of lines are kept as they were parsed; what lies behind is parsed twice. */
const PARSED_ONCE = MB / 2;
/** Nodes kept between two readings: what is new hangs on one of them, or the user went back further. */
const KEPT = 40;
/** How far back a parent is searched for. */
const REACH = 32 * MB;
/** Of the lines with a place in the tree those that may tell something; the queue's have none. */
const TELLING = new Set<unknown>(["user", "assistant", "system", "attachment"]);

/**
 * Which lines between the bytes `from` and `to` are on the active branch: where those begin that stand and may tell something (and what
 * they hold, of the first), and the branch's last nodes before a byte, for the next reading. `beginsInside`: the conversation began
 * elsewhere, so the file's first line hangs on one that is not in it. `given` are the last nodes of an earlier reading that ended at
 * `from`; `null` when the user has gone back behind what was read then, so that it has to be read anew.
 */
function activeLines(file: TranscriptFile, from: number, to: number, given?: readonly TranscriptNode[]) {
	// an earlier reading that met no node tells nothing of where the path goes on
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
	// what the known ones hang on was left out of them
	const before = new Set(known?.map(({ parent }) => parent));
	const { left, gaps, begin } = branchesOf(nodes, (uuid) => before.has(uuid) || standsBefore(file, uuid, from));
	// the path of what is new has to come by what is known
	const isMissed = begin !== null && !known?.some(({ uuid }) => uuid === begin);
	if (known && (isMissed || known.some(({ uuid }) => left.has(uuid)))) return null;
	for (const [i, { uuid }] of nodes.entries()) if (left.has(uuid)) places.delete(starts[i]!);
	return {
		places,
		beginsInside: from === 0 && nodes.length > 0 && gaps.has(nodes[0]!.uuid),
		lastBefore(pos: number) {
			const last = nodes.filter(({ uuid }, i) => starts[i]! < pos && !left.has(uuid)).slice(-KEPT);
			// what stands before a gap does not show whether it was left
			const gap = last.findLastIndex(({ uuid }) => gaps.has(uuid));
			return last.slice(Math.max(0, gap));
		},
	};
}

const standsBefore = (file: TranscriptFile, uuid: string, from: number): boolean =>
	from > 0 &&
	findLineBackwards(file, `"${uuid}"`, from, REACH, (line) => (quietJson(line) as Json | null)?.uuid === uuid) !== null;
