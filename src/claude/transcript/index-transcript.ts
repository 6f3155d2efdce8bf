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

/** Passages written in one transaction: others get in between. */
const BATCH = 400;

interface Reading {
	isSpent?: () => boolean;
	/** Read whole, in the place of what there was. */
	anew?: boolean;
	/** Bytes of each file. */
	most?: number;
}

/**
 * Adds what a transcript and those of its subagents have gained since they were indexed: the same reader as for the session's state, with
 * an offset of its own, since the index may be deleted at any time. What the user went back behind stays, marked as left. When the time
 * is spent, or after `most` bytes, the next call goes on. Gives the bytes of the transcript that are done. Throws when it can't be opened.
 */
export function indexTranscript(index: SearchIndex, source: Source, reading: Reading = {}): number {
	const reached = indexFile(index, source, reading);
	const folder = join(dirname(source.path), basename(source.path, ".jsonl"), "subagents");
	for (const path of namesIn(folder).map((name) => join(folder, name)))
		if (subagentIn(path) && !reading.isSpent?.()) indexFile(index, { ...source, path }, reading);
	return reached;
}

function indexFile(index: SearchIndex, source: Source, { isSpent, anew = false, most = Infinity }: Reading): number {
	const known = anew ? null : index.reachedOf(source.path);
	if (known && known.reached === quietStat(source.path)?.size) return known.reached;
	/** What is kept between two readings. */
	type Kept = { last: TranscriptNode[]; waiting: [string, WaitingCall][] };
	const state = known && (quietJson(known.state) as Kept | undefined);
	const waiting = new Map(state?.waiting);
	const isSubagent = subagentIn(source.path) !== null;
	let passages: Passage[] = [];
	let compacted = known?.compacted ?? 0;
	let begun = (anew ? "anew" : "on") as Start;
	const begin = (start: Start) => {
		if (start !== "on") begun = start;
		if (begun !== "on") {
			waiting.clear();
			compacted = 0;
		}
		const make = passageMaker(waiting);
		return (line: EventLine): void => {
			if (!isSubagent && line.events.some(({ kind }) => kind === "boundary")) compacted = line.pos;
			passages.push(...(isSubagent ? ofSubagent(make(line)) : make(line)));
			// what was left is marked together with what stands: all at once
			if (begun !== "on" || passages.length < BATCH) return;
			index.add(source, passages);
			passages = [];
		};
	};
	const { offset, last } = readTranscript(
		source.path,
		known && state ? { offset: known.reached, last: state.last } : null,
		begin,
		{
			goesOn: true,
			most: Infinity,
			heard: heardIn(sessionAt({ root: index.root, tell: () => {} }, source.session)),
			until: (known?.reached ?? 0) + most,
			isSpent: () => begun === "on" && (isSpent?.() ?? false),
		},
	);
	const kept = JSON.stringify({ last, waiting: keptCalls(waiting) } satisfies Kept);
	index.add(source, passages, { reached: { reached: offset, state: kept, compacted }, others: OTHERS[begun] });
	return offset;
}

/** What becomes of the passages that were there. */
const OTHERS = { on: "stay", rewound: "left", anew: "go" } as const;
