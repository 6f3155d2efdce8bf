import { join } from "node:path";
import { foldersUp } from "../files/folders-up.ts";
import { quietLstat } from "../files/quiet-stat.ts";
import { isOwn } from "./owner.ts";
import { thisUser } from "./user.ts";

/** The folder that holds something named `.git`, at or above; `null` outside of any. What a project is is asked of `projectOf`. */
export function gitTop(folder: string): string | null {
	for (const at of foldersUp(folder)) if (quietLstat(join(at, ".git"))) return at;
	return null;
}

/** The same where Claude Code looks for the settings of a repository: `null` where it belongs to somebody else. */
export function ownGitTop(folder: string): string | null {
	const top = gitTop(folder);
	const user = thisUser();
	return top !== null && isOwn(top, user) && isOwn(join(top, ".git"), user) ? top : null;
}
