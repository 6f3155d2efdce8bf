import { existsSync, linkSync, readdirSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { isCheckpointKey } from "../../core/recovery/checkpoint-key.ts";
import type { LossReport } from "../../core/recovery/loss-report.ts";
import { makeFolder, quietly, removeOnce } from "../atomic-write.ts";
import { writeText } from "../gate.ts";
import type { Content } from "../json-schema.ts";
import type { Session } from "../session-handle.ts";
import { followUpInjection, followUpMarker, lossReport, recoveryInjection, seenSummary } from "../shapes.generated.ts";
import type * as stored from "../stored-shapes.ts";
import { kindOf, readGood, writeVersioned } from "../versioned-file.ts";

export type RecoveryInjection = Content<typeof stored.recoveryInjection>;
export type FollowUpInjection = Content<typeof stored.followUpInjection>;

const MAX_SUMMARY = 200_000;

/** Of one compaction: the one before it is of another compaction, and the next replaces it in any case. */
const FIRST = kindOf("recovery block", recoveryInjection, { passing: true });
const FOLLOW_UP = kindOf("follow-up block", followUpInjection, { passing: true });
const SUMMARY = kindOf("summary", seenSummary, { passing: true });
const MARKER = kindOf("follow-up marker", followUpMarker, { passing: true });
/** A better report of the same compaction replaces it; both are made from the checkpoint and the summary. */
const REPORT = kindOf("report", lossReport);

const paths = (session: Session) => {
	const { folder } = session.paths;
	return {
		folder,
		first: join(folder, "recovery-block.json"),
		followUp: join(folder, "follow-up-block.json"),
		summary: join(folder, "summary.json"),
		reports: join(folder, "reports"),
		done: join(folder, "injected"),
	};
};

/** A follow-up block that was made for another recovery block does not count any more. */
export function saveRecoveryInjection(session: Session, first: RecoveryInjection): void {
	rmSync(paths(session).followUp, { force: true });
	writeVersioned(paths(session).first, FIRST, { version: 1, ...first });
}
export const saveFollowUpInjection = (session: Session, later: FollowUpInjection): void =>
	writeVersioned(paths(session).followUp, FOLLOW_UP, { version: 1, ...later });
export const saveSummary = (session: Session, at: string, text: string): void =>
	writeVersioned(
		paths(session).summary,
		SUMMARY,
		{ version: 1, at, text: text.slice(0, MAX_SUMMARY) },
		{ sync: false },
	);

export function readRecoveryInjection(session: Session): RecoveryInjection | null {
	const first = readGood(paths(session).first, FIRST, session.tell);
	return first && { key: first.key, at: first.at, ids: first.ids, chars: first.chars };
}

export function readFollowUpInjection(session: Session): FollowUpInjection | null {
	const later = readGood(paths(session).followUp, FOLLOW_UP, session.tell);
	return later && { key: later.key, text: later.text, ids: later.ids };
}

/** A session that is resumed without what was injected may get its follow-up block again. */
export const forgetFollowUp = (session: Session, key: string): void =>
	rmSync(join(paths(session).done, `${key}.follow-up`), { force: true });

/** Whether the follow-up block of this compaction went out. */
export const isFollowUpInjected = (session: Session, key: string): boolean =>
	existsSync(join(paths(session).done, `${key}.follow-up`));

/** The summary PostCompact brought since `after` (ISO time), or `null`. */
export function readSummary(session: Session, after: string): string | null {
	const summary = readGood(paths(session).summary, SUMMARY, session.tell);
	return summary?.text && summary.at >= after ? summary.text : null;
}

/** Gives whether it is the compaction's first report; a better one replaces it. */
export function saveReport(session: Session, report: LossReport): boolean {
	const path = join(paths(session).reports, `${report.key}.json`);
	const isFirst = !existsSync(path);
	writeVersioned(path, REPORT, report, { tell: session.tell });
	return isFirst;
}

/** The report of one compaction, `null` without one. */
export const readReport = (session: Session, key: string): LossReport | null =>
	isCheckpointKey(key) ? readGood(join(paths(session).reports, `${key}.json`), REPORT, session.tell) : null;

/** A session's reports, oldest first. Broken files are passed over. */
export function readReports(session: Session): LossReport[] {
	const folder = paths(session).reports;
	let names: string[] = [];
	quietly(() => {
		names = readdirSync(folder).filter((name) => name.endsWith(".json"));
	});
	return names.sort().flatMap((name) => readGood(join(folder, name), REPORT, session.tell) ?? []);
}

/** Lets the pre-checks start a hook once. */
export const setFollowUpMarker = (session: Session, key: string): void =>
	writeVersioned(session.paths.followUpMarker, MARKER, { version: 1, key }, { sync: false });

/** The same for a recovery block that SessionStart left to another: `bin/ccg` starts that hook then (`note_missed` there). */
export const noteMissed = (session: Session): void =>
	writeText(session.paths.followUpMarker, "missed\n", { sync: false });

/** The checkpoint that the marker names; `null` where there is none, or it can't be read. */
export const followUpMarkerKey = (session: Session): string | null =>
	readGood(session.paths.followUpMarker, MARKER, () => {}, join(paths(session).folder, "follow-up-marker"))?.key ??
	null;

/** What was to be injected later is not any more; of all that ask at once one gets `true`. */
export const dropFollowUpMarker = (session: Session): boolean => removeOnce(session.paths.followUpMarker);

/** Takes the marker: of all events that ask at once one gets the compaction's key, and each key is taken once. */
export function claimFollowUpMarker(session: Session): string | null {
	const { folder, done } = paths(session);
	const marker = session.paths.followUpMarker;
	// quarantined where no pre-check takes it for a marker
	const key = readGood(marker, MARKER, session.tell, join(folder, "follow-up-marker"))?.key;
	makeFolder(done);
	const claim = join(folder, `follow-up-${process.pid}-${Math.random().toString(36).slice(2)}`);
	try {
		renameSync(marker, claim);
	} catch (error) {
		if ((error as { code?: string }).code === "ENOENT") return null;
		throw error;
	}
	try {
		if (!key) return null;
		linkSync(claim, join(done, `${key}.follow-up`));
		return key;
	} catch (error) {
		if ((error as { code?: string }).code === "EEXIST") return null;
		throw error;
	} finally {
		quietly(() => unlinkSync(claim));
	}
}
