import { existsSync, lstatSync, readFileSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { redactSecrets } from "../core/redact/secrets.ts";
import { oneLine } from "../core/text/text.ts";
import { withFile } from "../files/read-file.ts";
import { errorText } from "../files/system-failure.ts";
import { refuseHardLink } from "../store/atomic-write.ts";
import { appendText } from "../store/gate.ts";
import { localTime } from "../store/local-time.ts";
import { withLock } from "../store/lock.ts";
import { projectDataFolder } from "../store/project.ts";
import { refusePathLinks, symlinkError } from "../store/refuse-links.ts";
import type { Store } from "../store/session-handle.ts";
import { CCG_HEADING, cleanText, formatBullet, type Note, parseNotes } from "./notes.ts";
import { SHARED_FILE } from "./shared.ts";

/** A store, and whose notes in it: those for all projects, or those of the project of a folder. */
export interface ScopedStore extends Store {
	scope: { global: true } | { cwd: string };
}

/** The folder with the notes of a project, or with those for all projects. */
export const notesFolder = (root: string, scope: ScopedStore["scope"]): string =>
	"global" in scope ? root : projectDataFolder(root, scope.cwd);

type NotesOwner = Pick<ScopedStore, "root" | "scope">;
export const memoryPath = ({ root, scope }: NotesOwner): string => join(notesFolder(root, scope), "MEMORY.md");

/**
 * The `lstat` of a notes file (MEMORY.md, a daily log); `null` where there is none. Throws where it is a link or no regular file: whoever
 * planted a link would choose which file is written to, or what the model reads.
 */
export function lstatNotesFile(path: string): Stats | null {
	const stat = lstatSync(path, { throwIfNoEntry: false });
	if (!stat) return null;
	if (stat.isSymbolicLink()) throw symlinkError(path);
	if (!stat.isFile()) throw new Error("it is no regular file; move it away");
	refuseHardLink(path, stat);
	return stat;
}

const MAX_NOTES_BYTES = 4 * 1024 * 1024;

/** A notes file as it is on the disk. */
export interface NotesFile {
	path: string;
	mode: number;
	bytes: Buffer;
	notes: Note[];
}

/** Reads MEMORY.md and its notes. Throws where the file is too long. */
export const readMemoryNotes = (owner: NotesOwner): NotesFile => readNotesFile(memoryPath(owner));

/** Reads the file of notes from other machines, which nobody edits here. Throws where it is too long. */
export const readSharedNotes = ({ root, scope }: NotesOwner): NotesFile =>
	readNotesFile(join(notesFolder(root, scope), SHARED_FILE));

/** Reads a notes file with its mode and its notes; no bytes and notes where there is none. Throws where it is too long or a link. */
function readNotesFile(path: string): NotesFile {
	const stat = lstatNotesFile(path);
	if (stat && stat.size > MAX_NOTES_BYTES)
		throw new Error(
			`${path} has ${stat.size} bytes, more than the ${MAX_NOTES_BYTES} that are looked through; shorten it`,
		);
	const bytes = (stat && withFile(path, false, (fd) => readFileSync(fd))) ?? Buffer.alloc(0);
	return { path, mode: (stat?.mode ?? 0o600) & 0o777, bytes, notes: parseNotes(bytes.toString("utf8")) };
}

const WAIT_MS = 2_000;

/** Runs `act` with MEMORY.md's notes under the lock for changes. `action` is for the error: "saved in" gives "the note was not saved in <path>". */
export function withNotesLock<T>(store: ScopedStore, action: string, act: (file: NotesFile) => T): T {
	const { root, scope } = store;
	try {
		for (const folder of [notesFolder(root, scope), join(root, "run")]) refusePathLinks(root, folder);
		return withLock(join(root, "run", "memory.lock"), () => act(readMemoryNotes(store)), WAIT_MS);
	} catch (error) {
		throw noteError(action, memoryPath(store), error);
	}
}

/** Says which action on a note failed, in which file, and why. */
const noteError = (action: string, path: string, error: unknown): Error =>
	new Error(`the note was not ${action} ${path}: ${errorText(error)}`, { cause: error });

const COMPACTION_START = "compaction (";

/** Whether a note of a daily log is a line by `logCompaction`, which no person or agent saved. */
export const isCompactionNote = (note: string): boolean =>
	note.startsWith(COMPACTION_START, "- HH:MM ".length) && note.includes("; checkpoint ");

/** Appends `- HH:MM compaction (<details>` to the daily log of the project of `cwd`, without a lock. Throws what the file system says. */
export function logCompaction(root: string, cwd: string, details: string, now: Date): void {
	const text = oneLine(redactSecrets(cleanText(`${COMPACTION_START}${details}`)));
	appendToDailyLog(root, dailyLogPath(root, { cwd }, now), text, now);
}

/** Appends a note to today's daily log; gives the log's path. */
export function saveNoteInLog({ root, scope }: ScopedStore, note: string, now: Date): string {
	const path = dailyLogPath(root, scope, now);
	try {
		appendToDailyLog(root, path, note, now, true);
		return path;
	} catch (error) {
		throw noteError("saved in", path, error);
	}
}

/** The daily log of the local day. */
const dailyLogPath = (root: string, scope: ScopedStore["scope"], now: Date): string =>
	join(notesFolder(root, scope), "log", `${localTime(now).day}.md`);

/** Appends a bullet to a daily log; safe without a lock (`appendLines`). A new log begins with a heading. */
function appendToDailyLog(root: string, path: string, text: string, now: Date, durable = false): void {
	const { day, time } = localTime(now);
	refusePathLinks(root, dirname(path));
	const heading = existsSync(path) ? "" : `${CCG_HEADING}log of ${day}, yours to read and edit\n\n`;
	appendText(path, [heading, formatBullet(`${time} ${text}`)], { durable });
}
