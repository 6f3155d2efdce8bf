import { dirname, resolve } from "node:path";
import { quietStat } from "../files/quiet-stat.ts";
import { realPath } from "../files/real-path.ts";
import { storeNamed, storeRoot } from "./paths.ts";

const OTHERS_WRITE = 0o002;
const GROUP_WRITES = 0o020;
const STICKY = 0o1000;

/** Asked once in a process: a hook writes many files. */
const known = new Map<string, string | null>();

/** Throws with code `EUNSAFE` what `storeDanger` says. */
export function refuseOpenStore(root: string): void {
	let danger = known.get(root);
	if (danger === undefined) {
		danger = storeDanger(root);
		// one that is not there yet is made by whoever asks
		if (danger !== null || quietStat(root)) known.set(root, danger);
	}
	if (danger) throw Object.assign(new Error(danger), { code: "EUNSAFE" });
}

/**
 * Why a store can't be trusted, with what to do about it; `null` when it can. As sshd asks before it believes a user's keys: the
 * store belongs to the user and nobody else may write to it; a folder above it, up to the home folder (`/` for a store outside
 * of it), belongs to the user or to root, and not everybody may rename what lies in it. A group that may write to a folder
 * above is let pass: it can take the store away, and what it puts there is its own and is refused by its owner.
 */
export function storeDanger(root: string, env: Record<string, string | undefined> = process.env): string | null {
	const trusted = trustedOwners(env);
	const own = quietStat(root);
	if (own && !trusted.includes(own.uid)) return `${root} belongs to another user${ELSEWHERE}`;
	if (own && own.mode & (GROUP_WRITES | OTHERS_WRITE))
		return `others may write: ${root}; look at what is in it, then run: chmod go-w '${root.replaceAll("'", "'\\''")}'`;
	const home = env.HOME ?? "";
	const named = storeRoot(env) === root ? [resolve(storeNamed(env))] : [];
	for (const from of new Set([root, realPath(root), ...named]))
		for (const at of foldersAbove(from, [home, realPath(home)])) {
			const stat = quietStat(at);
			if (!stat) continue;
			// whoever owns / is root here, also where user ids are mapped
			if (![...trusted, 0, quietStat("/")?.uid].includes(stat.uid))
				return `${at}, above the store ${root}, belongs to another user${ELSEWHERE}`;
			if (stat.mode & OTHERS_WRITE && !(stat.mode & STICKY))
				return `others may write: ${at}, above the store ${root}; run: chmod o-w '${at.replaceAll("'", "'\\''")}'`;
		}
	return null;
}

function foldersAbove(path: string, last: readonly string[]): string[] {
	const folders: string[] = [];
	for (let at = path; !last.includes(at) && dirname(at) !== at; ) {
		at = dirname(at);
		folders.push(at);
	}
	return folders;
}

const ELSEWHERE = ": set CCG_HOME to a folder of your own";

/** The user; under sudo also the one who called it. */
function trustedOwners(env: Record<string, string | undefined>): number[] {
	const uid = process.geteuid?.() ?? 0;
	if (uid !== 0) return [uid, 0];
	return /^\d{1,10}$/.test(env.SUDO_UID ?? "") ? [0, Number(env.SUDO_UID)] : [0];
}
