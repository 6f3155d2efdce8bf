import {
	closeSync,
	constants,
	existsSync,
	fstatSync,
	linkSync,
	lstatSync,
	openSync,
	readSync,
	renameSync,
	unlinkSync,
} from "node:fs";
import { dirname } from "node:path";
import type * as z from "zod/mini";
import { isTooBranched } from "../core/transcript/quiet-json.ts";
import { makeFolder, quietly, type WriteOptions } from "./atomic-write.ts";
import { writeJson } from "./gate.ts";
import { type Identity, readBytes } from "./json-file.ts";
import { checkedBy, type Schema, type ShapeOf } from "./json-schema.ts";
import type { Tell } from "./problems.ts";

/** What a JSON file of the store holds: a name for messages, its version, and a schema that it must meet. */
export interface FileKind<T extends { version: number }> {
	name: string;
	version: T["version"];
	schema: Schema<T>;
	/**
	 * Keep the version before the last write beside the file, as `<file>.last`. For what gathers over time and can't be made
	 * again; of a record of one moment the earlier version is another moment's, and wrong.
	 */
	keepLast?: boolean;
	/** A larger file is none of ours, and not read: 16 MB without it. */
	maxBytes?: number;
	/** Of one moment, or made again from elsewhere: written without a look at what stands there. */
	passing?: boolean;
}

/** What a file of a kind holds. */
export type FileContent<K> = K extends FileKind<infer T> ? T : never;

/** A kind by the data of its shape, as hot entries read it. */
export const kindOf = <S extends VersionedSchema>(
	name: string,
	shape: ShapeOf<S>,
	more: Pick<FileKind<z.output<S>>, "keepLast" | "maxBytes" | "passing"> = {},
): FileKind<z.output<S>> => ({ name, version: 1, schema: checkedBy(shape), ...more });

type VersionedSchema = z.ZodMiniType<{ version: 1 }>;

/**
 * What a reader meets. `good` may come from the last good version, when the file itself was damaged (`problem` says so);
 * `newer` and `unreadable` files are left alone: what can't be understood is not overwritten.
 */
export type Read<T> =
	| { found: "good"; value: T; problem?: string }
	| { found: "absent"; problem?: string }
	| { found: "newer" | "unreadable"; problem: string };

/**
 * Reads a file of this kind, never through a symbolic link. A damaged one (empty, torn, foreign, not of the schema) is
 * quarantined as `<file>.damaged-<time>` (`aside` names another place), never deleted, and the last good version takes
 * its place where one is kept. Never throws.
 */
export function readVersioned<T extends { version: number }>(
	path: string,
	kind: FileKind<T>,
	now = new Date(),
	aside = path,
): Read<T> {
	const file = readBytes(path, { follow: false, ...(kind.maxBytes && { maxBytes: kind.maxBytes }) });
	if (file.state === "absent") return kind.keepLast ? lastGood(path, kind) : { found: "absent" };
	if (file.state === "unreadable") return { found: "unreadable", problem: `${kind.name} ${path}: ${file.reason}` };
	const read = parsed(file.text, kind, path);
	if (read.found !== "damaged") return read;
	const kept = quarantine(path, file.identity, aside, now);
	const last = kind.keepLast ? lastGood(path, kind) : ({ found: "absent" } as const);
	const instead = last.found === "good" ? "; the version before it counts" : "";
	return { ...last, problem: `${read.problem}; ${kept ? `kept as ${kept}` : "left where it is"}${instead}` } as Read<T>;
}

/** The value in a file of this kind, or `null`; what is wrong with the file is told. */
export function readGood<T extends { version: number }>(
	path: string,
	kind: FileKind<T>,
	tell: Tell,
	aside?: string,
): T | null {
	const read = readVersioned(path, kind, undefined, aside);
	tellOf(read, tell);
	return goodValue(read);
}

/** Tells what a reader met. */
export function tellOf({ found, problem }: Read<unknown>, tell: Tell): void {
	if (problem) tell({ text: problem, lasting: found === "newer" || found === "unreadable" });
}

/**
 * Writes a value of this kind, whole and atomically; the version stands first in the file. Throws what the file system
 * says, also when what stands there can't be read, and with code `ENEWER` when a newer ccg wrote it: neither is written
 * over. Damaged bytes are quarantined before, which `tell` is told; a passing kind never tells.
 */
export function writeVersioned<T extends { version: number }>(
	path: string,
	kind: FileKind<T>,
	value: T,
	{ tell, ...options }: WriteOptions & { indent?: number; tell?: Tell } = {},
): void {
	if (!kind.passing && !options.exclusive) makeWay(path, kind, tell);
	const { version, ...rest } = value;
	writeJson(path, { version, ...rest }, options);
}

/** The value alone, for who needs no more. */
export function goodValue<T>(read: Read<T>): T | null {
	return read.found === "good" ? read.value : null;
}

function parsed<T extends { version: number }>(
	text: string,
	kind: FileKind<T>,
	path: string,
): Read<T> | { found: "damaged"; problem: string } {
	const damaged = (why: string) => ({ found: "damaged", problem: `${kind.name} ${path}: ${why}` }) as const;
	if (isTooBranched(text, 3)) return damaged("too many parts, or too deep ones");
	let value: unknown;
	try {
		value = JSON.parse(text.replace(/^\uFEFF/, ""));
	} catch {
		return damaged(text.trim() ? "not JSON" : "empty");
	}
	if (value === null || typeof value !== "object" || Array.isArray(value)) return damaged("not a JSON object");
	const { version } = value as { version?: unknown };
	if (typeof version !== "number" || !Number.isInteger(version)) return damaged("its version is no number");
	if (version > kind.version) return { found: "newer", problem: newer(path, kind, version) };
	const checked = kind.schema.safeParse(value);
	if (checked.success) return { found: "good", value: checked.data };
	const issue = checked.error.issues[0];
	return damaged(`${issue?.path.join(".") || "the file"}: ${issue?.message ?? "not of the schema"}`);
}

const newer = (path: string, kind: { name: string; version: number }, version: number): string =>
	`${kind.name} ${path}: written by a newer ccg (version ${version}, this one reads up to ${kind.version}); left as it is`;

/**
 * Moves the bytes that were read out of the way, and nothing else: a good file that another process has put there since
 * stays, or comes back. Gives where they are; `null` when they could not be moved, or another process has moved them.
 */
function quarantine(path: string, seen: Identity, base: string, now: Date): string | null {
	const stem = `${base}.damaged-${now.toISOString().replace(/\D/g, "").slice(0, 14)}`;
	const aside = existsSync(stem) ? `${stem}-${process.pid}-${Math.random().toString(36).slice(2)}` : stem;
	try {
		if (!isSame(path, seen)) return null;
		if (base !== path) makeFolder(dirname(aside));
		renameSync(path, aside);
		if (isSame(aside, seen)) return aside;
		// not the bytes that were read: back, unless a newer file stands there by now
		quietly(() => linkSync(aside, path));
		unlinkSync(aside);
	} catch {
		// gone, or a folder that may not be written
	}
	return null;
}

function isSame(path: string, { ino, size, mtimeMs }: Identity): boolean {
	const stat = lstatSync(path, { throwIfNoEntry: false });
	return stat?.ino === ino && stat.size === size && stat.mtimeMs === mtimeMs;
}

function lastGood<T extends { version: number }>(path: string, kind: FileKind<T>): Read<T> {
	const file = readBytes(lastPath(path), { follow: false });
	if (file.state !== "good") return { found: "absent" };
	const read = parsed(file.text, kind, lastPath(path));
	return read.found === "damaged" ? { found: "absent" } : read;
}

const lastPath = (path: string): string => `${path}.last`;

/** Before a write: refuses a newer file, quarantines a damaged one and keeps a whole one as the last version. */
function makeWay(path: string, kind: { name: string; version: number; keepLast?: boolean }, tell?: Tell): void {
	const seen = glance(path);
	if (!seen) return;
	if (seen.version > kind.version) throw Object.assign(new Error(newer(path, kind, seen.version)), { code: "ENEWER" });
	if (!seen.isWhole) {
		const kept = quarantine(path, seen.identity, path, new Date());
		tell?.({ text: `${kind.name} ${path}: torn when it was to be replaced; kept as ${kept}`, lasting: false });
	} else if (kind.keepLast) keepLast(path);
}

/** A file's version and whether it begins and ends as a whole one does, from its first and last bytes; `null` for no file. Throws when it can't be read. */
function glance(path: string): { version: number; isWhole: boolean; identity: Identity } | null {
	let fd: number;
	try {
		fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
	} catch (error) {
		const { code } = error as { code?: string };
		// a link is replaced, not followed
		if (code === "ENOENT" || code === "ELOOP") return null;
		throw error;
	}
	try {
		const { ino, size, mtimeMs } = fstatSync(fd);
		const head = Buffer.alloc(64);
		const count = readSync(fd, head, 0, 64, 0);
		const tail = Buffer.alloc(8);
		const rest = readSync(fd, tail, 0, 8, Math.max(0, size - 8));
		const begin = head.toString("utf8", 0, count);
		const version = Number(/^\s*\{\s*"version":\s*(\d+)/.exec(begin)?.[1] ?? 0);
		const isWhole = /^\s*\{/.test(begin) && tail.toString("utf8", 0, rest).trimEnd().endsWith("}");
		return { version, isWhole, identity: { ino, size, mtimeMs } };
	} finally {
		closeSync(fd);
	}
}

/** By link and rename: at no moment is there neither the file nor its last version. */
function keepLast(path: string): void {
	const temp = `${lastPath(path)}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`;
	quietly(() => {
		linkSync(path, temp);
		renameSync(temp, lastPath(path));
	});
	// a rename of two names of one file does nothing
	quietly(() => unlinkSync(temp));
}
