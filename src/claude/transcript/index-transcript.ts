import { existsSync } from "node:fs";
import type { TranscriptNode } from "../../core/transcript/active-branch.ts";
import type { EventLine } from "../../core/transcript/event.ts";
import { quietJson } from "../../core/transcript/quiet-json.ts";
import { quietStat } from "../../files/quietly.ts";
import type { Passage, Source } from "../../search/passage.ts";
import { keptCalls, passageMaker, type WaitingCall } from "../../search/passages.ts";
import type { SearchIndex } from "../../search/search-index.ts";
import { heardIn } from "../../store/session/heard-prompts.ts";
import { sessionAt } from "../../store/session-handle.ts";
import { indexNotes } from "../machine/index-files.ts";
import { readTranscript, type Start } from "./read-transcript.ts";

/** Passages written in one transaction: others get in between. */
const BATCH = 400;

/**
 * Adds what a transcript has gained since it was indexed: the same reader as for the session's state, with an offset of its own, since
 * the index may be deleted at any time. `anew`: read whole, in the place of what there was. What the user went back behind stays, marked
 * as left. When the time is spent, or after `most` bytes, the next call goes on. Gives the bytes that are done. Throws when the
 * transcript can't be opened.
 */
export function indexTranscript(
	index: SearchIndex,
	source: Source,
	{ isSpent, anew = false, most = Infinity }: { isSpent?: () => boolean; anew?: boolean; most?: number } = {},
): number {
	const known = anew ? null : index.reachedOf(source.path);
	if (known && known.reached === quietStat(source.path)?.size) return known.reached;
	/** What is kept between two readings. */
	type Kept = { last: TranscriptNode[]; waiting: [string, WaitingCall][] };
	const state = known && (quietJson(known.state) as Kept | undefined);
	const waiting = new Map(state?.waiting);
	let passages: Passage[] = [];
	let begun = (anew ? "anew" : "on") as Start;
	const begin = (start: Start) => {
		if (start !== "on") begun = start;
		if (begun !== "on") waiting.clear();
		const make = passageMaker(waiting);
		return (line: EventLine): void => {
			passages.push(...make(line));
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
	index.add(source, passages, { reached: { reached: offset, state: kept }, others: OTHERS[begun] });
	return offset;
}

/** What becomes of the passages that were there. */
const OTHERS = { on: "stay", rewound: "left", anew: "go" } as const;

/** Milliseconds given to what the session has said since it was indexed last. */
const CATCH_UP_MS = 150;

/** Of more, only the beginning is added now. */
const MOST_BYTES = 8 * 1024 * 1024;

/**
 * Adds what a session's running turn has said and the notes that were saved in it: the index has them at the turn's end. Without it
 * the answer is only less new.
 */
export function catchUp(index: SearchIndex, session: string, project: string | undefined): void {
	const began = performance.now();
	const isSpent = () => performance.now() - began >= CATCH_UP_MS;
	const sources = session ? index.transcripts(session).filter(({ path }) => existsSync(path)) : [];
	try {
		indexNotes(index, index.root, project);
		for (const source of sources) indexTranscript(index, source, { isSpent, most: MOST_BYTES });
	} catch {
		// another writer is at it, or a file can't be read
	}
}
