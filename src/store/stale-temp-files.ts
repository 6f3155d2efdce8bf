import { lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../files/names-in.ts";
import { quietly } from "./atomic-write.ts";

const HOUR_MS = 3_600_000;
/** What a run is sure to have ended with: none lasts an hour. */
export const STALE_MS = HOUR_MS;

/**
 * Names of what a killed process leaves: temp files of the atomic writer, drafts, the last version on its way, claimed
 * markers, sessions `ccg gc` had begun to delete.
 */
const STALE_NAME =
	/^\..+\.\d+\.[a-z0-9]+\.tmp$|\.\d+\.[a-z0-9]+\.(?:tmp|new)$|^(?:claim|follow-up)-\d+-[a-z0-9]+$|^\.gc-/;

export const isStaleTempFile = (name: string): boolean => STALE_NAME.test(name);

/** Removes stale temp files older than an hour from a folder, of `most` names at most. Never throws. */
export function removeStaleTempFiles(folder: string, now: Date, most = 500): void {
	const names = namesIn(folder);
	for (const name of names.filter(isStaleTempFile).slice(0, most))
		quietly(() => {
			const path = join(folder, name);
			if (now.getTime() - lstatSync(path).mtimeMs > STALE_MS) rmSync(path, { recursive: true, force: true });
		});
}
