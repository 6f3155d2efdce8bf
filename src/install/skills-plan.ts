import { readdirSync, rmdirSync, rmSync, unlinkSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import * as z from "zod/mini";
import { list } from "../core/base-shapes.ts";
import { quietLstat } from "../files/quiet-stat.ts";
import { makeFolder, quietly } from "../store/atomic-write.ts";
import { withColdLock } from "../store/cold-lock.ts";
import { writeText } from "../store/gate.ts";
import { readBytes } from "../store/json-file.ts";
import { claudeRoot, type Env, storeRoot } from "../store/paths.ts";
import type { Tell } from "../store/problems.ts";
import { refusePathLinks } from "../store/refuse-links.ts";
import { type FileKind, readGood, writeVersioned } from "../store/versioned-file.ts";
import { receiptFolder, sha256 } from "./receipt.ts";
import { settingsError } from "./settings-error.ts";
import { realTarget } from "./settings-path.ts";
import type { SkillFile } from "./skill-files.ts";

/** What a change of the user's slash commands and agents is made from. */
export interface SkillsRequest {
	env: Env;
	/** Absolute. */
	cwd: string;
	launcher: string;
	tell: Tell;
}

/** A file that is made, renewed or deleted; `null` stands for no file. */
export interface FileChange {
	path: string;
	before: string | null;
	after: string | null;
}

/** A change of the user's slash commands and agents, as a value. */
export interface SkillsPlan {
	kind: "install" | "uninstall";
	/** Claude Code's folder, as the user knows it. */
	path: string;
	/** The folder they lie below; its own links are resolved, those in it are not followed. */
	root: string;
	changes: FileChange[];
	/** What stays as it is though it stands in the way, each with the reason. */
	kept: { path: string; why: string }[];
	changed: boolean;
	/** Where the receipt lies. */
	folder: string;
}

const text = z.string();

/** What was put there, so that it is known again: of each file the checksum of every version, since a process may die between two. */
const receiptShape = z.object({
	version: z.literal(1),
	root: text,
	files: list(z.object({ path: text, sha256: list(text) })),
	/** Folders that were made for them. */
	made: list(text),
	at: text,
	launcher: text,
});
type SkillsReceipt = z.infer<typeof receiptShape>;

const RECEIPT: FileKind<SkillsReceipt> = { name: "skills receipt", version: 1, schema: receiptShape, keepLast: true };
const PATH = /^(?:commands\/ccg|agents)\/[\w-]+\.md$/;
const VERSIONS = 50;

/** Throws `NO_HOME`. Writes nothing. `files` are those an install puts there. */
export function planSkills(kind: SkillsPlan["kind"], request: SkillsRequest, files: readonly SkillFile[]): SkillsPlan {
	const { env, cwd, tell } = request;
	const [store, claude] = [storeRoot(env), claudeRoot(env)];
	if (!store || !claude)
		throw settingsError("NO_HOME", "where Claude Code keeps its commands is unknown; set HOME or CLAUDE_CONFIG_DIR");
	const path = resolve(cwd, claude);
	const root = realTarget(path);
	const folder = receiptFolder(resolve(cwd, store), root);
	const receipt = readSkillsReceipt(folder, tell);
	const known = new Map(receipt?.files.map((file) => [file.path, file.sha256]));
	const wanted = new Map(kind === "install" ? files.map((file) => [file.path, file.text]) : []);
	const plan: SkillsPlan = { kind, path, root, changes: [], kept: [], changed: false, folder };
	for (const name of new Set([...wanted.keys(), ...known.keys()])) {
		if (!PATH.test(name)) continue;
		const found = look(root, name);
		const after = wanted.get(name) ?? null;
		const full = join(root, name);
		if (found !== null && typeof found === "object") plan.kept.push({ path: full, why: found.why });
		else if (found === after) continue;
		else if (found === null) plan.changes.push({ path: name, before: null, after });
		else if (known.get(name)?.includes(sha256(found))) plan.changes.push({ path: name, before: found, after });
		else plan.kept.push({ path: full, why: known.has(name) ? "it was edited since" : "it is not ccg's" });
	}
	// a receipt of nothing that is there is taken away with an uninstall
	plan.changed = plan.changes.length > 0 || (kind === "uninstall" && receipt !== null);
	return plan;
}

/** A file's text, `null` where there is none, or why it is left alone. Links are not followed below the root. */
function look(root: string, name: string): string | null | { why: string } {
	const parts = name.split("/");
	for (let n = 1; n <= parts.length; n++) {
		const at = join(root, ...parts.slice(0, n));
		const stat = quietLstat(at);
		if (!stat) return null;
		if (stat.isSymbolicLink()) return { why: n < parts.length ? `${at} is a symbolic link` : "it is a symbolic link" };
		if (n < parts.length && !stat.isDirectory()) return { why: `${at} is no folder` };
	}
	const file = readBytes(join(root, name), { follow: false });
	if (file.state === "absent") return null;
	return file.state === "good" ? file.text : { why: file.reason };
}

/**
 * Does what the plan says, file by file, and only on those that are still as it saw them. Gives what was left alone after all.
 * Throws what the file system says.
 */
export async function applySkills(plan: SkillsPlan, request: SkillsRequest, now = new Date()): Promise<string[]> {
	const store = dirname(dirname(plan.folder));
	refusePathLinks(store, join(store, "run"));
	return withColdLock(join(store, "run", "install"), () => apply(plan, request, now), { ifPossible: true });
}

function apply({ kind, root, changes, folder }: SkillsPlan, { launcher, tell }: SkillsRequest, now: Date): string[] {
	const receipt = readSkillsReceipt(folder, tell);
	const left = changes.filter(({ path, before }) => look(root, path) !== before).map(({ path }) => path);
	const open = changes.filter(({ path }) => !left.includes(path));
	const added = open.flatMap(({ path, after }) => (after === null ? [] : [{ path, sha256: [sha256(after)] }]));
	const missing = foldersOf(added.map(({ path }) => path)).filter((name) => !quietLstat(join(root, name)));
	const made = [...new Set([...(receipt?.made ?? []), ...missing])];
	if (added.length > 0) {
		refusePathLinks(dirname(dirname(folder)), folder);
		const next = { files: merged(receipt?.files ?? [], added), made, root, launcher };
		// before the files: what was written without it would be nobody's
		writeVersioned(
			join(folder, NAME),
			RECEIPT,
			{ version: 1, at: now.toISOString(), ...next },
			{ durable: true, indent: 2, tell },
		);
	}
	for (const name of missing) makeFolder(join(root, name));
	for (const { path, before, after } of open) {
		if (after === null) unlinkSync(join(root, path));
		else writeText(join(root, path), after, { exclusive: before === null, durable: true });
	}
	if (kind === "install") return left;
	for (const { path } of receipt?.files ?? []) removeTemps(root, path);
	// one that holds anything stays: rmdir refuses
	for (const name of made.toSorted().toReversed()) quietly(() => rmdirSync(join(root, name)));
	rmSync(join(folder, NAME), { force: true });
	rmSync(join(folder, `${NAME}.last`), { force: true });
	quietly(() => rmdirSync(folder));
	return left;
}

/** What a process that was killed left beside a file. */
function removeTemps(root: string, path: string): void {
	const folder = dirname(join(root, path));
	// a link there would lead to somebody else's folder
	const found = look(root, path);
	if (found !== null && typeof found === "object") return;
	const name = `.${basename(path)}.`;
	quietly(() => {
		for (const one of readdirSync(folder))
			if (one.startsWith(name) && /^\d+\.[a-z0-9]+\.tmp$/.test(one.slice(name.length))) unlinkSync(join(folder, one));
	});
}

/** Folders from the root down to each file. */
const foldersOf = (paths: readonly string[]): string[] =>
	[...new Set(paths.flatMap((path) => path.split("/").map((_, n, parts) => parts.slice(0, n).join("/"))))].sort();

function merged(before: SkillsReceipt["files"], added: SkillsReceipt["files"]): SkillsReceipt["files"] {
	const all = new Map(before.map(({ path, sha256: sums }) => [path, sums]));
	for (const { path, sha256: sums } of added)
		all.set(path, [...new Set([...(all.get(path) ?? []), ...sums])].slice(-VERSIONS));
	return [...all].map(([path, sums]) => ({ path, sha256: sums }));
}

export const readSkillsReceipt = (folder: string, tell: Tell): SkillsReceipt | null =>
	readGood(join(folder, NAME), RECEIPT, tell);

const NAME = "skills-receipt.json";
