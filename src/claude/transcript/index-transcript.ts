import { basename, dirname, join } from "node:path";
import { subagentIn } from "../../core/text/paths.ts";
import type { TranscriptNode } from "../../core/transcript/active-branch.ts";
import type { EventLine } from "../../core/transcript/event.ts";
import { quietJson } from "../../core/transcript/quiet-json.ts";
import { namesIn, quietStat } from "../../files/quietly.ts";
import type { Passage, Source } from "../../search/passage.ts";
import { keptCalls, ofSubagent, passageMaker, type WaitingCall } from "../../search/passages.ts";
import type { SearchIndex } from "../../search/search-index.ts";
import { heardIn } from "../../store/session/heard-prompts.ts";
import { sessionAt } from "../../store/session-handle.ts";
import { readTranscript, type Start } from "./read-transcript.ts";

/** Passages written in one transaction: other writers get their turn between two. */
const BATCH = 400;

interface Reading {
	isSpent?: () => boolean;
	/** Whether the file is read whole, and its passages replace the old ones. */
	anew?: boolean;
	/** Bytes read of each file at most. */
	most?: number;
}

/**
 * Adds to the index what a transcript and its subagents' transcripts gained since the last call. Passages that the user rewound stay, marked
 * so. When the time is spent, or after `most` bytes, the next call goes on. Gives the bytes that are done. Throws when it can't be opened.
 */
export function indexTranscript(index: SearchIndex, source: Source, reading: Reading = {}): number {
	const reached = indexFile(index, source, reading);
	const folder = join(dirname(source.path), basename(source.path, ".jsonl"), "subagents");
	for (const path of namesIn(folder).map((name) => join(folder, name)))
		if (subagentIn(path) && !reading.isSpent?.()) indexFile(index, { ...source, path }, reading);
	return reached;
}

/** Indexes one transcript from the offset that the index keeps of it (the index may be deleted at any time); gives the new offset. */
function indexFile(index: SearchIndex, source: Source, { isSpent, anew = false, most = Infinity }: Reading): number {
	const known = anew ? null : index.reachedOf(source.path);
	if (known && known.offset === quietStat(source.path)?.size) return known.offset;
	/** What the index keeps for the next reading. */
	type Kept = { last: TranscriptNode[]; waiting: [string, WaitingCall][] };
	const state = known && (quietJson(known.state) as Kept | undefined);
	const waiting = new Map(state?.waiting);
	const isSubagent = subagentIn(source.path) !== null;
	let passages: Passage[] = [];
	let compacted = known?.compacted ?? 0;
	let startKind = (anew ? "anew" : "on") as Start;
	/** Forgets the earlier readings where the file is not read on, and gives the function that takes each line. */
	const begin = (start: Start) => {
		if (start !== "on") startKind = start;
		if (startKind !== "on") {
			waiting.clear();
			compacted = 0;
		}
		const make = passageMaker(waiting);
		return (line: EventLine): void => {
			if (!isSubagent && line.events.some(({ kind }) => kind === "boundary")) compacted = line.pos;
			passages.push(...(isSubagent ? ofSubagent(make(line)) : make(line)));
			// batches only where reading goes on; otherwise old and new passages change in one transaction
			if (startKind !== "on" || passages.length < BATCH) return;
			index.add(source, passages);
			passages = [];
		};
	};
	const { offset, last } = readTranscript(
		source.path,
		known && state ? { offset: known.offset, last: state.last } : null,
		begin,
		{
			goesOn: true,
			most: Infinity,
			heard: heardIn(sessionAt({ root: index.root, tell: () => {} }, source.session)),
			until: (known?.offset ?? 0) + most,
			isSpent: () => startKind === "on" && (isSpent?.() ?? false),
		},
	);
	const stateText = JSON.stringify({ last, waiting: keptCalls(waiting) } satisfies Kept);
	index.add(source, passages, { reached: { offset, state: stateText, compacted }, others: FATE_OF_OLD[startKind] });
	return offset;
}

const FATE_OF_OLD = { on: "stay", rewound: "left", anew: "go" } as const;
