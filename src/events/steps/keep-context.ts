import { basename } from "node:path";
import { backgroundWork } from "../../claude/background-work.ts";
import { quickEnvironment } from "../../claude/machine/environment-quick.ts";
import { type EventsRead, readEvents } from "../../claude/transcript/read-events.ts";
import { takeSnapshot } from "../../core/context/background.ts";
import { compact, foldedRecord } from "../../core/context/compact.ts";
import { foldLate, foldLines } from "../../core/context/fold.ts";
import type { RecordBody, SessionRecord } from "../../core/context/record.ts";
import {
	type BackgroundTask,
	type Cursor,
	emptyContext,
	type SessionContext,
} from "../../core/context/session-context.ts";
import { safeText } from "../../core/text/text.ts";
import { nudgedAt } from "../../store/pressure/marker.ts";
import { appendOnce, appendRecord, ledgerSize } from "../../store/session/event-log.ts";
import { updateContext } from "../../store/session/session-context.ts";
import type { Services, SessionInput } from "../run/event.ts";

/** Lines named in the ledger as left. */
const MAX_LEFT = 2_000;

/**
 * Brings the session's context and its ledger up to the transcript's end: what is new is folded, compacted, appended to
 * the ledger, and only then saved with the offset it reaches. Killed in between, the next run makes the same records again
 * and leaves out those the ledger holds. `ended` is why the session is going. Who can't have the lock in time leaves what
 * only it knows in the ledger: the holder reads the transcript itself, the rest is folded in later.
 */
export function keepContext(input: SessionInput, services: Services, ended?: string): void {
	const { root, now, log } = services;
	const sid = input.session_id;
	try {
		updateContext(root, sid, now, (context) => changed(context, input, services, ended), { problem: log });
	} catch (error) {
		if ((error as { code?: string }).code !== "ELOCKED") throw error;
		const background = backgroundWork(input);
		if (background) appendRecord(root, sid, now, { kind: "background", tasks: background });
		if (ended !== undefined) appendRecord(root, sid, now, { kind: "ended", reason: safeText(ended) });
	}
}

function changed(
	before: SessionContext,
	input: SessionInput,
	services: Services,
	ended: string | undefined,
): SessionContext {
	const { root, config, env, now, log } = services;
	const sid = input.session_id;
	const path = input.transcript_path ?? "";
	// named after the session: a folder that was moved changes nothing in it
	const isSame = basename(before.cursor.transcript_path) === basename(path);
	const read = path ? readQuietly(path, isSame ? before.cursor : null, log) : null;
	const isAnew = read !== null && (read.isAnew || read.isRewound || (!isSame && before.cursor.transcript_offset > 0));
	const start = isAnew ? begunAnew(before, read.isRewound) : before;
	const { context: grown, records } = foldLines(start, read?.lines ?? []);
	const seconds = Math.floor(now.getTime() / 1000);
	const at = now.toISOString();
	const add = (id: string, body: RecordBody): void => void records.push({ v: 1, at, id, ...body });
	if (read?.gap) add(`gap.${read.gap.from}.${read.gap.to}`, { kind: "gap", ...read.gap });
	if (read?.isRewound) add(`rewound.${read.end}`, { kind: "rewound", left: read.left.slice(-MAX_LEFT) });
	const nudge = nudgedAt(root, sid);
	// the nudge of this cycle has the same id each time: told again, it is left out
	if (nudge) add(`nudge.${Math.round(nudge.atMs)}`, { kind: "nudge", tokens: nudge.tokens });
	const background = backgroundWork(input);
	if (background) {
		if (!isSameWork(grown, background)) add(`background.${now.getTime()}`, { kind: "background", tasks: background });
		takeSnapshot(grown, background, seconds);
	}
	const record: SessionRecord | null =
		ended === undefined ? null : { v: 1, at, id: `ended.${now.getTime()}`, kind: "ended", reason: safeText(ended) };
	if (record) records.push(record);
	const whole = record?.kind === "ended" ? foldLate(grown, [record]) : grown;
	const folder = input.cwd || env.CLAUDE_PROJECT_DIR || "";
	const { context, entries } = compact(
		{
			...whole,
			updated_at: seconds,
			profile: services.profile ?? "default",
			last_known_environment: { ...quickEnvironment(folder, now) },
		},
		config.context,
		seconds,
	);
	if (entries.length > 0) add(`folded.${entries.at(-1)!.id}`, foldedRecord(entries));
	const held = ledgerSize(root, sid);
	appendOnce(root, sid, records);
	return {
		...context,
		cursor: {
			transcript_path: path || before.cursor.transcript_path,
			transcript_offset: read ? read.end : before.cursor.transcript_offset,
			transcript_last: read ? read.last : before.cursor.transcript_last,
			// nobody wrote in between: what this run wrote itself needs no second look
			ledger_offset: held === before.cursor.ledger_offset ? ledgerSize(root, sid) : before.cursor.ledger_offset,
		},
	};
}

/** Before the first message there is no transcript; what else is wrong with it costs this reading, not the context. */
function readQuietly(path: string, from: Cursor | null, log: Services["log"]): EventsRead | null {
	try {
		return readEvents(path, from?.transcript_offset ?? 0, from?.transcript_last);
	} catch (error) {
		if ((error as { code?: string }).code !== "ENOENT") log(error);
		return null;
	}
}

function isSameWork({ background_tasks: tasks }: SessionContext, seen: readonly BackgroundTask[]): boolean {
	const running = tasks.filter(({ status }) => status === "running").map(({ id }) => id);
	return running.length === seen.length && seen.every(({ id }) => running.includes(id));
}

/**
 * Another transcript, or one that was written anew, tells everything again: counted on top, all would count twice. What the
 * user went back behind is not told again.
 */
function begunAnew(before: SessionContext, isRewound: boolean): SessionContext {
	const { created_at, facts, profile, current_plan, cursor } = before;
	const empty = emptyContext(before.session_id, created_at);
	return { ...empty, profile, cursor, ...(isRewound ? {} : { facts, current_plan }) };
}
