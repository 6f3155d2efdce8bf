import { join } from "node:path";
import { readText } from "../store/json-file.ts";
import { gitDirOf } from "../store/project.ts";

/** The branch that is checked out in a folder, of a detached head the beginning of its commit; `null` outside git. Starts no process. */
export function branchOf(folder: string): string | null {
	const gitDir = folder ? gitDirOf(folder) : null;
	const head = gitDir && readText(join(gitDir, "HEAD"), 4_096)?.trim();
	if (!head) return null;
	return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? (/^[0-9a-f]{40,64}$/.test(head) ? head.slice(0, 7) : null);
}
