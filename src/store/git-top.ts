import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { isOwn } from "../git/owner.ts";
import { thisUser } from "../git/user.ts";

/**
 * The folder that holds `.git`, at or above `folder`, where Claude Code looks for the settings of a repository; `null` outside of
 * git and where it belongs to somebody else. Reads no file, starts no process. What is a project is asked of `projectOf`.
 */
export function gitTop(folder: string): string | null {
	const user = thisUser();
	for (let at = folder; ; at = dirname(at)) {
		const entry = join(at, ".git");
		if (lstatSync(entry, { throwIfNoEntry: false })) return isOwn(at, user) && isOwn(entry, user) ? at : null;
		if (at === dirname(at)) return null;
	}
}
