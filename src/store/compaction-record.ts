import { existsSync, linkSync, readdirSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { LossReport } from "../core/recovery/loss-report.ts";
import { makeFolder, quietly } from "./atomic-write.ts";
import { readJson, writeJson } from "./json-file.ts";
import { sessionPaths } from "./paths.ts";

/** What was given right behind a compaction's summary. */
export interface FirstGiving {
	key: string;
	at: string;
	ids: string[];
	chars: number;
}

/** What is to be given with a later event, and the ids of the items in it; `text` is `null` when nothing is missing. */
export interface LaterGiving {
	key: string;
	text: string | null;
	ids: string[];
}

/** A summary as PostCompact brought it, made safe. */
export interface SeenSummary {
	at: string;
	text: string;
}

const MAX_SUMMARY = 200_000;

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
export function saveFirst(root: string, sid: string, first: FirstGiving): void {
	rmSync(paths(root, sid).later, { force: true });
	writeJson(paths(root, sid).first, first);
}
export const saveLater = (root: string, sid: string, later: LaterGiving): void =>
	writeJson(paths(root, sid).later, later);
export const saveSummary = (root: string, sid: string, at: string, text: string): void =>
	writeJson(paths(root, sid).summary, { at, text: text.slice(0, MAX_SUMMARY) } satisfies SeenSummary, {
		sync: false,
	});

export function readFirst(root: string, sid: string): FirstGiving | null {
	const first = readJson<FirstGiving>(paths(root, sid).first);
	return first?.key && first.at && Array.isArray(first.ids)
		? { key: first.key, at: first.at, ids: first.ids, chars: first.chars ?? 0 }
		: null;
}

export function readLater(root: string, sid: string): LaterGiving | null {
	const later = readJson<LaterGiving>(paths(root, sid).later);
	if (!later?.key) return null;
	return { key: later.key, text: typeof later.text === "string" ? later.text : null, ids: later.ids ?? [] };
}

/** A session that is resumed without what it was given may get its second part again. */
export const forgetLater = (root: string, sid: string, key: string): void =>
	rmSync(join(paths(root, sid).done, `${key}.later`), { force: true });

/** Whether the later part of this compaction went out. */
export const isLaterGiven = (root: string, sid: string, key: string): boolean =>
	existsSync(join(paths(root, sid).done, `${key}.later`));

/** The summary PostCompact brought since `after` (ISO time), or `null`. */
export function readSummary(root: string, sid: string, after: string): string | null {
	const summary = readJson<SeenSummary>(paths(root, sid).summary);
	return summary?.text && summary.at && summary.at >= after ? summary.text : null;
}

/** Gives whether it is the compaction's first report; a better one replaces it. */
export function saveReport(root: string, sid: string, report: LossReport): boolean {
	const path = join(paths(root, sid).reports, `${report.key}.json`);
	const isFirst = !existsSync(path);
	writeJson(path, report);
	return isFirst;
}

/** A session's reports, oldest first. Broken files are passed over. */
export function readReports(root: string, sid: string): LossReport[] {
	const folder = paths(root, sid).reports;
	let names: string[] = [];
	quietly(() => {
		names = readdirSync(folder).filter((name) => name.endsWith(".json"));
	});
	return names
		.sort()
		.map((name) => readJson<LossReport>(join(folder, name)))
		.filter((report): report is LossReport => report?.version === 1 && typeof report.kinds === "object");
}

/** Lets the shell guards start a hook once. */
export const setGiveMarker = (root: string, sid: string, key: string): void =>
	writeJson(sessionPaths(root, sid).giveMarker, { key }, { sync: false });

/** Takes the give marker: of all events that ask at once one gets the compaction's key, and each key is given once. */
export function claimGiveMarker(root: string, sid: string): string | null {
	const { folder, done } = paths(root, sid);
	const marker = sessionPaths(root, sid).giveMarker;
	const key = readJson<{ key: string }>(marker)?.key;
	makeFolder(done);
	const claim = join(folder, `give-${process.pid}-${Math.random().toString(36).slice(2)}`);
	try {
		renameSync(marker, claim);
	} catch (error) {
		if ((error as { code?: string }).code === "ENOENT") return null;
		throw error;
	}
	try {
		if (typeof key !== "string" || !/^[a-z0-9_]+$/.test(key)) return null;
		linkSync(claim, join(done, `${key}.later`));
		return key;
	} catch (error) {
		if ((error as { code?: string }).code === "EEXIST") return null;
		throw error;
	} finally {
		quietly(() => unlinkSync(claim));
	}
}
