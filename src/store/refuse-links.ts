import { chmodSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { tryLstat, tryOrUndefined, tryStat } from "../files/quietly.ts";
import { foldersUp, isWithin, realPath } from "../files/real-path.ts";
import { codedError } from "../files/system-failure.ts";
import { trustedUserIds } from "../git/repository.ts";

const RUN = ["flush", "nudged", "follow-up", "halt", "statusline", "cycle", "pressure"].map((name) => `run/${name}`);
const FOLDERS = ["sessions", "run", ...RUN, "profiles", "profiles/chosen", "log", "install", "projects"];
const SESSION_FOLDERS = ["", "checkpoints", "summaries", "archive"];

/**
 * Checks the store before a run writes to it. Throws with code `ELOOP` where a folder in it, or in that of session `sid`, is a symbolic link:
 * whoever planted it would have the run write elsewhere; with code `EUNSAFE` where others may write to the store (`findStoreDanger`).
 * Closes folders that others may enter. The store's own folder may be a link.
 */
export function refuseStoreLinks(root: string, sid?: string): void {
	refuseUnsafeStore(root);
	const sessionFolders = sid ? SESSION_FOLDERS.map((name) => join("sessions", sid, name)) : [];
	for (const name of [...FOLDERS, ...sessionFolders]) refuseFolderLink(join(root, name));
}

/** Throws where others may write to the store, or one of the folders between its root and `folder` is a link. */
export function refusePathLinks(root: string, folder: string): void {
	refuseUnsafeStore(root);
	let path = root;
	for (const name of relative(root, folder).split(sep).filter(Boolean)) {
		path = join(path, name);
		refuseFolderLink(path);
	}
}

/** Throws where a folder of the store is a link; closes it to others. */
function refuseFolderLink(path: string): void {
	const stat = tryLstat(path);
	if (stat?.isSymbolicLink()) throw symlinkError(path);
	if (stat?.isDirectory() && (stat.mode & 0o077) !== 0) tryOrUndefined(() => chmodSync(path, 0o700));
}

/** An error that says what to do about a link in the store. */
export function symlinkError(path: string): Error {
	const advice = "remove it, or put what it leads to there";
	return codedError("ELOOP", `${path} is a symbolic link, and ccg follows none in its store: ${advice}`);
}

const OTHERS_WRITE = 0o002;
const GROUP_WRITES = 0o020;
const STICKY = 0o1000;

/** Gives the store's root again where it can be trusted; else throws with code `EUNSAFE`. */
export function refuseUnsafeStore(root: string): string {
	const danger = findStoreDanger(root);
	if (danger) throw codedError("EUNSAFE", danger);
	return root;
}

/**
 * Says why a store can't be trusted and what to do; `null` where it can. As with the keys of ssh, the store must belong to the user, and nobody
 * else may write to it; each folder above it, up to the home folder or `/`, must belong to the user or root, and not be one in which everybody
 * may rename files. A group may write to a folder above: a store that it puts there belongs to another user, and is refused.
 */
export function findStoreDanger(root: string, env: Record<string, string | undefined> = process.env): string | null {
	const trusted = [...trustedUserIds(env), 0];
	const storeStat = tryStat(root);
	if (storeStat && !trusted.includes(storeStat.uid)) return `${root} belongs to another user${USE_OTHER_FOLDER}`;
	if (storeStat && storeStat.mode & (GROUP_WRITES | OTHERS_WRITE))
		return `others may write: ${root}; look at what is in it, then run: chmod go-w '${root.replaceAll("'", "'\\''")}'`;
	const home = env.HOME ?? "";
	const realHome = isWithin(root, home) ? home : realPath(home);
	for (const folder of foldersUp(root)) {
		const stat = folder === root ? undefined : tryStat(folder);
		// the owner of / is root, also where user ids are mapped
		if (stat && ![...trusted, tryStat("/")?.uid].includes(stat.uid))
			return `${folder}, above the store ${root}, belongs to another user${USE_OTHER_FOLDER}`;
		if (stat && stat.mode & OTHERS_WRITE && !(stat.mode & STICKY))
			return `others may write: ${folder}, above the store ${root}; run: chmod o-w '${folder.replaceAll("'", "'\\''")}'`;
		if (folder === home || folder === realHome) break;
	}
	return null;
}

const USE_OTHER_FOLDER = ": install with CCG_HOME set to a folder of your own";
