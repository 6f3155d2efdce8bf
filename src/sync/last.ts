import { ago, counted } from "../core/text/text.ts";
import { readJson } from "../files/json-file.ts";
import { writeJson } from "../store/gate.ts";
import { lastSyncPath } from "../store/paths.ts";
import type { Store } from "../store/session-handle.ts";
import { type Opened, openSpace } from "./space.ts";

export type Named = Record<"machine" | "name", string>;
/** What the last exchange was like, as it is kept. Times are ISO 8601. */
export interface LastSync {
	/** `null`: never. */
	at: string | null;
	/** A later try that failed as a whole. */
	failed: { at: string; why: string } | null;
	/** What was refused or failed, while the rest was done. */
	problems: string[];
	/** Machines that ask to be let in; and whom this one let in. */
	asking: Named[];
	joined: string | null;
	/** The other members; `isGone`: without a document there: it left, or the carrier lost it. */
	members: (Named & { isGone: boolean })[];
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

const NONE: LastSync = {
	...{ at: null, failed: null, problems: [], asking: [], joined: null, members: [] },
	...{ waiting: [], isMember: false, versions: {}, basis: "", received: 0, isSent: false, taken: 0 },
};

export const lastSync = ({ store }: Pick<Opened, "store">): LastSync => ({
	...NONE,
	...readJson<LastSync>(lastSyncPath(store.root)),
});

export const keepLast = ({ store }: Opened, last: LastSync): void =>
	writeJson(lastSyncPath(store.root), last, { exact: { versions: last.versions, basis: last.basis } });

/** How an exchange is to be done. */
export interface How {
	/** A person said yes to what waits for one. */
	isMeant?: boolean;
	/** The code that the machine shows which is to be let in. */
	code?: string;
	/** Called for each document that is read, with its number and how many there are; what it throws ends the exchange. */
	onDocument?(done: number, all: number): void;
}

/** Says in a line when the last exchange was; `isWrong`: something was refused, failed or waits. `null` where nothing is shared. */
export function syncLine(store: Store, now: number): { line: string; isWrong: boolean } | null {
	const opened = openSpace(store);
	if (!opened) return null;
	const { at, failed, problems, waiting, isMember } = lastSync(opened);
	const parts = [
		`${at === null ? "never yet" : ago(now - Date.parse(at))} by ${opened.space.address}`,
		at !== null && !isMember && "no member has let this machine in",
		failed && `the last try failed ${ago(now - Date.parse(failed.at))}`,
		waiting.length > 0 && `${counted(waiting.length, "note")} wait for a yes: ccg sync now`,
		problems.length > 0 && `${counted(problems.length, "problem")}: ccg sync status`,
	];
	return { line: parts.filter(Boolean).join(", "), isWrong: failed !== null || problems.length + waiting.length > 0 };
}
