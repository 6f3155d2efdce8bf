/**
 * A copy of ccg's own files in the store, which is what registered commands start: npx's cache is emptied, a clone is moved,
 * a package is replaced while hooks run. A copy is made beside its place and gets its name by one rename; it never changes
 * afterwards. So a process that has started stays within one version, and a kill leaves the copies of before.
 */
import { createHash } from "node:crypto";
import {
	chmodSync,
	constants,
	copyFileSync,
	existsSync,
	linkSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	renameSync,
	rmSync,
	symlinkSync,
	utimesSync,
} from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { COPY_FACTS, currentLink, stableLauncher } from "../store/app-folder.ts";
import { makeFolder, quietly, syncFolder, writeFileAtomic } from "../store/atomic-write.ts";
import { type CopyFacts, copyFacts, versionIn, type Way, wayOf } from "./origin.ts";

/** What runs, and what must go along with it; package.json names the same for npm. */
const SHIPPED = [
	"bin",
	"dist",
	"demo/session.jsonl",
	"skills",
	"agents",
	"package.json",
	"LICENSE",
	"THIRD-PARTY-NOTICES",
];
const BYTECODE = ".jsc";

/** A package folder that can be copied. */
export interface Package {
	root: string;
	version: string;
	/** Of names and contents, without bytecode. */
	hash: string;
	/** Paths below the root, sorted. */
	files: string[];
	hasBytecode: boolean;
}

export interface OwnCopy {
	/** As registered commands name it. */
	launcher: string;
	/** The copy's own folder. */
	folder: string;
	facts: CopyFacts;
}

export interface CopyRequest {
	/** The package folder that is copied. */
	from: Package;
	/** The folder of copies (`src/store/app-folder.ts`). */
	app: string;
	/** The program that runs this: a Bun that the package brings goes along. */
	runtime: string;
	/** The way it came, and from where, where the folder does not tell. */
	way?: Way | undefined;
	source?: string | undefined;
	now?: Date;
}

/** The package in a folder; `null` without bundles, as in a clone that was never built: that runs from its sources. */
export function packageIn(root: string): Package | null {
	const all = SHIPPED.flatMap((name) => filesBelow(root, name)).sort();
	const files = all.filter((name) => !name.endsWith(BYTECODE));
	if (!files.includes("bin/ccg") || !files.some(isBundle)) return null;
	const hash = createHash("sha256");
	for (const name of files) hash.update(`${name}\0${sha256(join(root, name))}\n`);
	const hasBytecode = files.every((name) => !isBundle(name) || all.includes(name + BYTECODE));
	return { root, version: versionIn(root), hash: hash.digest("hex").slice(0, 12), files: all, hasBytecode };
}

/** A file that Bun can make bytecode of. */
export const isBundle = (name: string): boolean => name.startsWith(`dist${sep}`) && name.endsWith(".js");

/** Names the copy a package becomes. The version is for people, the hash tells two builds of one version apart. */
export const copyName = ({ version, hash }: Pick<Package, "version" | "hash">, bytecode: string | null): string =>
	`${version}-${hash}${bytecode ? `-bun${bytecode}` : ""}`;

/** The copy at work; `null` where there is none, or it is not whole. */
export function currentCopy(app: string): OwnCopy | null {
	const folder = quiet(() => join(app, basename(readlinkSync(currentLink(app)))));
	const facts = folder && wholeCopy(folder);
	return facts ? { launcher: stableLauncher(app), folder, facts } : null;
}

/** Makes the copy where it is not there, and puts it to work. Throws what the file system says; the one before stays at work then. */
export function makeCopy({ from, app, runtime, way, source, now = new Date() }: CopyRequest): OwnCopy {
	const bytecode = from.hasBytecode ? (process.versions.bun ?? null) : null;
	const name = copyName(from, bytecode);
	if (!wholeCopy(join(app, name))) {
		const at = newFolder(app);
		try {
			copyFiles(from, runtime, at);
			writeFacts(at, { ...factsOf(from, { way, source, now }), bytecode });
			finish(at, join(app, name));
		} finally {
			rmSync(at, { recursive: true, force: true });
		}
	}
	return putToWork(app, name, now);
}

/** Makes bytecode of bundles of the folder `from` in the folder `to`. */
type Compile = (bundles: readonly string[], from: string, to: string) => Promise<void>;

/**
 * The copy at work once more, with what `compile` makes of its bundles. Its files are shared with the one before, which `ccg gc`
 * deletes.
 */
export async function recompile(
	app: string,
	{ folder, facts }: OwnCopy,
	compile: Compile,
	now = new Date(),
): Promise<OwnCopy> {
	const name = copyName({ version: facts.ccg, hash: facts.hash }, Bun.version);
	const files = Object.keys(facts.files);
	const bundles = files.filter(isBundle);
	return compiled(app, name, now, async (at) => {
		await compile(bundles, folder, at);
		for (const file of files) if (!bundles.includes(file)) copyOne(join(folder, file), join(at, file), { share: true });
		writeFacts(at, { ...facts, bytecode: Bun.version, files: {} });
	});
}

/** A copy under a name that is given, with the bytecode that `compile` makes, and put to work. */
export async function makeNamedCopy(
	name: string,
	{ from, app, runtime, way, source, now = new Date() }: CopyRequest,
	compile: Compile,
): Promise<OwnCopy> {
	return compiled(app, name, now, async (at) => {
		copyFiles(from, runtime, at);
		await compile(from.files.filter(isBundle), from.root, at);
		writeFacts(at, { ...factsOf(from, { way, source, now }), bytecode: process.versions.bun ?? null });
	});
}

async function compiled(app: string, name: string, now: Date, fill: (at: string) => Promise<void>): Promise<OwnCopy> {
	if (!wholeCopy(join(app, name))) {
		const at = newFolder(app);
		try {
			await fill(at);
			finish(at, join(app, name));
		} finally {
			rmSync(at, { recursive: true, force: true });
		}
	}
	return putToWork(app, name, now);
}

/** Deletes all copies: nothing registered names them any more. */
export const removeCopies = (app: string): void => rmSync(app, { recursive: true, force: true });

function copyFiles(from: Package, runtime: string, at: string): void {
	for (const file of from.files) copyOne(join(from.root, file), join(at, file));
	const bun = bunOf(runtime);
	if (bun) copyOne(runtime, join(at, bun), { share: true });
}

const factsOf = (
	from: Package,
	{ way, source, now }: Pick<CopyRequest, "way" | "source"> & { now: Date },
): CopyFacts => ({
	version: 1,
	ccg: from.version,
	way: way ?? wayOf(from.root),
	from: source ?? from.root,
	at: now.toISOString(),
	hash: from.hash,
	bytecode: null,
	files: {},
});

function putToWork(app: string, name: string, now: Date): OwnCopy {
	const replaced = quiet(() => basename(readlinkSync(currentLink(app))));
	pointTo(app, name);
	// its folder's time tells `ccg gc` since when it is not at work
	if (replaced && replaced !== name) quietly(() => utimesSync(join(app, replaced), now, now));
	const folder = join(app, name);
	return { launcher: stableLauncher(app), folder, facts: copyFacts(folder)! };
}

/** Has `current` lead to a copy of the folder, or to a path, by one rename: whoever looks finds the old one or the new one. */
export function pointTo(app: string, target: string): void {
	makeFolder(app);
	const link = join(app, `.current-${process.pid}`);
	rmSync(link, { force: true });
	symlinkSync(target, link);
	renameSync(link, currentLink(app));
	syncFolder(app);
}

/** One that is damaged makes room; of two that finish at once the first stays. */
function finish(at: string, to: string): void {
	if (existsSync(to) && !wholeCopy(to)) renameSync(to, join(dirname(to), `.broken-${process.pid}-${Date.now()}`));
	try {
		renameSync(at, to);
	} catch (error) {
		if (!["ENOTEMPTY", "EEXIST"].includes((error as { code?: string }).code ?? "")) throw error;
	}
}

function newFolder(app: string): string {
	makeFolder(app);
	const at = join(app, `.new-${process.pid}-${Math.random().toString(36).slice(2, 8)}`);
	mkdirSync(at, { mode: 0o700 });
	return at;
}

/** A link to the same bytes where that can be had (Bun has 100 MB), else a copy; never a link that leads elsewhere. */
function copyOne(from: string, to: string, { share = false } = {}): void {
	makeFolder(dirname(to));
	const real = realpathSync(from);
	if (!share || quiet(() => linkSync(real, to) ?? true) === null) {
		copyFileSync(real, to, constants.COPYFILE_FICLONE);
		const runs = (lstatSync(real).mode & 0o111) !== 0;
		chmodSync(to, runs ? 0o700 : 0o600);
	}
}

/** Where a package's own Bun lies below its folder; `null` for one that the machine has for all. */
function bunOf(runtime: string): string | null {
	const real = quiet(() => realpathSync(runtime)) ?? "";
	return /(node_modules[/](?:@oven[/]bun-[a-z0-9-]+[/]bin[/]bun|bun[/]bin[/]bun\.exe))$/.exec(real)?.[1] ?? null;
}

function writeFacts(at: string, facts: CopyFacts): void {
	const files = Object.fromEntries(
		filesBelow(at, ".")
			.filter((name) => name !== COPY_FACTS)
			.map((name) => [name, isRuntime(name) ? "" : sha256(join(at, name))]),
	);
	writeFileAtomic(join(at, COPY_FACTS), `${JSON.stringify({ ...facts, files }, null, 1)}\n`);
}

/** 100 MB are not read at each look. */
const isRuntime = (name: string): boolean => name.startsWith("node_modules");

/** What a copy tells of itself, where each of its files is as it tells. */
function wholeCopy(folder: string): CopyFacts | null {
	const facts = copyFacts(folder);
	const isAsTold = ([name, hash]: [string, string]): boolean =>
		isRuntime(name) ? lstatSync(join(folder, name)).isFile() : sha256(join(folder, name)) === hash;
	return facts && quiet(() => Object.entries(facts.files).every(isAsTold)) ? facts : null;
}

/** The files at or below a path, as paths below `root`; links are none. */
function filesBelow(root: string, name: string): string[] {
	const stat = lstatSync(join(root, name), { throwIfNoEntry: false });
	if (stat?.isFile()) return [name];
	if (!stat?.isDirectory()) return [];
	return readdirSync(join(root, name), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => relative(root, join(entry.parentPath, entry.name)))
		.sort();
}

const sha256 = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

function quiet<T>(act: () => T): T | null {
	try {
		return act();
	} catch {
		return null;
	}
}
