import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { readText } from "../files/json-file.ts";
import { listFolder } from "../files/quietly.ts";
import { codedError, errorText } from "../files/system-failure.ts";
import { writeFileAtomic } from "../store/atomic-write.ts";
import { sha256 } from "../store/gate.ts";
import { refusePathLinks } from "../store/refuse-links.ts";

/** The folder in the store for the backup of a settings file; `target` is the file's path with all links resolved. */
const backupFolder = (store: string, target: string): string => join(store, "install", sha256(target).slice(0, 16));

/** The settings file as it was before the first install, in its backup folder. */
const originalPath = (folder: string): string => join(folder, "before.json");
/** The file in a backup folder that holds the path of the settings file. */
const targetNamePath = (folder: string): string => join(folder, "path");

/** The path of the backup of a settings file; `null` where there was no such file before the first install. */
export function findBackup(store: string, target: string): string | null {
	const path = originalPath(backupFolder(store, target));
	return existsSync(path) ? path : null;
}

/** The file whose modification time is the time of the last install into a settings file. */
export const installTimeFile = (store: string, target: string): string => targetNamePath(backupFolder(store, target));

/**
 * Keeps a settings file as it is right before the first install writes it: `before` is its text, `null` where there is no file, and
 * `undefined` at a later install. Throws `STORE_READONLY`.
 */
export function keepBackup(store: string, target: string, before: string | null | undefined): void {
	const folder = backupFolder(store, target);
	try {
		refusePathLinks(dirname(dirname(folder)), folder);
		if (before === null) rmSync(originalPath(folder), { force: true });
		else if (before !== undefined) writeFileAtomic(originalPath(folder), Buffer.from(before), { durable: true });
		writeFileAtomic(targetNamePath(folder), Buffer.from(target), { durable: true });
	} catch (error) {
		throw codedError(
			"STORE_READONLY",
			`the backup can't be written below ${folder} (${errorText(error)}). The settings were not changed; make that folder writable or set CCG_HOME.`,
			error,
		);
	}
}

/** Deletes what is kept of a settings file, after an uninstall. */
export const deleteBackup = (store: string, target: string): void =>
	rmSync(backupFolder(store, target), { recursive: true, force: true });

/** The paths of the settings files that ccg was installed into and not uninstalled from. */
export const installedFiles = (store: string): string[] =>
	listFolder(join(store, "install")).flatMap((name) => readText(targetNamePath(join(store, "install", name))) ?? []);
