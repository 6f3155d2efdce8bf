import { join } from "node:path";

/** Who runs this, as git sees it. */
export interface User {
	/** Whose files are trusted: the user's, and root's caller's under sudo (git does the same). */
	uids: readonly number[];
	home: string | null;
	/** Where configuration lies beside the home folder's own. */
	configHome: string | null;
}

export function thisUser(env: Record<string, string | undefined> = process.env): User {
	const uid = process.geteuid?.() ?? 0;
	const uids = [uid];
	if (uid === 0 && /^\d{1,10}$/.test(env.SUDO_UID ?? "")) uids.push(Number(env.SUDO_UID));
	const home = env.HOME?.startsWith("/") ? env.HOME : null;
	const configHome = env.XDG_CONFIG_HOME?.startsWith("/") ? env.XDG_CONFIG_HOME : home && join(home, ".config");
	return { uids, home, configHome };
}
