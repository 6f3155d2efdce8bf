import { chmodSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { quietLstat, quietly, quietStat } from "../files/quietly.ts";
import { foldersUp, isWithin, realPath } from "../files/real-path.ts";
import { coded } from "../files/system-failure.ts";
import { trustedUsers } from "../git/repository.ts";

const RUN = ["flush", "follow-up", "halt", "statusline", "pressure"].map((name) => `run/${name}`);
const FOLDERS = ["sessions", "run", ...RUN, "profiles", "profiles/chosen", "log", "install", "projects"];
/** Folders of a session. */
const OWN = ["", "checkpoints", "summaries", "archive"];

/**
 * Before a run writes to the store: no folder of it, and nothing in this session's, is a symbolic link (whoever plants one
 * would have the run write elsewhere), and folders that others may enter are closed to them. The store's own folder may be
 * a link: where it lies is its owner's business. Throws with code `ELOOP` and says which link to remove, and with code
 * `EUNSAFE` where others may write to the store itself (`storeDanger`).
 */
export function refuseStoreLinks(root: string, sid?: string): void {
	refuseOpenStore(root);
	const own = sid ? OWN.map((name) => join("sessions", sid, name)) : [];
	for (const name of [...FOLDERS, ...own]) refuseFolderLink(join(root, name));
}

/** Refuses links at the store and the folders from its root down to `folder`, where they exist. */
export function refusePathLinks(root: string, folder: string): void {
	refuseOpenStore(root);
	let at = root;
	for (const name of relative(root, folder).split(sep).filter(Boolean)) {
		at = join(at, name);
		refuseFolderLink(at);
	}
}

function refuseFolderLink(path: string): void {
	// where the store can't be entered, what is to be written there will say so
	const stat = quietLstat(path);
	if (stat?.isSymbolicLink()) throw linkError(path);
	if (stat?.isDirectory() && (stat.mode & 0o077) !== 0) quietly(() => chmodSync(path, 0o700));
}

export const linkError = (path: string): Error =>
	coded(
		"ELOOP",
		`${path} is a symbolic link, and ccg follows none in its store: remove it, or put what it leads to there`,
	);

const OTHERS_WRITE = 0o002;
const GROUP_WRITES = 0o020;
const STICKY = 0o1000;

/** Gives the store's root where it can be trusted; else throws, with code `EUNSAFE`, what `storeDanger` says. */
export function refuseOpenStore(root: string): string {
	const danger = storeDanger(root);
	if (danger) throw coded("EUNSAFE", danger);
	return root;
}

/**
 * Why a store can't be trusted, by its real path, with what to do about it; `null` when it can. As sshd asks before it believes a user's
 * keys: the store belongs to the user and nobody else may write to it; a folder above it, up to the home folder (`/` for a store outside
 * of it), belongs to the user or to root, and not everybody may rename what lies in it. A group that may write to a folder above is let
 * pass: it can take the store away, and what it puts there is its own and is refused by its owner.
 */
export function storeDanger(root: string, env: Record<string, string | undefined> = process.env): string | null {
	// under sudo also the one who called it
	const trusted = [...trustedUsers(env), 0];
	const own = quietStat(root);
	if (own && !trusted.includes(own.uid)) return `${root} belongs to another user${ELSEWHERE}`;
	if (own && own.mode & (GROUP_WRITES | OTHERS_WRITE))
		return `others may write: ${root}; look at what is in it, then run: chmod go-w '${root.replaceAll("'", "'\\''")}'`;
	const home = env.HOME ?? "";
	const realHome = isWithin(root, home) ? home : realPath(home);
	for (const at of foldersUp(root)) {
		const stat = at === root ? undefined : quietStat(at);
		// whoever owns / is root here, also where user ids are mapped
		if (stat && ![...trusted, quietStat("/")?.uid].includes(stat.uid))
			return `${at}, above the store ${root}, belongs to another user${ELSEWHERE}`;
		if (stat && stat.mode & OTHERS_WRITE && !(stat.mode & STICKY))
			return `others may write: ${at}, above the store ${root}; run: chmod o-w '${at.replaceAll("'", "'\\''")}'`;
		if (at === home || at === realHome) break;
	}
	return null;
}

const ELSEWHERE = ": install with CCG_HOME set to a folder of your own";
