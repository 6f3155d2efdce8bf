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
	linkSync,
	lstatSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	renameSync,
	rmSync,
	utimesSync,
} from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { isProgram } from "../files/on-path.ts";
import { quietly } from "../files/quietly.ts";
import { COPY_FACTS, currentLink, stableLauncher, swapLink } from "../store/app-folder.ts";
import { makeFolder, syncFolder, writeFileAtomic } from "../store/atomic-write.ts";
import { readJson } from "../store/json-file.ts";

/** What a copy of ccg tells of itself (`copy.json`). */
interface CopyFacts {
	/** The version of ccg. */
	ccg: string;
	/** The folder it was copied from, or the package it came as. */
	from: string;
	/** Of the files it was made of; two copies of one hash hold the same. */
	hash: string;
	/** The Bun its bytecode was made by; `null` without bytecode. */
	bytecode: string | null;
}

/** What a copy tells of itself; `null` for a folder that is none. */
const copyFacts = (folder: string): CopyFacts | null => {
	const facts = readJson<Record<keyof CopyFacts, unknown>>(join(folder, COPY_FACTS));
	const isCopy = typeof facts?.hash === "string" && typeof facts.ccg === "string" && typeof facts.from === "string";
	return isCopy && isProgram(join(folder, "bin", "ccg")) ? (facts as CopyFacts) : null;
};

/** The version in a package folder's package.json. */
function versionIn(folder: string): string {
	const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version?: unknown };
	if (typeof version !== "string" || !/^[0-9A-Za-z.+-]{1,64}$/.test(version))
		throw new Error(`${join(folder, "package.json")} names no version`);
	return version;
}

/** What runs, and what must go along with it; package.json names the same for npm. */
const SHIPPED = "bin dist demo/session.jsonl skills agents package.json LICENSE THIRD-PARTY-NOTICES".split(" ");
const BYTECODE = ".jsc";

export type OwnCopy = NonNullable<ReturnType<typeof currentCopy>>;

/** The package in a folder; `null` without bundles, as in a clone that was never built: that runs from its sources. */
export function packageIn(root: string) {
	const all = SHIPPED.flatMap((name) => filesBelow(root, name)).sort();
	const files = all.filter((name) => !name.endsWith(BYTECODE));
	if (!files.includes("bin/ccg") || !files.some(isBundle)) return null;
	const hasBytecode = files.every((name) => !isBundle(name) || all.includes(name + BYTECODE));
	/** `files` are paths below the root, sorted; the hash is of names and contents, without bytecode. */
	return { root, version: versionIn(root), hash: hashOf(root, files), files: all, hasBytecode };
}

/** A file that Bun can make bytecode of. */
const isBundle = (name: string): boolean => name.startsWith(`dist${sep}`) && name.endsWith(".js");

/** Names the copy a package becomes. The version is for people, the hash tells two builds of one version apart. */
export const copyName = ({ version, hash }: { version: string; hash: string }, bytecode: string | null): string =>
	`${version}-${hash}${bytecode ? `-bun${bytecode}` : ""}`;

/** The copy at work, with its launcher as registered commands name it and its own folder; `null` where there is none. */
export function currentCopy(app: string) {
	const folder = quietly(() => join(app, basename(readlinkSync(currentLink(app)))));
	const facts = folder && copyFacts(folder);
	return facts ? { launcher: stableLauncher(app), folder, facts } : null;
}

/** Makes the copy where it is not there, and puts it to work. Throws what the file system says; the one before stays at work then. */
export async function makeCopy({
	from,
	app,
	runtime,
	source = from.root,
	compile = false,
}: {
	from: NonNullable<ReturnType<typeof packageIn>>;
	/** The folder of copies (`src/store/app-folder.ts`). */
	app: string;
	/** The program that runs this: a Bun that the package brings goes along. */
	runtime: string;
	/** Where it came from, where the folder does not tell. */
	source?: string | undefined;
	/** With bytecode of its bundles, made by the Bun that runs this. */
	compile?: boolean;
}): Promise<OwnCopy> {
	const bytecode = compile || from.hasBytecode ? (process.versions.bun ?? null) : null;
	const name = copyName(from, bytecode);
	if (!copyFacts(join(app, name))) {
		makeFolder(app);
		const at = mkdtempSync(join(app, `.new-${process.pid}-`));
		try {
			const bundles = compile ? from.files.filter(isBundle) : [];
			const bun = bunOf(runtime);
			for (const file of from.files) if (!bundles.includes(file)) copyOne(join(from.root, file), join(at, file));
			if (bun) copyOne(runtime, join(at, bun), { share: true });
			await compileBundles(bundles, from.root, at);
			const facts: CopyFacts = { ccg: from.version, from: source, hash: from.hash, bytecode };
			writeFileAtomic(join(at, COPY_FACTS), Buffer.from(`${JSON.stringify(facts, null, 1)}\n`));
			rmSync(join(app, name), { recursive: true, force: true });
			renameSync(at, join(app, name));
		} finally {
			rmSync(at, { recursive: true, force: true });
		}
	}
	return putToWork(app, name);
}

/** The copy at work once more, with bytecode; `ccg gc` deletes the one before. */
export const recompile = (app: string, { folder, facts }: OwnCopy): Promise<OwnCopy> =>
	makeCopy({ from: packageIn(folder)!, app, runtime: runtimeIn(folder), source: facts.from, compile: true });

function putToWork(app: string, name: string): OwnCopy {
	const replaced = quietly(() => basename(readlinkSync(currentLink(app))));
	swapLink(currentLink(app), name);
	syncFolder(app);
	// its folder's time tells `ccg gc` since when it is not at work
	if (replaced && replaced !== name) quietly(() => utimesSync(join(app, replaced), new Date(), new Date()));
	return currentCopy(app)!;
}

/** A link to the same bytes where that can be had (Bun has 100 MB), else a copy; never a link that leads elsewhere. */
function copyOne(from: string, to: string, { share = false } = {}): void {
	makeFolder(dirname(to));
	const real = realpathSync(from);
	if (!share || !quietly(() => linkSync(real, to) ?? true)) {
		copyFileSync(real, to, constants.COPYFILE_FICLONE);
		const runs = (lstatSync(real).mode & 0o111) !== 0;
		chmodSync(to, runs ? 0o700 : 0o600);
	}
}

/** The Bun in a copy; a program that is in none where it has none. */
const runtimeIn = (folder: string): string => {
	const name = filesBelow(folder, "node_modules").find((file) => file.endsWith("/bin/bun"));
	return name ? join(folder, name) : "";
};

/** Where a package's own Bun lies below its folder; `null` for one that the machine has for all. */
function bunOf(runtime: string): string | null {
	const real = quietly(() => realpathSync(runtime)) ?? "";
	return /(node_modules[/](?:@oven[/]bun-[a-z0-9-]+[/]bin[/]bun|bun[/]bin[/]bun\.exe))$/.exec(real)?.[1] ?? null;
}

/** Of names and contents. */
function hashOf(root: string, names: readonly string[]): string {
	const hash = createHash("sha256");
	for (const name of names)
		hash
			.update(`${name}\0`)
			.update(readFileSync(join(root, name)))
			.update("\0");
	return hash.digest("hex").slice(0, 12);
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

/** A bundle is a function of what Node gives a module; this stands around its code (scripts/bundle.ts makes them). */
const BEFORE = "(function(exports, require, module, __filename, __dirname) {";
const AFTER = "})";

/**
 * Makes bytecode of bundles, with the Bun that runs this: it fits that version alone, so no package can bring it. It spares
 * the parse at each start, half of a hook's time. Throws where a bundle is of another form.
 */
async function compileBundles(bundles: readonly string[], from: string, to: string): Promise<void> {
	for (const name of bundles) {
		const path = join(from, name);
		unwrapped(path);
		makeFolder(dirname(join(to, name)));
		const { outputs } = await Bun.build({
			entrypoints: [path],
			outdir: dirname(join(to, name)),
			target: "bun",
			format: "cjs",
			bytecode: true,
			minify: { syntax: true, whitespace: true },
			plugins: [{ name: "bundle", setup }],
		});
		if (outputs.length !== 2) throw new Error(`${path} gave ${outputs.length} files instead of two`);
	}
}

const setup = (build: Bun.PluginBuilder): void => {
	build.onLoad({ filter: /\.js$/ }, ({ path }) => unwrapped(path));
};

function unwrapped(path: string): { contents: string; loader: "js" } {
	const text = readFileSync(path, "utf8");
	const start = text.indexOf(BEFORE);
	const end = text.lastIndexOf(AFTER);
	if (start < 0 || end < start) throw new Error(`${path} is no bundle of ccg`);
	return { contents: text.slice(start + BEFORE.length, end), loader: "js" };
}
