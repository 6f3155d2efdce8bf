import { existsSync, lstatSync, readFileSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { redactSecrets } from "../core/redact/secrets.ts";
import { oneLine } from "../core/text/text.ts";
import { withFile } from "../files/read-file.ts";
import { whyOf } from "../files/system-failure.ts";
import { refuseSecondName } from "../store/atomic-write.ts";
import { appendText } from "../store/gate.ts";
import { localTime } from "../store/local-time.ts";
import { withLock } from "../store/lock.ts";
import { projectFolder } from "../store/project.ts";
import { linkError, refusePathLinks } from "../store/refuse-links.ts";
import type { Store } from "../store/session-handle.ts";
import { bullet, cleanText, type Note, notesIn, OWN_HEADING } from "./notes.ts";
import { SHARED } from "./shared.ts";

/** A store, and whose notes in it: those for all projects, or those of the project of a folder. */
export interface ScopedStore extends Store {
	scope: { global: true } | { cwd: string };
}

export const notesFolder = (root: string, scope: ScopedStore["scope"]): string =>
	"global" in scope ? root : projectFolder(root, scope.cwd);

export const memoryPath = ({ root, scope }: Pick<ScopedStore, "root" | "scope">): string =>
	join(notesFolder(root, scope), "MEMORY.md");

/**
 * The facts of a notes file (MEMORY.md, a daily log); `null` when there is none yet. Throws, in words, where it is no regular file with one
 * name: whoever can plant a link would choose which file is written to, or what the model reads.
 */
export function notesFile(path: string): Stats | null {
	const stat = lstatSync(path, { throwIfNoEntry: false });
	if (!stat) return null;
	if (stat.isSymbolicLink()) throw linkError(path);
	if (!stat.isFile()) throw new Error("it is no regular file; move it away");
	refuseSecondName(path, stat);
	return stat;
}

/** Bytes of the largest file that is read note by note: nobody keeps more notes by hand. */
const LOOKED_THROUGH = 4 * 1024 * 1024;

/** A MEMORY.md as it stands. */
export interface KnownNotes {
	path: string;
	mode: number;
	bytes: Buffer;
	notes: Note[];
}

/** Reads MEMORY.md and its notes. Throws where the file is too long. */
export const notesOf = (place: Pick<ScopedStore, "root" | "scope">): KnownNotes => notesAt(memoryPath(place));

/** Reads the file of notes from other machines, which nobody edits here. Throws where it is too long. */
export const othersOf = ({ root, scope }: Pick<ScopedStore, "root" | "scope">): KnownNotes =>
	notesAt(join(notesFolder(root, scope), SHARED));

/** Reads a notes file with its mode and its notes; no bytes and notes where there is none. Throws where it is too long or a link. */
function notesAt(path: string): KnownNotes {
	const stat = notesFile(path);
	if (stat && stat.size > LOOKED_THROUGH)
		throw new Error(
			`${path} has ${stat.size} bytes, more than the ${LOOKED_THROUGH} that are looked through; shorten it`,
		);
	// where the file became a link meanwhile, it is not followed
	const bytes = (stat && withFile(path, false, (fd) => readFileSync(fd))) ?? Buffer.alloc(0);
	return { path, mode: (stat?.mode ?? 0o600) & 0o777, bytes, notes: notesIn(bytes.toString("utf8")) };
}

/** People and agents wait for the lock at the command line, never a hook. */
const WAIT_MS = 2_000;

/** Runs `act` with MEMORY.md's notes, under the lock that all changes take. An error says what was not done (`done`), and to which file. */
export function inNotes<T>(place: ScopedStore, done: string, act: (known: KnownNotes) => T): T {
	const { root, scope } = place;
	try {
		for (const folder of [notesFolder(root, scope), join(root, "run")]) refusePathLinks(root, folder);
		return withLock(join(root, "run", "memory.lock"), () => act(notesOf(place)), WAIT_MS);
	} catch (error) {
		throw notDone(done, memoryPath(place), error);
	}
}

const notDone = (done: string, path: string, error: unknown): Error =>
	new Error(`the note was not ${done} ${path}: ${whyOf(error)}`, { cause: error });

const COMPACTION = "compaction (";

/** Whether a note of a daily log is ccg's own line on a compaction, which nobody saved. */
export const isCompaction = (note: string): boolean =>
	note.startsWith(COMPACTION, "- HH:MM ".length) && note.includes("; checkpoint ");

/**
 * Appends the line on a compaction, `- HH:MM compaction (line`, to the daily log of the project of `cwd`. Line breaks become spaces and
 * secrets are redacted. No lock: hooks use it. Throws what the file system says.
 */
export function logCompaction(root: string, cwd: string, line: string, now: Date): void {
	const text = oneLine(redactSecrets(cleanText(`${COMPACTION}${line}`)));
	appendToLog(root, logOf(root, { cwd }, now), text, now);
}

/** Appends a note, which may have several lines, to the daily log; gives the log's path. */
export function saveInLog({ root, scope }: ScopedStore, note: string, now: Date): string {
	const path = logOf(root, scope, now);
	try {
		appendToLog(root, path, note, now, true);
		return path;
	} catch (error) {
		throw notDone("saved in", path, error);
	}
}

const logOf = (root: string, scope: ScopedStore["scope"], now: Date): string =>
	join(notesFolder(root, scope), "log", `${localTime(now).day}.md`);

/** Appends a bullet to a daily log, with `O_APPEND`, so that writers without the lock lose nothing. A new log begins with a heading. */
function appendToLog(root: string, path: string, text: string, now: Date, durable = false): void {
	const { day, time } = localTime(now);
	refusePathLinks(root, dirname(path));
	const heading = existsSync(path) ? "" : `${OWN_HEADING}log of ${day}, yours to read and edit\n\n`;
	appendText(path, [heading, bullet(`${time} ${text}`)], { durable });
}
