import { existsSync } from "node:fs";
import { readWorkspace } from "../../claude/machine/workspace.ts";
import { currentSession } from "../../claude/transcript/current-session.ts";
import { nthLineStart, readSession } from "../../claude/transcript/read-session.ts";
import { openTranscript } from "../../claude/transcript/transcript-file.ts";
import { recoveryBlock } from "../../core/recovery/recovery-block.ts";
import { emptyState, type SessionState } from "../../core/state/session-state.ts";
import { systemReason } from "../../files/system-failure.ts";
import { loadConfig } from "../../store/config/config.ts";
import { storeRoot } from "../../store/paths.ts";
import { readUsage } from "../../store/pressure/usage-record.ts";
import { latestKey, readablePath } from "../../store/recovery/checkpoints.ts";
import { storeAt } from "../../store/session/chosen-store.ts";
import { type Store, sessionAt } from "../../store/session-handle.ts";
import { readSessions } from "../../store/status/session-status.ts";
import { mayName, refuseCrossing } from "../support/held.ts";
import type { Io } from "../support/io.ts";
import { pickSession } from "../support/pick-session.ts";

export interface ShowOptions {
	session?: string;
	transcript?: string;
	at?: number;
	budget?: number;
}

export function show(options: ShowOptions, io: Io, now = new Date()): void {
	const root = storeRoot(io.env);
	const store = root ? storeAt(io, root) : null;
	const { sid, transcript, cwd } = source(options, store, io, now);
	refuseUnreadable(transcript, store, sid);
	const { config } = loadConfig(root, { ...(sid ? { sid } : {}), folder: cwd || io.cwd, tell: io.tell });
	const until = options.at === undefined ? undefined : nthLineStart(transcript, options.at);
	const isNow = store && sid && until === undefined;
	const { state } = isNow
		? currentSession(sessionAt(store, sid), transcript, now)
		: readSession(transcript, null, { until });
	if (isEmpty(state) && (until === undefined || isEmpty(readSession(transcript, null).state)))
		throw new Error(
			`no line of a transcript was found in ${transcript}; Claude Code writes them to ~/.claude/projects/*/*.jsonl, one JSON object a line`,
		);
	const maxChars = options.budget ?? config.recovery.maxChars;
	const workspace = cwd ? readWorkspace(cwd, now, { since: state.startedAt }) : null;
	io.out(recoveryBlock({ state, workspace, key: "(not saved)", path: "(not saved)", base: cwd, maxChars }));
}

interface ShownSession {
	sid: string | null;
	transcript: string;
	cwd: string;
}

function source({ session, transcript }: ShowOptions, store: Store | null, io: Io, now: Date): ShownSession {
	if (transcript) refuseCrossing("--transcript", io);
	if (transcript) return { sid: null, transcript, cwd: "" };
	if (!store)
		throw new Error("neither CCG_HOME nor HOME is set, so no session is known; name a file with --transcript");
	if (session === undefined) return newest(store, io, now);
	const sid = pickSession(store, session, io, now);
	const usage = readUsage(sessionAt(store, sid));
	if (!usage?.transcriptPath) throw new Error(`of session ${sid} ${NO_TRANSCRIPT}`);
	return { sid, transcript: usage.transcriptPath, cwd: usage.cwd ?? "" };
}

/** The session seen last of which a transcript is there; else one whose transcript is gone, which the reading will tell. */
function newest(store: Store, io: Io, now: Date): ShownSession {
	const sessions = readSessions(store, now).filter(({ session }) => mayName(store, session, io));
	if (sessions.length === 0)
		throw new Error(`no session in ${store.root} yet: a session's first hook makes it; --transcript names a file`);
	const told = sessions.filter(({ transcriptPath }) => transcriptPath);
	const one = told.find(({ transcriptPath }) => existsSync(transcriptPath!)) ?? told[0];
	if (!one)
		throw new Error(
			`of ${sessions.length === 1 ? "the one session" : `all ${sessions.length} sessions`} in ${store.root} ${NO_TRANSCRIPT}`,
		);
	return { sid: one.session, transcript: one.transcriptPath!, cwd: one.cwd ?? "" };
}

const NO_TRANSCRIPT =
	"no transcript is known: a status line or the end of a turn writes usage.json, which names it; --transcript names a file";

function refuseUnreadable(path: string, store: Store | null, sid: string | null): void {
	try {
		openTranscript(path).close();
	} catch (error) {
		const reason = systemReason(error);
		if (reason === null) throw error;
		const session = store && sid ? sessionAt(store, sid) : null;
		const key = session && latestKey(session);
		const instead = key
			? `its last checkpoint is ${readablePath(session!, key)}`
			: sid
				? "there is no checkpoint of it either"
				: "give --transcript the path of a .jsonl file";
		throw new Error(
			`the transcript ${sid ? `of session ${sid}, ${path},` : path} can't be read: ${reason}; ${instead}`,
			{
				cause: error,
			},
		);
	}
}

/** Whether nothing at all was applied; `partial` only says how much was looked at. */
const isEmpty = (state: SessionState): boolean =>
	JSON.stringify({ ...state, partial: false }) === JSON.stringify({ ...emptyState(), partial: false });
