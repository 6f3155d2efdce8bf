import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { redactSecrets } from "../core/redact/secrets.ts";
import { appendToLog, dailyLogPath, timeOf } from "./daily-log.ts";
import { writeBehind } from "./gate.ts";
import { guardPath } from "./guard.ts";
import { withLock } from "./kernel-lock.ts";
import { cleanText, foldNote, notesIn, OWN_HEADING } from "./notes.ts";
import { nativeMemoryFolder, projectFolder } from "./project.ts";

const MAX_CHARACTERS = 8000;
/** People and agents wait for it at the command line, never a hook. */
const WAIT_MS = 2000;

export type MemoryScope = { global: true } | { cwd: string };
export type MemoryTarget = "memory" | "log";

export interface SaveRequest {
	root: string;
	scope: MemoryScope;
	target: MemoryTarget;
	text: string;
	now: Date;
}

/**
 * Saves one note, secrets redacted, unless the file has the same text already. MEMORY.md is replaced atomically under the
 * kernel's lock, its hand-written bytes kept; a daily log is appended to, because hooks append to it without the lock and
 * a replacement would lose their lines. Throws an error that names the file and what to do.
 */
export function saveMemory({ root, scope, target, text, now }: SaveRequest): {
	path: string;
	status: "saved" | "duplicate";
} {
	const note = noteOf(text);
	const folder = folderOf(root, scope);
	const path = target === "log" ? dailyLogPath(folder, now) : join(folder, "MEMORY.md");
	try {
		guardPath(root, target === "log" ? dirname(path) : folder);
		guardPath(root, join(root, "run"));
		const act = (): { path: string; status: "saved" | "duplicate" } => {
			const before = bytesOf(path);
			if (before && has(before.toString("utf8"), note, target)) return { path, status: "duplicate" };
			if (target === "log") appendToLog(path, bullet(`${timeOf(now)} ${note}`, "\n"), now, { durable: true });
			else addToMemory(path, before, note, "global" in scope);
			return { path, status: "saved" };
		};
		return withLock(join(root, "run", "memory.lock"), act, { waitMs: WAIT_MS });
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
	lines: number;
	bytes: number;
	/** ISO 8601, UTC. */
	modified: string;
}

/** The memory files there are: the project's, the global ones, and Claude Code's own for the project (read, never written). */
export function listMemory(root: string, claudeRoot: string | null, cwd: string): MemoryFile[] {
	const project = projectFolder(root, cwd);
	const own = (scope: "project" | "global", folder: string, prefix: string) => [
		...filesIn(scope, folder, prefix, /^MEMORY\.md$/),
		...filesIn(scope, join(folder, "log"), `${prefix}log/`, /^\d{4}-\d\d-\d\d\.md$/),
	];
	return [
		...own("project", project, ""),
		...own("global", root, "global/"),
		...(claudeRoot ? filesIn("claude", nativeMemoryFolder(claudeRoot, cwd), "claude/", /\.md$/) : []),
	];
}

function noteOf(text: string): string {
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

function folderOf(root: string, scope: MemoryScope): string {
	return "global" in scope ? root : projectFolder(root, scope.cwd);
}

/** The file's bytes, `null` when there is none. Anything else than a file is refused: it would be replaced or would hang. */
function bytesOf(path: string): Buffer | null {
	const stat = statSync(path, { throwIfNoEntry: false });
	if (!stat) return null;
	if (!stat.isFile()) throw new Error("it is no regular file; move it away");
	return readFileSync(path);
}

function has(text: string, note: string, target: MemoryTarget): boolean {
	const wanted = foldNote(`- ${note}`);
	return notesIn(text).some(({ lines }) => {
		const folded = foldNote(lines.join("\n"));
		return folded === wanted || (target === "log" && folded.replace(/^\d\d:\d\d /, "") === wanted);
	});
}

function addToMemory(path: string, before: Buffer | null, note: string, global: boolean): void {
	const head = `${OWN_HEADING}memory ${global ? "for all projects" : "of this project"}: one note per bullet, yours to edit\n\n`;
	const old = before && before.length > 0 ? before : Buffer.from(head);
	const lineEnd = old.includes("\r\n") ? "\r\n" : "\n";
	const gap = old.at(-1) === 10 ? "" : lineEnd;
	const mode = before ? statSync(path).mode & 0o777 : 0o600;
	// Through a link, or it would be replaced by a file of its own.
	const target = before ? realpathSync(path) : path;
	writeBehind(target, old, gap + bullet(note, lineEnd), { mode, durable: true });
}

/** One Markdown bullet; further lines are indented so that they stay its own. */
function bullet(text: string, lineEnd: string): string {
	const [first, ...rest] = text.split("\n");
	return [`- ${first}`, ...rest.map((line) => (line.trim() ? `  ${line.trimEnd()}` : "")), ""].join(lineEnd);
}

function filesIn(scope: MemoryFile["scope"], folder: string, prefix: string, pattern: RegExp): MemoryFile[] {
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
				if (!stat.isFile()) return [];
				const text = readFileSync(path, "utf8");
				const lines = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
				return [{ scope, name: prefix + name, path, lines, bytes: stat.size, modified: stat.mtime.toISOString() }];
			} catch {
				return [];
			}
		});
}
