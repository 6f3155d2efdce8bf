import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { redactSecrets } from "../../core/redact/secrets.ts";
import { appendInside } from "../../files/append-inside.ts";
import { openInside, statInside, textInside } from "../../files/read-inside.ts";
import { repositoryOf } from "../../git/repository.ts";
import { quietly } from "../atomic-write.ts";
import { writeText } from "../gate.ts";
import type { Session } from "../session-handle.ts";
import { workspaceFile } from "../shapes.generated.ts";
import { isStaleTempFile, STALE_MS } from "../stale-temp-files.ts";
import { kindOf, readGood, writeVersioned } from "../versioned-file.ts";

export const CHECKPOINT_FILE = ".context-checkpoint.md";
export const RECOVERED_FILE = ".context-checkpoint.recovered.md";
const EXCLUDE = ".context-checkpoint*.md";
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_EXCLUDE = 1024 * 1024;

/** Of one moment: an earlier one's text is another one's. */
const WRITTEN = kindOf("workspace file's hash", workspaceFile, { passing: true });

const writtenPath = (session: Session): string => join(session.paths.folder, "workspace-file.json");

/** Writes the checkpoint where the agent can read it, kept out of git without touching a tracked file. Throws what the file system says. */
export function writeWorkspaceFile(session: Session, folder: string, markdown: string): void {
	if (!folder || !existsSync(folder)) return;
	keepOutOfGit(folder);
	sweepDrafts(folder);
	// what is written passes the gate, and what is compared later is what was written
	const written = redactSecrets(markdown);
	writeVersioned(writtenPath(session), WRITTEN, { version: 1, folder, sha256: hashOf(written) });
	writeText(join(folder, CHECKPOINT_FILE), written, { sync: false });
}

/** The workspace checkpoint's text when it is fresh and, byte for byte, what this session's PreCompact wrote there; else `null`. */
export function freshWorkspaceFile(session: Session, folder: string, now: Date, freshMs: number): string | null {
	const file = openInside(folder, CHECKPOINT_FILE, { maxBytes: MAX_BYTES, single: true });
	if (!file || now.getTime() - file.stat.mtimeMs > freshMs) return null;
	const written = readGood(writtenPath(session), WRITTEN, session.tell);
	return written?.folder === folder && written.sha256 === hashOf(file.bytes) ? file.bytes.toString("utf8") : null;
}

/** Recovered once: renamed, so that it is not replayed. Gives whether there was one of this session. */
export function markRecovered(session: Session, folder: string): boolean {
	try {
		if (!lstatSync(join(folder, CHECKPOINT_FILE), { throwIfNoEntry: false })?.isFile()) return false;
		if (readGood(writtenPath(session), WRITTEN, session.tell)?.folder !== folder) return false;
		renameSync(join(folder, CHECKPOINT_FILE), join(folder, RECOVERED_FILE));
		return true;
	} catch {
		return false;
	}
}

const hashOf = (content: string | Uint8Array): string => new Bun.CryptoHasher("sha256").update(content).digest("hex");

/** A process that was killed while it wrote leaves its draft in the user's folder. */
function sweepDrafts(folder: string): void {
	for (const name of readdirSync(folder))
		if (name.startsWith(`.${CHECKPOINT_FILE}.`) && isStaleTempFile(name))
			quietly(() => {
				const path = join(folder, name);
				if (Date.now() - lstatSync(path).mtimeMs > STALE_MS) unlinkSync(path);
			});
}

/** By the list that is never committed. Throws where that is not a plain file of the user's in the repository: it stays as it is. */
function keepOutOfGit(folder: string): void {
	const common = repositoryOf(folder)?.commonDir;
	if (!common) return;
	const before = textInside(common, "info/exclude", { maxBytes: MAX_EXCLUDE, single: true }) ?? "";
	if (before.split("\n").some((line) => line.trim() === EXCLUDE)) return;
	if (!statInside(common, "info")) mkdirSync(join(common, "info"));
	appendInside(common, "info/exclude", `${before && !before.endsWith("\n") ? "\n" : ""}${EXCLUDE}\n`, MAX_EXCLUDE);
}
