import { lstatSync } from "node:fs";
import { join } from "node:path";
import { realPath } from "../files/real-path.ts";
import { userConfig } from "./config.ts";
import type { User } from "./user.ts";

/**
 * Whether git would work in a repository: the folder, its `.git` and what that leads to belong to the user, or the user's own
 * configuration names the folder in `safe.directory`. A repository of somebody else may say and plant what it likes.
 */
export function isTrusted(top: string, parts: readonly string[], user: User): boolean {
	return [top, ...parts].every((path) => isOwn(path, user)) || isDeclaredSafe(top, user);
}

export function isOwn(path: string, { uids }: User): boolean {
	try {
		return uids.includes(lstatSync(path).uid);
	} catch {
		return false;
	}
}

function isDeclaredSafe(top: string, user: User): boolean {
	let safe = false;
	for (const [name, value] of userConfig(user)) {
		if (name !== "safe.directory") continue;
		// an empty one takes back those before it
		if (value === "") safe = false;
		else if (value === "*" || isSamePlace(value, top, user)) safe = true;
		else if (value.endsWith("/*") && top.startsWith(`${realPath(untilded(value.slice(0, -2), user))}/`)) safe = true;
	}
	return safe;
}

const isSamePlace = (value: string, top: string, user: User): boolean => realPath(untilded(value, user)) === top;

const untilded = (path: string, { home }: User): string =>
	path.startsWith("~/") && home ? join(home, path.slice(2)) : path;
