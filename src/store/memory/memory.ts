import { closeSync, constants, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { redactSecrets } from "../../core/redact/secrets.ts";
import { readHead } from "../../git/head.ts";
import { repositoryOf } from "../../git/repository.ts";
import { writeBehind } from "../gate.ts";
import { nativeMemoryFolder, projectFolder } from "../project.ts";
import { refusePathLinks } from "../refuse-links.ts";
import type { Store } from "../session-handle.ts";
import { countNotes } from "./count-notes.ts";
import { appendToLog, dailyLogPath, timeOf } from "./daily-log.ts";
import { type LikeNote, likeNote } from "./like-note.ts";
import { changeFacts, type NoteFact, noteId, withNotesLock } from "./note-facts.ts";
import { cleanText, OWN_HEADING } from "./notes.ts";
import { notesFile } from "./notes-file.ts";

const MAX_CHARACTERS = 8000;
/** People and agents wait for it at the command line, never a hook. */
export const WAIT_MS = 2000;

export type MemoryScope = { global: true } | { cwd: string };
export type MemoryTarget = "memory" | "log";

/** The store, and whose notes. */
export interface ScopedStore extends Store {
	scope: MemoryScope;
}

export interface SaveRequest extends ScopedStore {
	target: MemoryTarget;
	text: string;
	now: Date;
	/** Also what another note says nearly. */
	anyway?: boolean;
}

export type Saved =
	| { path: string; status: "saved" }
	/** Not saved: the file has the same text, or nearly the same. */
	| { path: string; status: "duplicate" | "similar"; like: LikeNote };

/**
 * Saves one note, secrets redacted, unless the file has the same text already; in MEMORY.md also unless a note says nearly the same.
 * MEMORY.md is replaced atomically under the kernel's lock, its hand-written bytes kept; a daily log is appended to, because hooks
 * append to it without the lock and a replacement would lose their lines. Throws an error that names the file and what to do.
 */
export function saveMemory({ root, tell, scope, target, text, now, anyway = false }: SaveRequest): Saved {
	const note = noteOf(text);
	const folder = folderOf(root, scope);
	const path = target === "log" ? dailyLogPath(folder, now) : join(folder, "MEMORY.md");
	try {
		refusePathLinks(root, target === "log" ? dirname(path) : folder);
		const act = (): Saved => {
			const found = notesFile(root, path);
			const before = found && bytesOf(found.path);
			const like =
				before && likeNote(before, note, { isLog: target === "log", nearly: target === "memory" && !anyway });
			if (like) return { path, ...like };
			if (target === "log") appendToLog(path, bullet(`${timeOf(now)} ${note}`, "\n"), now, { durable: true });
			else
				addToMemory(found?.path ?? path, before, note, {
					scope,
					tell,
					folder,
					mode: found?.stat.mode,
					saved: savedAt(scope, now),
				});
			return { path, status: "saved" };
		};
		return withNotesLock(root, act, WAIT_MS);
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		throw new Error(`the note was not saved in ${path}: ${reason}`, { cause: error });
	}
}

export interface MemoryFile {
	scope: "project" | "global" | "claude";
	/** Unique in the list: `MEMORY.md`, `log/2026-01-31.md`, `global/MEMORY.md`, `claude/topic.md`. */
	name: string;
	path: string;
	/** `null` where there are too many bytes to count them. */
	notes: number | null;
	bytes: number;
	/** ISO 8601, UTC. */
	modified: string;
}

/** The memory files there are: the project's, the global ones, and Claude Code's own for the project (read, never written). */
export function listMemory(root: string, claudeRoot: string | null, cwd: string): MemoryFile[] {
	const project = projectFolder(root, cwd);
	const counts = (path: string): boolean => isOwnNotes(root, path);
	const own = (scope: "project" | "global", folder: string, prefix: string) => [
		...filesIn({ scope, folder, prefix, counts }, /^MEMORY\.md$/),
		...filesIn({ scope, folder: join(folder, "log"), prefix: `${prefix}log/`, counts }, /^\d{4}-\d\d-\d\d\.md$/),
	];
	const native = claudeRoot && nativeMemoryFolder(claudeRoot, cwd);
	return [
		...own("project", project, ""),
		...own("global", root, "global/"),
		...(native ? filesIn({ scope: "claude", folder: native, prefix: "claude/", counts: () => true }, /\.md$/) : []),
	];
}

function isOwnNotes(root: string, path: string): boolean {
	try {
		return notesFile(root, path) !== null;
	} catch {
		return false;
	}
}

/** The text of a note as it is saved: clean, secrets redacted, without a bullet. Throws where it is empty or too long. */
export function noteOf(text: string): string {
	if (text.length > MAX_CHARACTERS)
		throw new Error(
			`a note may have ${MAX_CHARACTERS} characters, this one has ${text.length}; shorten it, or put it into a file and save where that is`,
		);
	const clean = redactSecrets(cleanText(text))
		.replace(/^\s*\n/, "")
		.trimEnd();
	const note = clean.includes("\n") ? clean : clean.trim().replace(/^[-*+](?:\s+|$)/, "");
	if (note === "") throw new Error("the note is empty; give its text, or - to read it from stdin");
	return note;
}

export function folderOf(root: string, scope: MemoryScope): string {
	return "global" in scope ? root : projectFolder(root, scope.cwd);
}

/** The bytes at a real path: what has become a link since it was looked at is not followed. */
export function bytesOf(path: string): Buffer {
	const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	try {
		return readFileSync(fd);
	} finally {
		closeSync(fd);
	}
}

/** What is kept of a note that is saved now. */
export function savedAt(scope: MemoryScope, now: Date): { saved: string; branch?: string } {
	const repository = "cwd" in scope ? repositoryOf(scope.cwd) : null;
	const branch = repository && readHead(repository)?.branch;
	return { saved: now.toISOString(), ...(branch && branch.length <= 250 && { branch }) };
}

/** `path` is the real one: a link to it stays a link. First what is known of the note: killed in between, it is known of no note. */
export function addToMemory(
	path: string,
	before: Buffer | null,
	note: string,
	{
		scope,
		tell,
		folder,
		mode = 0o600,
		saved,
	}: Pick<ScopedStore, "scope" | "tell"> & {
		folder: string;
		mode?: number | undefined;
		saved: Omit<NoteFact, "id">;
	},
): void {
	const id = noteId(`- ${note}`);
	changeFacts(folder, tell, (facts) => facts.set(id, { ...saved, id }).size > 0);
	const whose = "global" in scope ? "for all projects" : "of this project";
	const head = `${OWN_HEADING}memory ${whose}: one note per bullet, yours to edit\n\n`;
	const old = before && before.length > 0 ? before : Buffer.from(head);
	const lineEnd = old.includes("\r\n") ? "\r\n" : "\n";
	const gap = old.at(-1) === 10 ? "" : lineEnd;
	writeBehind(path, old, gap + bullet(note, lineEnd), { mode: mode & 0o777, durable: true });
}

/** One Markdown bullet; further lines are indented so that they stay its own. */
export function bullet(text: string, lineEnd: string, mark = "- "): string {
	const [first, ...rest] = text.split("\n");
	return [`${mark}${first}`, ...rest.map((line) => (line.trim() ? `  ${line.trimEnd()}` : "")), ""].join(lineEnd);
}

interface WritePlace {
	scope: MemoryFile["scope"];
	folder: string;
	prefix: string;
	counts(path: string): boolean;
}

function filesIn({ scope, folder, prefix, counts }: WritePlace, pattern: RegExp): MemoryFile[] {
	let names: string[];
	try {
		names = readdirSync(folder);
	} catch {
		return [];
	}
	return names
		.filter((name) => pattern.test(name))
		.sort()
		.flatMap((name) => {
			const path = join(folder, name);
			try {
				const stat = statSync(path);
				if (!stat.isFile() || !counts(path)) return [];
				const notes = countNotes(path);
				return [{ scope, name: prefix + name, path, notes, bytes: stat.size, modified: stat.mtime.toISOString() }];
			} catch {
				return [];
			}
		});
}
