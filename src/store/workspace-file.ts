import { appendFileSync, existsSync, mkdirSync, readdirSync, renameSync, statSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { quietly } from "./atomic-write.ts";
import { writeText } from "./gate.ts";
import { readText } from "./json-file.ts";
import { isLitter, LITTER_MS } from "./litter.ts";
import { gitCommonDir } from "./project.ts";

export const CHECKPOINT_FILE = ".context-checkpoint.md";
export const RECOVERED_FILE = ".context-checkpoint.recovered.md";
const EXCLUDE = ".context-checkpoint*.md";

/** Writes the checkpoint where the agent can read it, kept out of git without touching a tracked file. */
export function writeWorkspaceFile(folder: string, markdown: string): void {
	if (!folder || !existsSync(folder)) return;
	keepOutOfGit(folder);
	sweepDrafts(folder);
	writeText(join(folder, CHECKPOINT_FILE), markdown, { sync: false });
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

/** A process that was killed while it wrote leaves its draft in the user's folder. */
function sweepDrafts(folder: string): void {
	for (const name of readdirSync(folder))
		if (name.startsWith(`.${CHECKPOINT_FILE}.`) && isLitter(name))
			quietly(() => {
				const path = join(folder, name);
				if (Date.now() - statSync(path).mtimeMs > LITTER_MS) unlinkSync(path);
			});
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
