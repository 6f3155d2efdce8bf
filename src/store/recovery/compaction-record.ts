import { existsSync, linkSync, readdirSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { isCheckpointKey } from "../../core/recovery/checkpoint-key.ts";
import type { LossReport } from "../../core/recovery/loss-report.ts";
import { makeFolder, quietly, removeOnce } from "../atomic-write.ts";
import type { Content } from "../json-schema.ts";
import { sessionPaths } from "../paths.ts";
import { firstGiving, giveMarker, laterGiving, lossReport, seenSummary } from "../shapes.generated.ts";
import type * as stored from "../stored-shapes.ts";
import { kindOf, readGood, writeVersioned } from "../versioned-file.ts";

export type RecoveryInjection = Content<typeof stored.firstGiving>;
export type FollowUpInjection = Content<typeof stored.laterGiving>;

const MAX_SUMMARY = 200_000;

/** Of one compaction: the one before it is of another compaction, and the next replaces it in any case. */
const FIRST = kindOf("first part", firstGiving, { passing: true });
const LATER = kindOf("second part", laterGiving, { passing: true });
const SUMMARY = kindOf("summary", seenSummary, { passing: true });
const GIVE = kindOf("give marker", giveMarker, { passing: true });
/** A better report of the same compaction replaces it; both are made from the checkpoint and the summary. */
const REPORT = kindOf("report", lossReport);

const paths = (root: string, sid: string) => {
	const { folder } = sessionPaths(root, sid);
	return {
		folder,
		first: join(folder, "first-giving.json"),
		later: join(folder, "later-giving.json"),
		summary: join(folder, "summary.json"),
		reports: join(folder, "reports"),
		done: join(folder, "given"),
	};
};

/** A later part that was made for another first one does not count any more. */
export function saveFirst(root: string, sid: string, first: RecoveryInjection): void {
	rmSync(paths(root, sid).later, { force: true });
	writeVersioned(paths(root, sid).first, FIRST, { version: 1, ...first });
}
export const saveFollowUp = (root: string, sid: string, later: FollowUpInjection): void =>
	writeVersioned(paths(root, sid).later, LATER, { version: 1, ...later });
export const saveSummary = (root: string, sid: string, at: string, text: string): void =>
	writeVersioned(
		paths(root, sid).summary,
		SUMMARY,
		{ version: 1, at, text: text.slice(0, MAX_SUMMARY) },
		{ sync: false },
	);

export function readFirst(root: string, sid: string): RecoveryInjection | null {
	const first = readGood(paths(root, sid).first, FIRST);
	return first && { key: first.key, at: first.at, ids: first.ids, chars: first.chars };
}

export function readFollowUp(root: string, sid: string): FollowUpInjection | null {
	const later = readGood(paths(root, sid).later, LATER);
	return later && { key: later.key, text: later.text, ids: later.ids };
}

/** A session that is resumed without what it was given may get its second part again. */
export const forgetFollowUp = (root: string, sid: string, key: string): void =>
	rmSync(join(paths(root, sid).done, `${key}.later`), { force: true });

/** Whether the later part of this compaction went out. */
export const isFollowUpInjected = (root: string, sid: string, key: string): boolean =>
	existsSync(join(paths(root, sid).done, `${key}.later`));

/** The summary PostCompact brought since `after` (ISO time), or `null`. */
export function readSummary(root: string, sid: string, after: string): string | null {
	const summary = readGood(paths(root, sid).summary, SUMMARY);
	return summary?.text && summary.at >= after ? summary.text : null;
}

/** Gives whether it is the compaction's first report; a better one replaces it. */
export function saveReport(root: string, sid: string, report: LossReport): boolean {
	const path = join(paths(root, sid).reports, `${report.key}.json`);
	const isFirst = !existsSync(path);
	writeVersioned(path, REPORT, report);
	return isFirst;
}

/** The report of one compaction, `null` without one. */
export const readReport = (root: string, sid: string, key: string): LossReport | null =>
	isCheckpointKey(key) ? readGood(join(paths(root, sid).reports, `${key}.json`), REPORT) : null;

/** A session's reports, oldest first. Broken files are passed over. */
export function readReports(root: string, sid: string): LossReport[] {
	const folder = paths(root, sid).reports;
	let names: string[] = [];
	quietly(() => {
		names = readdirSync(folder).filter((name) => name.endsWith(".json"));
	});
	return names.sort().flatMap((name) => readGood(join(folder, name), REPORT) ?? []);
}

/** Lets the shell guards start a hook once. */
export const setFollowUpMarker = (root: string, sid: string, key: string): void =>
	writeVersioned(sessionPaths(root, sid).giveMarker, GIVE, { version: 1, key }, { sync: false });

/** What was to be given later is not any more; of all that ask at once one gets `true`. */
export const dropFollowUpMarker = (root: string, sid: string): boolean =>
	removeOnce(sessionPaths(root, sid).giveMarker);

/** Takes the give marker: of all events that ask at once one gets the compaction's key, and each key is given once. */
export function claimFollowUpMarker(root: string, sid: string): string | null {
	const { folder, done } = paths(root, sid);
	const marker = sessionPaths(root, sid).giveMarker;
	// kept aside where no guard takes it for a marker
	const key = readGood(marker, GIVE, join(folder, "give-marker"))?.key;
	makeFolder(done);
	const claim = join(folder, `give-${process.pid}-${Math.random().toString(36).slice(2)}`);
	try {
		renameSync(marker, claim);
	} catch (error) {
		if ((error as { code?: string }).code === "ENOENT") return null;
		throw error;
	}
	try {
		if (!key) return null;
		linkSync(claim, join(done, `${key}.later`));
		return key;
	} catch (error) {
		if ((error as { code?: string }).code === "EEXIST") return null;
		throw error;
	} finally {
		quietly(() => unlinkSync(claim));
	}
}
