import { basename, dirname, join } from "node:path";
import { subagentFile } from "../../core/text/paths.ts";
import type { TranscriptNode } from "../../core/transcript/active-branch.ts";
import type { EventLine } from "../../core/transcript/event.ts";
import { parseBoundedJson } from "../../core/transcript/quiet-json.ts";
import { listFolder, tryStat } from "../../files/quietly.ts";
import type { Passage, Source } from "../../search/passage.ts";
import { asSubagentPassages, passageMaker, redactWaiting, type WaitingCall } from "../../search/passages.ts";
import type { SearchIndex } from "../../search/search-index.ts";
import { promptChecker } from "../../store/session/heard-prompts.ts";
import { sessionHandle } from "../../store/session-handle.ts";
import { type ReadStart, readTranscript } from "./read-transcript.ts";

/** Passages written in one transaction: other writers get their turn between two. */
const BATCH = 400;

interface Reading {
	isTimeUp?: () => boolean;
	/** Whether the file is read whole, and its passages replace the old ones. */
	anew?: boolean;
	/** Bytes read of each file at most. */
	maxBytes?: number;
}

/**
 * Adds to the index what a transcript and its subagents' transcripts gained since the last call. Passages that the user rewound stay, marked
 * so. When the time is spent, or after `maxBytes`, the next call goes on. Gives the offset up to which the transcript is indexed. Throws
 * when it can't be opened.
 */
export function indexTranscript(index: SearchIndex, source: Source, reading: Reading = {}): number {
	const offset = indexFile(index, source, reading);
	const folder = join(dirname(source.path), basename(source.path, ".jsonl"), "subagents");
	for (const path of listFolder(folder).map((name) => join(folder, name)))
		if (subagentFile(path) && !reading.isTimeUp?.()) indexFile(index, { ...source, path }, reading);
	return offset;
}

/** Indexes one transcript from the offset up to which it is indexed already; gives the new offset. */
function indexFile(index: SearchIndex, source: Source, reading: Reading): number {
	const { isTimeUp, anew = false, maxBytes = Infinity } = reading;
	const known = anew ? null : index.reachedOf(source.path);
	if (known && known.offset === tryStat(source.path)?.size) return known.offset;
	/** What the index keeps for the next reading. */
	type State = { last: TranscriptNode[]; waiting: [string, WaitingCall][] };
	const state = known && (parseBoundedJson(known.state) as State | undefined);
	const waiting = new Map(state?.waiting);
	const isSubagent = subagentFile(source.path) !== null;
	let passages: Passage[] = [];
	let compacted = known?.compacted ?? 0;
	let startKind = (anew ? "anew" : "continued") as ReadStart;
	/** Forgets the earlier readings where the file is not read on from there, and gives the function that is called with each line. */
	const onStart = (start: ReadStart) => {
		if (start !== "continued") startKind = start;
		if (startKind !== "continued") {
			waiting.clear();
			compacted = 0;
		}
		const makePassages = passageMaker(waiting);
		return (line: EventLine): void => {
			if (!isSubagent && line.events.some(({ kind }) => kind === "boundary")) compacted = line.pos;
			passages.push(...(isSubagent ? asSubagentPassages(makePassages(line)) : makePassages(line)));
			// only here in batches: else old passages go and new ones come in one transaction
			if (startKind !== "continued" || passages.length < BATCH) return;
			index.add(source, passages);
			passages = [];
		};
	};
	const readTo = known && state ? { offset: known.offset, last: state.last } : null;
	const { offset, last } = readTranscript(source.path, readTo, onStart, {
		isResumable: true,
		maxBytes: Infinity,
		isPrompt: promptChecker(sessionHandle({ root: index.root, onProblem: () => {} }, source.session)),
		until: (known?.offset ?? 0) + maxBytes,
		isTimeUp: () => startKind === "continued" && (isTimeUp?.() ?? false),
	});
	const stateText = JSON.stringify({ last, waiting: redactWaiting(waiting) } satisfies State);
	index.add(source, passages, { reached: { offset, state: stateText, compacted }, others: FATE_OF_OLD[startKind] });
	return offset;
}

/** What becomes of the passages that are in the index already. */
const FATE_OF_OLD = { continued: "stay", rewound: "left", anew: "go" } as const;
