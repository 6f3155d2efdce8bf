import { countWithNoun, timeAgo } from "../core/text/text.ts";
import { readJson } from "../files/json-file.ts";
import { writeJson } from "../store/gate.ts";
import { lastSyncPath } from "../store/paths.ts";
import type { Store } from "../store/session-handle.ts";
import { type OpenSpace, readSpace } from "./space.ts";

export type NamedMachine = Record<"machine" | "name", string>;
/** How the last exchange went, as it is kept. Times are ISO 8601; `at` is `null` before the first. */
export interface LastSync {
	at: string | null;
	/** A later try that failed as a whole. */
	failed: { at: string; why: string } | null;
	/** What was refused or failed, while the rest was done. */
	problems: string[];
	/** Machines that ask to be let in; and whom this one let in. */
	asking: NamedMachine[];
	joined: string | null;
	/** The other members; `isGone`: without a document there: it left, or the carrier lost it. */
	members: (NamedMachine & { isGone: boolean })[];
	/** Notes of this machine that others replaced or deleted: those that stay until somebody says yes, and how many went. */
	waiting: string[];
	taken: number;
	/** Whether a member has let this machine in. */
	isMember: boolean;
	/** Of each document that was read the version that the carrier gave it; so many were new. */
	versions: Record<string, string>;
	received: number;
	isSent: boolean;
	/** A hash of what the exchange found: what is shared from here, and what the carrier held. */
	basis: string;
}

const NEVER_SYNCED: LastSync = {
	...{ at: null, failed: null, problems: [], asking: [], joined: null, members: [] },
	...{ waiting: [], isMember: false, versions: {}, basis: "", received: 0, isSent: false, taken: 0 },
};

/** How the last exchange went; `NEVER_SYNCED` before the first. */
export const readLastSync = ({ store }: Pick<OpenSpace, "store">): LastSync => ({
	...NEVER_SYNCED,
	...readJson<LastSync>(lastSyncPath(store.root)),
});

/** Writes down how an exchange went. Redaction would change hashes and versions: these are written exactly. */
export const writeLastSync = ({ store }: OpenSpace, last: LastSync): void =>
	writeJson(lastSyncPath(store.root), last, { unredacted: { versions: last.versions, basis: last.basis } });

/** How an exchange is to be done. */
export interface SyncOptions {
	/** A person said yes to what waits for one. */
	isConfirmed?: boolean;
	/** The code that the machine shows which is to be let in. */
	code?: string;
	/** Called for each document that is read, with its number and how many there are; what it throws ends the exchange. */
	onDocument?(done: number, all: number): void;
}

/** Says in a line when the last exchange was; `isWrong`: something was refused, failed or waits. `null` where nothing is shared. */
export function syncLine(store: Store, now: number): { line: string; isWrong: boolean } | null {
	const opened = readSpace(store);
	if (!opened) return null;
	const { at, failed, problems, waiting, isMember } = readLastSync(opened);
	const parts = [
		`${at === null ? "never yet" : timeAgo(now - Date.parse(at))} by ${opened.space.address}`,
		at !== null && !isMember && "no member has let this machine in",
		failed && `the last try failed ${timeAgo(now - Date.parse(failed.at))}`,
		waiting.length > 0 && `${countWithNoun(waiting.length, "note")} wait for a yes: ccg sync now`,
		problems.length > 0 && `${countWithNoun(problems.length, "problem")}: ccg sync status`,
	];
	return { line: parts.filter(Boolean).join(", "), isWrong: failed !== null || problems.length + waiting.length > 0 };
}
