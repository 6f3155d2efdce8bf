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
import { quietly, syncFolder, writeFileAtomic } from "../store/atomic-write.ts";
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
	const facts = folder && copyFacts(folder);
	return facts && isWhole(folder, facts) ? { launcher: stableLauncher(app), folder, facts } : null;
}

/** Makes the copy where it is not there, and puts it to work. Throws what the file system says; the one before stays at work then. */
export function makeCopy({ from, app, runtime, way, source, now = new Date() }: CopyRequest): OwnCopy {
	const bytecode = from.hasBytecode ? (process.versions.bun ?? null) : null;
	const name = copyName(from, bytecode);
	return putToWork(app, name, now, () =>
		build(app, name, (at) => {
			copyFiles(from, runtime, at);
			writeFacts(at, { ...factsOf(from, { way, source, now }), bytecode });
		}),
	);
}

/**
 * The copy at work once more, with what `compile` makes of its bundles in a folder it is given. Its files are shared with
 * the one before, which `ccg gc` deletes.
 */
export async function recompile(
	app: string,
	{ folder, facts }: OwnCopy,
	compile: (bundles: readonly string[], from: string, to: string) => Promise<void>,
	now = new Date(),
): Promise<OwnCopy> {
	const name = copyName({ version: facts.ccg, hash: facts.hash }, Bun.version);
	const at = newFolder(app);
	try {
		const files = Object.keys(facts.files);
		const bundles = files.filter(isBundle);
		await compile(bundles, folder, at);
		for (const file of files) if (!bundles.includes(file)) copyOne(join(folder, file), join(at, file), { share: true });
		writeFacts(at, { ...facts, bytecode: Bun.version, files: {} });
		return putToWork(app, name, now, () => finish(at, join(app, name)));
	} finally {
		rmSync(at, { recursive: true, force: true });
	}
}

/** A copy under a name that is given, with the bytecode that `compile` makes in the folder it is given, and put to work. */
export async function makeNamedCopy(
	name: string,
	{ from, app, runtime, way, source, now = new Date() }: CopyRequest,
	compile: (bundles: readonly string[], from: string, to: string) => Promise<void>,
): Promise<OwnCopy> {
	const at = newFolder(app);
	try {
		const there = copyFacts(join(app, name));
		if (!there || !isWhole(join(app, name), there)) {
			copyFiles(from, runtime, at);
			await compile(from.files.filter(isBundle), from.root, at);
			writeFacts(at, { ...factsOf(from, { way, source, now }), bytecode: process.versions.bun ?? null });
		}
		return putToWork(app, name, now, () => finish(at, join(app, name)));
	} finally {
		rmSync(at, { recursive: true, force: true });
	}
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

function putToWork(app: string, name: string, now: Date, make: () => void): OwnCopy {
	const folder = join(app, name);
	const before = copyFacts(folder);
	if (!before || !isWhole(folder, before)) make();
	const link = join(app, `.current-${process.pid}`);
	rmSync(link, { force: true });
	const replaced = quiet(() => basename(readlinkSync(currentLink(app))));
	symlinkSync(name, link);
	renameSync(link, currentLink(app));
	// its folder's time tells `ccg gc` since when it is not at work
	if (replaced && replaced !== name) quietly(() => utimesSync(join(app, replaced), now, now));
	syncFolder(app);
	return { launcher: stableLauncher(app), folder, facts: copyFacts(folder)! };
}

function build(app: string, name: string, fill: (at: string) => void): void {
	const at = newFolder(app);
	try {
		fill(at);
		finish(at, join(app, name));
	} finally {
		rmSync(at, { recursive: true, force: true });
	}
}

/** One that is damaged makes room; of two that finish at once the first stays. */
function finish(at: string, to: string): void {
	const facts = copyFacts(to);
	if (existsSync(to) && !(facts && isWhole(to, facts)))
		renameSync(to, join(dirname(to), `.broken-${process.pid}-${Date.now()}`));
	try {
		renameSync(at, to);
	} catch (error) {
		if (!["ENOTEMPTY", "EEXIST"].includes((error as { code?: string }).code ?? "")) throw error;
	}
}

function newFolder(app: string): string {
	mkdirSync(app, { recursive: true, mode: 0o700 });
	const at = join(app, `.new-${process.pid}-${Math.random().toString(36).slice(2, 8)}`);
	mkdirSync(at, { mode: 0o700 });
	return at;
}

/** A link to the same bytes where that can be had (Bun has 100 MB), else a copy; never a link that leads elsewhere. */
function copyOne(from: string, to: string, { share = false } = {}): void {
	mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
	const real = realpathSync(from);
	if (!share || quiet(() => linkSync(real, to) ?? true) === null) {
		copyFileSync(real, to, constants.COPYFILE_FICLONE);
		const runs = (lstatSync(real).mode & 0o111) !== 0;
		chmodSync(to, runs ? 0o755 : 0o644);
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

function isWhole(folder: string, { files }: CopyFacts): boolean {
	return Object.entries(files).every(
		([name, hash]) =>
			quiet(() => (isRuntime(name) ? lstatSync(join(folder, name)).isFile() : sha256(join(folder, name)) === hash)) ===
			true,
	);
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
