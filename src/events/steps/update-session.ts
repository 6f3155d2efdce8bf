import { basename } from "node:path";
import { backgroundWork } from "../../claude/background-work.ts";
import { quickEnvironment } from "../../claude/machine/environment-quick.ts";
import { type Boundary, boundariesIn } from "../../claude/transcript/read-session.ts";
import { readTranscript, type Start, type TranscriptRead } from "../../claude/transcript/read-transcript.ts";
import { applier, applyLate } from "../../core/context/apply.ts";
import { takeAccount } from "../../core/context/background.ts";
import { compactSnapshot, summarisedRecord } from "../../core/context/compact.ts";
import type { LateRecord, RecordBody, SessionRecord } from "../../core/context/record.ts";
import { emptySnapshot, type SessionSnapshot } from "../../core/context/session-context.ts";
import type { SessionState } from "../../core/state/session-state.ts";
import { safeText } from "../../core/text/text.ts";
import type { EventLine } from "../../core/transcript/event.ts";
import { nudgedAt } from "../../store/pressure/marker.ts";
import { appendOnce, appendRecord, eventLogSize } from "../../store/session/event-log.ts";
import { heardIn } from "../../store/session/heard-prompts.ts";
import { updateSnapshot } from "../../store/session/session-snapshot.ts";
import { type Session, sessionAt } from "../../store/session-handle.ts";
import type { Services, SessionInput } from "../run/event.ts";

/** Lines named in the event log as left. */
const MAX_LEFT = 2_000;

/**
 * Brings the session up to the transcript's end: what is new is applied, compacted, appended to the event log, and only then
 * saved with the offset it reaches. Killed in between, the next run makes the same records again and leaves out those the log
 * holds. `ended` is why the session is going. Without the lock, what only this hook knows is appended and the next run applies it; the
 * transcript it reads itself. `onCompactions` gets those it met before the snapshot is saved: saved, they are not met again.
 */
export function updateSession(
	input: SessionInput,
	services: Services,
	{
		ended,
		onCompactions = () => {},
		onState = () => {},
	}: {
		ended?: string | undefined;
		onCompactions?(met: MetCompactions): void;
		/** Gets the state as it is saved; it goes on changing in later updates. */
		onState?(state: SessionState): void;
	} = {},
): void {
	const { now } = services;
	const session = sessionAt(services, input.session_id);
	try {
		updateSnapshot(session, now, (snapshot) => {
			const boundaries = update(snapshot, { input, services, ended });
			if (boundaries.length > 0) onCompactions({ state: snapshot.state, boundaries });
			onState(snapshot.state);
		});
	} catch (error) {
		if ((error as { code?: string }).code !== "ELOCKED") throw error;
		for (const { v: _, at: __, id: ___, ...body } of told(input, now, ended)) appendRecord(session, now, body);
	}
}

/** The compactions that the transcript told of since the last update, and the state they left. */
export interface MetCompactions {
	state: SessionState;
	boundaries: Boundary[];
}

interface Update {
	input: SessionInput;
	services: Services;
	ended: string | undefined;
}

/** Gives the compactions it met. */
function update(snapshot: SessionSnapshot, { input, services, ended }: Update): Boundary[] {
	const { config, now } = services;
	const session = sessionAt(services, input.session_id);
	const { records, boundaries } = readOn(snapshot, input, services);
	const nudge = nudgedAt(session);
	// the nudge of this cycle has the same id each time: told again, it is left out
	if (nudge) records.push(made(now, `nudge.${Math.round(nudge.atMs)}`, { kind: "nudge", tokens: nudge.tokens }));
	for (const record of told(input, now, ended)) {
		if (record.kind !== "background" || !isSameWork(snapshot, record)) records.push(record);
		applyLate(snapshot, [record]);
	}
	snapshot.updated_at = Math.floor(now.getTime() / 1000);
	snapshot.profile = services.profile ?? "default";
	const folder = input.cwd || services.env.CLAUDE_PROJECT_DIR || "";
	snapshot.last_known_environment = { ...quickEnvironment(folder, now) };
	const { entries } = compactSnapshot(snapshot, config.context, snapshot.updated_at);
	if (entries.length > 0) records.push(made(now, `summarised.${entries.at(-1)!.id}`, summarisedRecord(entries)));
	append(session, snapshot, records);
	return boundaries;
}

/** Nobody wrote in between: what this run wrote itself needs no second look. */
function append(session: Session, { cursor }: SessionSnapshot, records: SessionRecord[]): void {
	const held = eventLogSize(session);
	appendOnce(session, records);
	if (held === cursor.event_log_offset) cursor.event_log_offset = eventLogSize(session);
}

const made = (now: Date, id: string, body: RecordBody): SessionRecord => ({ v: 1, at: now.toISOString(), id, ...body });

/** What only this hook's input says. */
function told(input: SessionInput, now: Date, ended: string | undefined): LateRecord[] {
	const tasks = backgroundWork(input);
	const records: LateRecord[] = [];
	const head = (name: string) => ({ v: 1 as const, at: now.toISOString(), id: `${name}.${now.getTime()}` });
	if (tasks) records.push({ ...head("background"), kind: "background", tasks });
	if (ended !== undefined) records.push({ ...head("ended"), kind: "ended", reason: safeText(ended) });
	return records;
}

interface ReadOn {
	records: SessionRecord[];
	boundaries: Boundary[];
}

/** Applies what the transcript has gained; gives the records of it and the compactions in it. */
function readOn(snapshot: SessionSnapshot, input: SessionInput, services: Services): ReadOn {
	const { cursor, account } = snapshot;
	const path = input.transcript_path ?? "";
	const lines = lineTaker(snapshot, path);
	const heard = heardIn(sessionAt(services, input.session_id));
	const read = path ? readQuietly(path, lines, heard, services) : null;
	if (!read) return { records: [], boundaries: [] };
	if (read.isPartial) snapshot.state.partial = true;
	if (read.gap || read.isCut) delete snapshot.state.deeds;
	const isOn = lines.start() === "on";
	if (!isOn && account) takeAccount(snapshot, account);
	snapshot.cursor = { ...cursor, transcript_path: path, transcript_offset: read.offset, transcript_last: read.last };
	const records = [...lines.records, ...aboutReading(read, lines.start(), services.now)];
	return { records, boundaries: lines.boundaries };
}

/** Applies the lines it is given to a snapshot that may have to begin anew. */
function lineTaker(snapshot: SessionSnapshot, path: string) {
	const { transcript_path: last, transcript_offset, transcript_last } = snapshot.cursor;
	// named after the session: a folder that was moved changes nothing in it
	const isSame = last === "" || basename(last) === basename(path);
	const records: SessionRecord[] = [];
	const boundaries: Boundary[] = [];
	let start: Start | null = null;
	return {
		known: { offset: isSame ? transcript_offset : 0, last: isSame ? transcript_last : [] },
		records,
		boundaries,
		start: () => start,
		begin(begun: Start) {
			start = isSame ? begun : "anew";
			if (start !== "on") beginAnew(snapshot, start);
			const apply = applier(snapshot);
			const take = (line: EventLine): void => {
				boundaries.push(...boundariesIn(line));
				for (const record of apply(line)) records.push(record);
			};
			return { take };
		},
	};
}

/** Before the first message there is no transcript; one that can't be opened costs this reading, not the rest. */
function readQuietly(
	path: string,
	lines: ReturnType<typeof lineTaker>,
	heard: (text: string) => boolean,
	{ log, budget }: Services,
): TranscriptRead | null {
	const pace = (): "all" | "none" => (budget?.isSpent() ? "none" : "all");
	try {
		return readTranscript(path, lines.known, lines.begin, { isThorough: true, pace, heard });
	} catch (error) {
		// half of it is applied: nothing of it may be saved
		if (lines.start() !== null) throw error;
		if ((error as { code?: string }).code !== "ENOENT") log(error);
		return null;
	}
}

function aboutReading({ gap, left, offset }: TranscriptRead, start: Start | null, now: Date): SessionRecord[] {
	const records: SessionRecord[] = [];
	if (gap) records.push(made(now, `gap.${gap.from}.${gap.to}`, { kind: "gap", ...gap }));
	if (start === "rewound")
		records.push(made(now, `rewound.${offset}`, { kind: "rewound", left: left.slice(-MAX_LEFT) }));
	return records;
}

/**
 * Another transcript, or one that was written anew, tells everything again: counted on top, all would count twice. What the
 * user went back behind is not told again.
 */
function beginAnew(snapshot: SessionSnapshot, start: Start): void {
	const { created_at, facts, profile, current_plan, cursor } = snapshot;
	const kept = start === "rewound" ? {} : { facts, current_plan };
	Object.assign(snapshot, emptySnapshot(snapshot.session_id, created_at), { profile, cursor }, kept);
}

function isSameWork({ state }: SessionSnapshot, { tasks }: Extract<LateRecord, { kind: "background" }>): boolean {
	const running = state.backgroundTasks.flatMap(({ id, kind }) => (kind === "detached process" ? [] : [id]));
	return running.length === tasks.length && tasks.every(({ id }) => running.includes(id));
}
