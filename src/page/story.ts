import { readCompactionAt } from "../claude/transcript/compactions.ts";
import { catchUpRecord } from "../claude/transcript/read-session.ts";
import { readTranscript } from "../claude/transcript/read-transcript.ts";
import { auditCompaction, holdsWords, irreplaceableWords } from "../core/audit/audit.ts";
import { relativePath } from "../core/block/item.ts";
import { recoveryBlock } from "../core/block/recovery-block.ts";
import type { Checkpoint } from "../core/checkpoint/checkpoint.ts";
import { applyLineToState } from "../core/context/apply.ts";
import { emptySnapshot } from "../core/context/session-context.ts";
import { inputFilePath, readEdits } from "../core/state/kept-input.ts";
import { safeEnds, safeHead } from "../core/text/safe-head.ts";
import { countWithNoun, normalise, oneLine, safeText } from "../core/text/text.ts";
import type { EventOf, TranscriptEvent } from "../core/transcript/event.ts";
import { tryOrUndefined } from "../files/quietly.ts";
import { checkpointPath, listStoredCheckpoints, readCheckpoint, readReports } from "../store/recovery/checkpoints.ts";
import { promptChecker } from "../store/session/heard-prompts.ts";
import type { Session } from "../store/session-handle.ts";

/** So many requests of a part, and steps of a request, are kept; the others are counted. */
const [MOST_REQUESTS, MOST_STEPS] = [300, 80];
/** So many commands, failures and files of a part, the newest. */
const MOST_EVIDENCE = 200;
/** Characters of a text that are kept as it was written; less of it is shown. */
const KEPT_CHARS = 6_000;

const BLOCK = "ccg recovery ";

/** A session between two compactions, as its transcript tells it, in raw texts. */
const emptyPart = (from: number) => ({
	/** Where it begins in the transcript. */
	from,
	/** The compaction that ended it; `null` in the last part. */
	boundary: null as (EventOf<"boundary"> & { pos: number }) | null,
	/** What ccg gave back behind the compaction before it, as the client recorded it. */
	block: null as string | null,
	points: [] as { at: string; tokens: number }[],
	requests: [] as {
		at: string;
		text: string;
		steps: { at: string; tool: string; text: string; output: string; failed: boolean }[];
		/** Steps that are not kept. */
		omitted: number;
	}[],
	/** Requests that are not kept. */
	omitted: 0,
	/** Shell commands that worked, each with the last line of its output. */
	commands: new Map<string, string>(),
	failures: [] as { what: string; message: string; at: string; fixedAt: string; edited: Set<string> }[],
	/** How often each file was edited. */
	files: new Map<string, number>(),
});

export type Part = ReturnType<typeof emptyPart>;

/** A session as its transcript tells it, in parts between compactions, with the times of its nudges. */
export type Story = ReturnType<typeof readStory>;

/** Reads the whole of a transcript, what the user rewound left out. What is kept is bounded by the limits above. Throws when it can't be opened. */
export function readStory(session: Session, path: string) {
	const parts = [emptyPart(0)];
	const calls = new Map<string, EventOf<"call">>();
	const nudges: string[] = [];
	let lastAt = "";
	const readEvent = (event: TranscriptEvent, pos: number): void => {
		const part = parts.at(-1)!;
		if (event.kind === "boundary") {
			part.boundary = { ...event, pos };
			parts.push(emptyPart(pos));
		} else if (event.kind === "message" || event.kind === "unclear") addRequest(part, event);
		else if (event.kind === "said") addStep(part, { ...event, tool: "", output: "", failed: false });
		else if (event.kind === "usage") addPoint(part, lastAt, event.tokens);
		else if (event.kind === "own") {
			if (event.text.startsWith("ccg nudge")) nudges.push(event.at);
			if (event.text.startsWith(BLOCK)) part.block ??= event.text;
		} else if (event.kind === "call") calls.set(event.id, event);
		else if (event.kind === "result") {
			const call = calls.get(event.id);
			calls.delete(event.id);
			if (call) addCall(part, call, event);
		}
	};
	const onLine = ({ pos, events }: { pos: number; events: readonly TranscriptEvent[] }): void => {
		for (const event of events) lastAt = ("at" in event && event.at) || lastAt;
		for (const event of events) readEvent(event, pos);
	};
	readTranscript(path, null, () => onLine, { maxBytes: Infinity, isPrompt: promptChecker(session) });
	return { path, parts, nudges };
}

/** A copy of a text's beginning: a slice would keep all of the line in memory. */
const copyHead = (text: string): string => Buffer.from(text.slice(0, KEPT_CHARS)).toString();

/** Adds a measured size of the context; of very many every second goes. */
function addPoint(part: Part, at: string, tokens: number): void {
	part.points.push({ at, tokens });
	if (part.points.length > 4_000) part.points = part.points.filter((_, i) => i % 2 === 0);
}

/** Adds a message of the user, with which a new request begins. */
function addRequest(part: Part, { at, text }: { at: string; text: string }): void {
	part.requests.push({ at, text: copyHead(text), steps: [], omitted: 0 });
	if (part.requests.length <= MOST_REQUESTS) return;
	part.requests.shift();
	part.omitted++;
}

/** Adds what the agent said or did to the request at hand. */
function addStep(part: Part, step: Part["requests"][number]["steps"][number]): void {
	if (part.requests.length === 0) addRequest(part, { at: step.at, text: "" });
	const request = part.requests.at(-1)!;
	if (request.steps.length >= MOST_STEPS) request.omitted++;
	else request.steps.push({ ...step, text: copyHead(step.text), output: copyHead(step.output) });
}

/** Adds a call that has ended: as a step, and to what the part did. */
function addCall(part: Part, call: EventOf<"call">, { failed, text: output, at }: EventOf<"result">): void {
	const { tool, input } = call;
	const { command, pattern, description } = input;
	const text = String(command ?? inputFilePath(input) ?? pattern ?? description ?? "");
	addStep(part, { at: call.at, tool, text, output, failed });
	const what = safeHead(`${tool} ${text}`, 2_000);
	const isEdit = readEdits(input) !== null;
	if (failed) part.failures.push({ what, message: copyHead(output), at, fixedAt: "", edited: new Set() });
	else {
		for (const failure of part.failures) {
			if (failure.fixedAt) continue;
			if (failure.what === what) failure.fixedAt = at;
			else if (isEdit) failure.edited.add(text);
		}
		if (isEdit) part.files.set(text, (part.files.get(text) ?? 0) + 1);
		if (typeof command === "string")
			part.commands.set(safeHead(command, 2_000), copyHead(output.trimEnd().split("\n").at(-1) ?? ""));
	}
	for (const map of [part.commands, part.files]) if (map.size > MOST_EVIDENCE) map.delete(map.keys().next().value!);
	if (part.failures.length > MOST_EVIDENCE) part.failures.shift();
}

/** Finds the newest compactions of a session, at most `most`, oldest first; with `key` the one of that checkpoint alone. */
export function findCompactions(session: Session, story: Story, key: string | undefined, most: number) {
	const found: ReturnType<typeof findCompaction>[] = [];
	for (let number = story.parts.length - 1; number > 0 && found.length < (key ? 1 : most); number--) {
		const one = findCompaction(session, story, number);
		if (key === undefined || one.key === key) found.unshift(one);
	}
	return found;
}

/**
 * Finds what belongs to compaction `number` of a session, counted from 1: the part that it ended, its summary, the block of ccg that the client
 * recorded, and its checkpoint's key, `""` where none is known. The texts are safe.
 */
function findCompaction(session: Session, { path, parts }: Story, number: number) {
	const part = parts[number - 1]!;
	const boundary = part.boundary!;
	const { summary, usage, kept } = readCompactionAt(path, boundary);
	const { block } = parts[number]!;
	const recorded = block && safeText(block);
	const key = recorded === null ? findSavedKey(session, part) : recorded.slice(BLOCK.length).split(":")[0]!;
	return { number, part, boundary, summary: summary === null ? null : safeText(summary), usage, kept, recorded, key };
}

/** The key of the checkpoint whose last message stands in a part: older clients record no hooks, and clocks are set. */
function findSavedKey(session: Session, { from, boundary }: Part): string {
	const isOfPart = (key: string): boolean => {
		const { pos = -1 } = readCheckpoint(session, key)?.state.messages.at(-1) ?? {};
		return pos >= from && pos < boundary!.pos;
	};
	const saved = listStoredCheckpoints(session, { sid: session.id, type: "precompact" });
	return saved.find(({ key }) => isOfPart(key))?.key ?? "";
}

/** What a checkpoint of this compaction would have held, from the transcript alone. */
function readStateBefore(session: Session, path: string, { pos: until }: { pos: number }): Checkpoint["state"] {
	const record = emptySnapshot(session.id, 0);
	return catchUpRecord(record, path, { until, isPrompt: promptChecker(session) }, applyLineToState).state;
}

/**
 * What is known of a compaction: what the summary holds, what the model was given beside it, and of what was done in the part before it, what
 * stands in the summary. All texts are safe.
 */
export function describeCompaction(
	session: Session,
	path: string,
	{ number, part, boundary, summary, usage, kept, recorded, key }: ReturnType<typeof findCompaction>,
	maxChars: number,
) {
	const saved = key && recorded === null ? readCheckpoint(session, key) : null;
	const made =
		saved && recoveryBlock({ ...saved, path: checkpointPath(session, key), base: saved.projectDir, maxChars });
	const block = recorded ?? made?.text ?? null;
	const state = readStateBefore(session, path, boundary);
	const { at, trigger } = boundary;
	const identity = { version: 1, key, at, session: session.id, trigger, projectDir: "", transcriptPath: path } as const;
	const checkpoint: Checkpoint = { ...identity, state, workspace: null, kept };
	const given = normalise(block ?? "");
	const isGiven = (text: string) => holdsWords(given, normalise(text));
	const whole = state.messages.filter(({ text }) => isGiven(text)).map(({ order }) => [order, "whole"] as const);
	// what ccg counted at the time knows which messages came back in part
	const [reported] = key ? readReports(session, key) : [];
	const report = reported ?? auditCompaction(checkpoint, summary, { text: block ?? "", messages: new Map(whole) });
	const evidence = evidenceOf(part, state, summary);
	const isRecorded = recorded !== null;
	return { number, part, boundary, summary, block, isRecorded, state, report, usage, evidence };
}

/**
 * Of what was done before the compaction whose checkpoint has this key: by kind how much the summary holds, and of how many; `null` where the
 * transcript does not show that compaction, or is not there.
 */
export function countEvidence(
	session: Session,
	path: string,
	key: string,
): Record<string, { held: number; total: number }> | null {
	const story = tryOrUndefined(() => readStory(session, path));
	const [found] = story ? findCompactions(session, story, key, 1) : [];
	if (!found) return null;
	const evidence = evidenceOf(found.part, readStateBefore(session, path, found.boundary), found.summary);
	const kinds = Object.entries(evidence).filter(([, entries]) => entries.length > 0);
	const countHeld = (entries: { isHeld: boolean }[]) => entries.filter(({ isHeld }) => isHeld).length;
	return Object.fromEntries(kinds.map(([kind, all]) => [kind, { held: countHeld(all), total: all.length }]));
}

/** What was done in a part, each with whether the summary holds it: no list is chosen by what it says. */
function evidenceOf(part: Part, { commits, cwd: folder }: Checkpoint["state"], summary: string | null) {
	const known = normalise(summary ?? "");
	const isHeld = (...forms: string[]): boolean => forms.some((form) => holdsWords(known, normalise(form)));
	const commands = [...part.commands].map(([command, output]) => ({
		text: safeEnds(oneLine(command), 300),
		more: oneLine(safeHead(output, 200)),
		isHeld: isHeld(command),
	}));
	const failures = part.failures.map(({ what, message, fixedAt, edited }) => {
		const files = [...edited].slice(0, 4).map((file) => safeHead(file, 200));
		const after = files.length > 0 ? `, after an edit of ${files.join(", ")}` : "";
		return {
			text: safeEnds(oneLine(what), 300),
			more: `${oneLine(safeHead(message, 200))}${fixedAt ? ` → worked later${after}` : ""}`,
			isHeld: isHeld(message),
		};
	});
	const files = [...part.files].map(([file, times]) => ({
		text: safeHead(file, 300),
		more: countWithNoun(times, "edit"),
		isHeld: isHeld(file, relativePath(file, folder)),
	}));
	const made = commits.filter(({ pos = 0 }) => pos >= part.from && pos < part.boundary!.pos);
	const committed = made.map(({ hash, subject }) => ({
		text: hash,
		more: subject,
		isHeld: isHeld(hash.slice(0, 7), subject),
	}));
	const outputs = [...part.commands.values()].flatMap((line) => irreplaceableWords(safeHead(line, 500)));
	const numbers = [...new Set(outputs)].filter((word) => word >= "0" && word < ":");
	const measured = numbers.slice(-MOST_EVIDENCE).map((text) => ({ text, more: "", isHeld: isHeld(text) }));
	return { commands, failures, files, commits: committed, "measured numbers": measured };
}
