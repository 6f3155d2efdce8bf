import { linkSync, renameSync } from "node:fs";
import * as z from "zod/mini";
import { quietly, writeFileAtomic } from "./atomic-write.ts";
import { readBytes } from "./json-file.ts";

/** What a JSON file of the store holds: a name for messages, a version in the file, a schema, and the way from older ones. */
export interface FileKind<T extends { version: number }> {
	name: string;
	version: T["version"];
	schema: z.ZodMiniType<T>;
	/** From each older version to the next; a file without a version is of version 0. */
	migrations?: Record<number, (old: Record<string, unknown>) => Record<string, unknown>>;
	/** Keep the version before the last write beside the file, as `<file>.last`. */
	keepLast?: boolean;
}

/**
 * What a reader meets. `good` may come from the last good version, when the file itself was damaged (`problem` says so);
 * `newer` and `unreadable` files are left alone: what can't be understood is not overwritten.
 */
export type Read<T> =
	| { found: "good"; value: T; problem?: string }
	| { found: "absent"; problem?: string }
	| { found: "newer" | "unreadable"; problem: string };

/**
 * Reads a file of this kind. A damaged one (empty, torn, foreign, not of the schema) is moved aside as
 * `<file>.damaged-<time>`, never deleted, and the last good version takes its place where one is kept. Never throws.
 */
export function readVersioned<T extends { version: number }>(path: string, kind: FileKind<T>, now: Date): Read<T> {
	const file = readBytes(path);
	if (file.state === "absent") return kind.keepLast ? lastGood(path, kind) : { found: "absent" };
	if (file.state === "unreadable") return { found: "unreadable", problem: `${kind.name} ${path}: ${file.reason}` };
	const read = parsed(file.text, kind, path);
	if (read.found !== "damaged") return read;
	const aside = `${path}.damaged-${now.toISOString().replace(/\D/g, "").slice(0, 14)}`;
	quietly(() => renameSync(path, aside));
	const last = kind.keepLast ? lastGood(path, kind) : ({ found: "absent" } as const);
	return { ...last, problem: `${read.problem}; kept as ${aside}` } as Read<T>;
}

/** Writes a value of this kind, whole and atomically. Throws what the file system says. */
export function writeVersioned<T extends { version: number }>(
	path: string,
	kind: FileKind<T>,
	value: T,
	options: { durable?: boolean; sync?: boolean } = {},
): void {
	if (kind.keepLast) keepLast(path);
	writeFileAtomic(path, `${JSON.stringify(value)}\n`, options);
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
	let value: unknown;
	try {
		value = JSON.parse(text.replace(/^\uFEFF/, ""));
	} catch {
		return damaged(text.trim() ? "not JSON" : "empty");
	}
	if (value === null || typeof value !== "object" || Array.isArray(value)) return damaged("not a JSON object");
	let object = value as Record<string, unknown>;
	const version = object.version ?? 0;
	if (typeof version !== "number" || !Number.isInteger(version)) return damaged("its version is no number");
	if (version > kind.version)
		return {
			found: "newer",
			problem: `${kind.name} ${path}: written by a newer ccg (version ${version}, this one reads up to ${kind.version}); left as it is`,
		};
	try {
		for (let from = version; from < kind.version; from++) {
			const step = kind.migrations?.[from];
			if (!step) return damaged(`no way from version ${from} to ${kind.version}`);
			object = { ...step(object), version: from + 1 };
		}
		const checked = z.safeParse(kind.schema, object);
		if (checked.success) return { found: "good", value: checked.data };
		const issue = checked.error.issues[0];
		return damaged(`${issue?.path.join(".") || "the file"}: ${issue?.message ?? "not of the schema"}`);
	} catch (error) {
		return damaged(error instanceof Error ? error.message : String(error));
	}
}

function lastGood<T extends { version: number }>(path: string, kind: FileKind<T>): Read<T> {
	const file = readBytes(lastPath(path));
	if (file.state !== "good") return { found: "absent" };
	const read = parsed(file.text, kind, lastPath(path));
	return read.found === "damaged" ? { found: "absent" } : read;
}

const lastPath = (path: string): string => `${path}.last`;

/** By link and rename: at no moment is there neither the file nor its last version. */
function keepLast(path: string): void {
	const temp = `${lastPath(path)}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`;
	quietly(() => {
		linkSync(path, temp);
		renameSync(temp, lastPath(path));
	});
}
