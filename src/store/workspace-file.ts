import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeFileAtomic } from "./atomic-write.ts";
import { readText } from "./json-file.ts";
import { gitCommonDir } from "./project.ts";

export const CHECKPOINT_FILE = ".context-checkpoint.md";
export const RECOVERED_FILE = ".context-checkpoint.recovered.md";
const EXCLUDE = ".context-checkpoint*.md";

/** Writes the checkpoint where the agent can read it, kept out of git without touching a tracked file. */
export function writeWorkspaceFile(folder: string, markdown: string): void {
	if (!folder || !existsSync(folder)) return;
	keepOutOfGit(folder);
	writeFileAtomic(join(folder, CHECKPOINT_FILE), markdown, { sync: false });
}

/** The workspace checkpoint's text when it is fresh, else `null`. */
export function freshWorkspaceFile(folder: string, now: Date, freshMs: number): string | null {
	const path = join(folder, CHECKPOINT_FILE);
	try {
		if (now.getTime() - statSync(path).mtimeMs > freshMs) return null;
	} catch {
		return null;
	}
	return readText(path);
}

/** Recovered once: renamed, so that it is not replayed (seed 1). Gives whether there was one. */
export function markRecovered(folder: string): boolean {
	try {
		renameSync(join(folder, CHECKPOINT_FILE), join(folder, RECOVERED_FILE));
		return true;
	} catch {
		return false;
	}
}

function keepOutOfGit(folder: string): void {
	const common = gitCommonDir(folder);
	if (!common) return;
	const path = join(common, "info", "exclude");
	const text = readText(path) ?? "";
	if (text.split("\n").some((line) => line.trim() === EXCLUDE)) return;
	mkdirSync(dirname(path), { recursive: true });
	appendFileSync(path, `${text && !text.endsWith("\n") ? "\n" : ""}${EXCLUDE}\n`);
}
