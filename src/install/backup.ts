import { createHash } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { readText } from "../files/json-file.ts";
import { namesIn } from "../files/quietly.ts";
import { coded, whyOf } from "../files/system-failure.ts";
import { writeFileAtomic } from "../store/atomic-write.ts";
import { refusePathLinks } from "../store/refuse-links.ts";

/** Where the backup of a settings file lies; `target` is its path with all links resolved. */
const backupFolder = (store: string, target: string): string =>
	join(store, "install", createHash("sha256").update(target).digest("hex").slice(0, 16));

const beforePath = (folder: string): string => join(folder, "before.json");
const namePath = (folder: string): string => join(folder, "path");

/** The file as it was before the first install, where it is kept; `null` when there was none. */
export function backupOf(store: string, target: string): string | null {
	const path = beforePath(backupFolder(store, target));
	return existsSync(path) ? path : null;
}

/** A file whose time is that of the last install into a settings file. */
export const installTime = (store: string, target: string): string => namePath(backupFolder(store, target));

/**
 * Keeps a settings file as it is right before the first install writes it: `before` is its text, `null` where there is no file, and
 * `undefined` at a later install. Throws `STORE_READONLY`.
 */
export function keepBackup(store: string, target: string, before: string | null | undefined): void {
	const folder = backupFolder(store, target);
	try {
		refusePathLinks(dirname(dirname(folder)), folder);
		if (before === null) rmSync(beforePath(folder), { force: true });
		else if (before !== undefined) writeFileAtomic(beforePath(folder), Buffer.from(before), { durable: true });
		writeFileAtomic(namePath(folder), Buffer.from(target), { durable: true });
	} catch (error) {
		throw coded(
			"STORE_READONLY",
			`the backup can't be written below ${folder} (${whyOf(error)}). The settings were not changed; make that folder writable or set CCG_HOME.`,
			error,
		);
	}
}

export const dropBackup = (store: string, target: string): void =>
	rmSync(backupFolder(store, target), { recursive: true, force: true });

/** The settings files that were installed into, and not uninstalled from. */
export const installedFiles = (store: string): string[] =>
	namesIn(join(store, "install")).flatMap((name) => readText(namePath(join(store, "install", name))) ?? []);
