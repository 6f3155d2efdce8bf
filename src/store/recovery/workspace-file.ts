import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { checkpointMarkdown } from "../../core/block/views.ts";
import type { Checkpoint } from "../../core/checkpoint/checkpoint.ts";
import { redactSecrets } from "../../core/redact/secrets.ts";
import { tryLstat, tryOrUndefined } from "../../files/quietly.ts";
import { appendInside, readFileInside, readTextInside, statInside } from "../../files/read-inside.ts";
import { repositoryOf } from "../../git/repository.ts";
import { sha256, writeText } from "../gate.ts";
import { changeCycle, readCycle } from "../session/cycles.ts";
import type { Session } from "../session-handle.ts";
import { checkpointPath } from "./checkpoints.ts";

export const CHECKPOINT_FILE = ".context-checkpoint.md";
export const RECOVERED_FILE = ".context-checkpoint.recovered.md";
const EXCLUDE_PATTERN = ".context-checkpoint*.md";
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_EXCLUDE = 1024 * 1024;

/** Writes a checkpoint into the project's folder, where the agent can read it, excluded from git. Throws what the file system says. */
export function writeWorkspaceFile(session: Session, checkpoint: Checkpoint): void {
	const { projectDir: folder } = checkpoint;
	if (!folder || !existsSync(folder)) return;
	excludeFromGit(folder);
	// redacted here, so that the hash kept for a later comparison is of the bytes that are written
	const written = redactSecrets(checkpointMarkdown(checkpoint));
	changeCycle(session, (cycle) => {
		cycle.workspaceFile = { folder, sha256: sha256(written) };
	});
	const path = join(folder, CHECKPOINT_FILE);
	// without a temp file, which a killed process would leave in the user's folder
	rmSync(path, { force: true });
	writeText(path, written, { sync: false, exclusive: true });
}

/** The text of `CHECKPOINT_FILE` if it is fresh and, byte for byte, what this session wrote there; else `null`. */
export function readFreshWorkspaceFile(session: Session, folder: string, now: Date, freshMs: number): string | null {
	const file = readFileInside(folder, CHECKPOINT_FILE, { maxBytes: MAX_BYTES, noHardLinks: true });
	if (!file || now.getTime() - file.stat.mtimeMs > freshMs) return null;
	const written = readCycle(session).workspaceFile;
	return written?.folder === folder && written.sha256 === sha256(file.bytes) ? file.bytes.toString("utf8") : null;
}

/** Renames `CHECKPOINT_FILE`, so that it is recovered only once. Gives whether there was one of this session. */
export const markFileRecovered = (session: Session, folder: string): boolean =>
	tryOrUndefined(() => {
		if (!tryLstat(join(folder, CHECKPOINT_FILE))?.isFile()) return false;
		if (readCycle(session).workspaceFile?.folder !== folder) return false;
		renameSync(join(folder, CHECKPOINT_FILE), join(folder, RECOVERED_FILE));
		return true;
	}) ?? false;

/** Adds `EXCLUDE_PATTERN` to `info/exclude`, git's list that is never committed. Throws, and changes nothing, where that is not the user's file. */
function excludeFromGit(folder: string): void {
	const common = repositoryOf(folder)?.commonDir;
	if (!common) return;
	const before = readTextInside(common, "info/exclude", { maxBytes: MAX_EXCLUDE, noHardLinks: true }) ?? "";
	if (before.split("\n").some((line) => line.trim() === EXCLUDE_PATTERN)) return;
	if (!statInside(common, "info")) mkdirSync(join(common, "info"));
	const lineStart = before && !before.endsWith("\n") ? "\n" : "";
	appendInside(common, "info/exclude", `${lineStart}${EXCLUDE_PATTERN}\n`, MAX_EXCLUDE);
}

/** Writes a checkpoint as Markdown, for people. */
export const writeReadableCheckpoint = (session: Session, checkpoint: Checkpoint): void =>
	writeText(checkpointPath(session, checkpoint.key), checkpointMarkdown(checkpoint), { sync: false });
