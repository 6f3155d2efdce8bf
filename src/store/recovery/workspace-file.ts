import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { checkpointMarkdown } from "../../core/block/views.ts";
import type { Checkpoint } from "../../core/checkpoint/checkpoint.ts";
import { redactSecrets } from "../../core/redact/secrets.ts";
import { quietLstat, quietly } from "../../files/quietly.ts";
import { appendInside, openInside, statInside, textInside } from "../../files/read-inside.ts";
import { repositoryOf } from "../../git/repository.ts";
import { sha256, writeText } from "../gate.ts";
import { changeCycle, readCycle } from "../session/cycles.ts";
import type { Session } from "../session-handle.ts";
import { checkpointPath } from "./checkpoints.ts";

export const CHECKPOINT_FILE = ".context-checkpoint.md";
export const RECOVERED_FILE = ".context-checkpoint.recovered.md";
const EXCLUDE = ".context-checkpoint*.md";
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_EXCLUDE = 1024 * 1024;

/** Writes the checkpoint where the agent can read it, kept out of git without touching a tracked file. Throws what the file system says. */
export function writeWorkspaceFile(session: Session, checkpoint: Checkpoint): void {
	const { projectDir: folder } = checkpoint;
	if (!folder || !existsSync(folder)) return;
	keepOutOfGit(folder);
	// redacted here, so that the hash kept for a later comparison is of the bytes that are written
	const written = redactSecrets(checkpointMarkdown(checkpoint));
	changeCycle(session, (cycle) => {
		cycle.workspaceFile = { folder, sha256: sha256(written) };
	});
	const path = join(folder, CHECKPOINT_FILE);
	// in its place at once: a process that is killed leaves no draft in the user's folder
	rmSync(path, { force: true });
	writeText(path, written, { sync: false, exclusive: true });
}

/** The workspace checkpoint's text when it is fresh and, byte for byte, what this session's PreCompact wrote there; else `null`. */
export function freshWorkspaceFile(session: Session, folder: string, now: Date, freshMs: number): string | null {
	const file = openInside(folder, CHECKPOINT_FILE, { maxBytes: MAX_BYTES, single: true });
	if (!file || now.getTime() - file.stat.mtimeMs > freshMs) return null;
	const written = readCycle(session).workspaceFile;
	return written?.folder === folder && written.sha256 === sha256(file.bytes) ? file.bytes.toString("utf8") : null;
}

/** Renames the workspace checkpoint, so that it is recovered only once. Gives whether there was one of this session. */
export const markRecovered = (session: Session, folder: string): boolean =>
	quietly(() => {
		if (!quietLstat(join(folder, CHECKPOINT_FILE))?.isFile()) return false;
		if (readCycle(session).workspaceFile?.folder !== folder) return false;
		renameSync(join(folder, CHECKPOINT_FILE), join(folder, RECOVERED_FILE));
		return true;
	}) ?? false;

/** Adds the files to `info/exclude`, git's list that is never committed. Throws, and changes nothing, where that is no plain own file. */
function keepOutOfGit(folder: string): void {
	const common = repositoryOf(folder)?.commonDir;
	if (!common) return;
	const before = textInside(common, "info/exclude", { maxBytes: MAX_EXCLUDE, single: true }) ?? "";
	if (before.split("\n").some((line) => line.trim() === EXCLUDE)) return;
	if (!statInside(common, "info")) mkdirSync(join(common, "info"));
	appendInside(common, "info/exclude", `${before && !before.endsWith("\n") ? "\n" : ""}${EXCLUDE}\n`, MAX_EXCLUDE);
}

/** Writes a checkpoint's readable form. */
export const writeReadable = (session: Session, checkpoint: Checkpoint): void =>
	writeText(checkpointPath(session, checkpoint.key), checkpointMarkdown(checkpoint), { sync: false });
