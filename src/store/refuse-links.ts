import { chmodSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { quietLstat } from "../files/quiet-stat.ts";
import { quietly } from "./atomic-write.ts";
import { refuseOpenStore } from "./store-owner.ts";

const FOLDERS = [
	"sessions",
	"run",
	"run/flush",
	"run/follow-up",
	"run/halt",
	"run/statusline",
	"run/context",
	"profiles",
	"log",
	"install",
	"projects",
	"observed-later",
];

/**
 * Before a run writes to the store: no folder of it, and nothing in this session's, is a symbolic link (whoever plants one
 * would have the run write elsewhere), and folders that others may enter are closed to them. The store's own folder may be
 * a link: where it lies is its owner's business. `flat` leaves out what lies in the session's folder, for the status line,
 * which replaces files there and appends to none. Throws with code `ELOOP` and says which link to remove, and with code
 * `EUNSAFE` where others may write to the store itself (`storeDanger`).
 */
export function refuseStoreLinks(root: string, sid?: string, { flat = false } = {}): void {
	refuseOpenStore(root);
	for (const name of FOLDERS) refuseFolderLink(join(root, name));
	if (!sid) return;
	const session = join(root, "sessions", sid);
	if (!refuseFolderLink(session) || flat) return;
	for (const entry of readdirSync(session, { withFileTypes: true })) {
		if (entry.isSymbolicLink()) throw linkError(join(session, entry.name));
		if (entry.isDirectory()) refuseFolderLink(join(session, entry.name));
	}
}

/** The same for the store and the folders from its root down to one of it, where they exist. */
export function refusePathLinks(root: string, folder: string): void {
	refuseOpenStore(root);
	let at = root;
	for (const name of relative(root, folder).split(sep).filter(Boolean)) {
		at = join(at, name);
		if (!refuseFolderLink(at)) return;
	}
}

/** Gives whether there is one. */
function refuseFolderLink(path: string): boolean {
	// where the store can't be entered, what is to be written there will say so
	const stat = quietLstat(path);
	if (!stat) return false;
	if (stat.isSymbolicLink()) throw linkError(path);
	if (stat.isDirectory() && (stat.mode & 0o077) !== 0) quietly(() => chmodSync(path, 0o700));
	return true;
}

function linkError(path: string): Error {
	const message = `${path} is a symbolic link, and ccg follows none in its store: remove it, or put what it leads to there`;
	return Object.assign(new Error(message), { code: "ELOOP" });
}
