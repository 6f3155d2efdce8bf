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
import { readJson } from "../files/json-file.ts";
import { isProgram } from "../files/on-path.ts";
import { namesIn, quietLstat, quietly } from "../files/quietly.ts";
import { currentLink, stableLauncher, swapLink } from "../store/app-folder.ts";
import { makeFolder, syncFolder, writeFileAtomic } from "../store/atomic-write.ts";

const COPY_FACTS = "copy.json";

/** What a copy of ccg tells of itself, in that file. */
interface CopyFacts {
	ccg: string;
	/** The folder it was copied from. */
	from: string;
	/** Of the files it was made of; two copies of one hash hold the same. */
	hash: string;
}

/** What a copy tells of itself; `null` for a folder that is none. */
const copyFacts = (folder: string): CopyFacts | null => {
	const facts = readJson<Record<keyof CopyFacts, unknown>>(join(folder, COPY_FACTS));
	const isCopy = typeof facts?.hash === "string" && typeof facts.ccg === "string" && typeof facts.from === "string";
	return isCopy && isProgram(join(folder, "bin", "ccg")) ? (facts as CopyFacts) : null;
};

/** The version in a package folder's package.json. */
function packageVersion(folder: string): string {
	const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version?: unknown };
	if (typeof version !== "string" || !/^[0-9A-Za-z.+-]{1,64}$/.test(version))
		throw new Error(`${join(folder, "package.json")} names no version`);
	return version;
}

/** What runs, and what must go along with it; package.json names the same for npm. */
const SHIPPED = "bin dist demo/session.jsonl skills agents package.json LICENSE THIRD-PARTY-NOTICES".split(" ");
/** Bun and all bundles as one program. Its folder names the machines it is for, as the launcher tells them apart. */
function compiledName(): string {
	const isMusl = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].every((path) => !existsSync(path));
	const machine = `${process.platform}-${process.arch.replace("arm64", "aarch64")}`;
	return join("compiled", `bun-${machine}${process.platform === "linux" && isMusl ? "-musl" : ""}`, "ccg");
}

/** The package in a folder; `null` without bundles, as in a clone that was never built: that runs from its sources. */
export function packageIn(root: string) {
	const files = SHIPPED.flatMap((name) => shippedFiles(root, name)).sort();
	if (!files.includes("bin/ccg") || !files.some(isBundle)) return null;
	/** `files` are paths below the root, sorted; the hash is of names and contents. */
	return { root, version: packageVersion(root), hash: hashOf(root, files), files };
}

const isBundle = (name: string): boolean => name.startsWith(`dist${sep}`) && name.endsWith(".js");

/** Names the copy a package becomes. The version is for people, the hash tells two builds of one version apart. */
export const copyName = ({ version, hash }: { version: string; hash: string }): string => `${version}-${hash}`;

/** The copy at work, with its launcher as registered commands name it and its own folder; `null` where there is none. */
export function currentCopy(app: string) {
	const folder = quietly(() => join(app, basename(readlinkSync(currentLink(app)))));
	const facts = folder && copyFacts(folder);
	return facts ? { launcher: stableLauncher(app), folder, facts } : null;
}

/**
 * Makes the copy where it is not there, and puts it to work. Throws what the file system says, and where Bun can't make one program of
 * it; the one before stays at work then.
 */
export async function makeCopy({ from, app }: { from: NonNullable<ReturnType<typeof packageIn>>; app: string }) {
	const name = copyName(from);
	if (!copyFacts(join(app, name))) {
		makeFolder(app);
		// (this holds the lock: another's is left by a kill)
		const left = namesIn(app).filter((name) => name.startsWith(".new-"));
		for (const name of left) rmSync(join(app, name), { recursive: true, force: true });
		const at = mkdtempSync(join(app, `.new-${process.pid}-`));
		try {
			for (const file of from.files) copyOne(join(from.root, file), join(at, file));
			await makeProgram(from.files.filter(isBundle), at);
			const facts: CopyFacts = { ccg: from.version, from: from.root, hash: from.hash };
			writeFileAtomic(join(at, COPY_FACTS), Buffer.from(`${JSON.stringify(facts, null, 1)}\n`));
			rmSync(join(app, name), { recursive: true, force: true });
			renameSync(at, join(app, name));
		} finally {
			rmSync(at, { recursive: true, force: true });
		}
	}
	const copy = putToWork(app, name);
	for (const path of oldCopies(app, name)) rmSync(path, { recursive: true, force: true });
	return copy;
}

const WEEK_MS = 7 * 24 * 3_600_000;
/** Copies that were replaced more than a week ago: a session that still runs may have started an MCP server from a newer one. */
const oldCopies = (app: string, current: string): string[] =>
	namesIn(app)
		.filter((name) => name !== "current" && name !== current)
		.map((name) => join(app, name))
		.filter((path) => Date.now() - (quietLstat(path)?.mtimeMs ?? Infinity) > WEEK_MS);

function putToWork(app: string, name: string) {
	const replaced = quietly(() => basename(readlinkSync(currentLink(app))));
	swapLink(currentLink(app), name);
	syncFolder(app);
	// its folder's time tells since when it is not at work
	if (replaced && replaced !== name) quietly(() => utimesSync(join(app, replaced), new Date(), new Date()));
	return currentCopy(app)!;
}

/** Copies a file's bytes, with its right to run; never a link that leads elsewhere. */
function copyOne(from: string, to: string): void {
	makeFolder(dirname(to));
	const real = realpathSync(from);
	copyFileSync(real, to, constants.COPYFILE_FICLONE);
	chmodSync(to, (lstatSync(real).mode & 0o111) !== 0 ? 0o700 : 0o600);
}

function hashOf(root: string, names: readonly string[]): string {
	const hash = createHash("sha256");
	for (const part of names.flatMap((name) => [`${name}\0`, readFileSync(join(root, name)), "\0"])) hash.update(part);
	return hash.digest("hex").slice(0, 12);
}

/** The files at or below a path, as paths below `root`; links are none, nor bytecode, which fits one Bun only. */
function shippedFiles(root: string, name: string): string[] {
	const stat = lstatSync(join(root, name), { throwIfNoEntry: false });
	if (stat?.isFile()) return [name];
	if (!stat?.isDirectory()) return [];
	return readdirSync(join(root, name), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && !entry.name.endsWith(".jsc"))
		.map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

/**
 * Makes one program of a copy's bundles and the Bun that runs this; it reads no configuration. Each bundle is a module with its
 * own bytecode, so that none pays for the others; the first argument names it. Throws when what was made does not run.
 */
async function makeProgram(bundles: readonly string[], root: string): Promise<void> {
	const [start, program] = [join(root, "dist", "start.js"), join(root, compiledName())];
	const none = { autoloadDotenv: false, autoloadBunfig: false, autoloadTsconfig: false, autoloadPackageJson: false };
	const cwd = quietly(() => process.cwd()) ?? "/";
	// where Bun puts what it has half made
	process.chdir(root);
	const built = Bun.build({
		entrypoints: [start, ...bundles.map((name) => join(root, name))],
		root: dirname(start),
		naming: { entry: "[dir]/[name].[ext]" },
		target: "bun",
		format: "cjs",
		bytecode: true,
		minify: { syntax: true, whitespace: true },
		compile: { outfile: program, ...none },
		plugins: [{ name: "bundles as they are", setup }],
	});
	const starts = async (): Promise<boolean> => {
		await built.finally(() => process.chdir(cwd));
		chmodSync(program, 0o700);
		syncFolder(program);
		const options = { cwd: root, env: {}, timeout: 10_000 };
		return Bun.spawnSync([program, "src/cli/main", "--version"], options).exitCode === 0;
	};
	if (!(await starts().catch(() => false)))
		throw new Error("no program can be started there; is it mounted with noexec, or has its path a backslash?");

	function setup(build: Bun.PluginBuilder): void {
		// (a tsconfig.json in the home folder may name other places)
		const filter = /./;
		build.onResolve({ filter }, ({ path, importer }) => ({ path, external: importer !== "" }));
		build.onLoad({ filter }, ({ path }) => ({
			loader: "js",
			contents: path === start ? START : unwrapBundle(path),
		}));
	}
}

const START = `const [entry] = process.argv.splice(2, 1); if (entry !== "--version") require("./" + entry + ".js")`;

/** Gives the code of a bundle: scripts/bundle.ts makes each a function of what a CommonJS module gets. */
function unwrapBundle(path: string): string {
	const text = readFileSync(path, "utf8");
	const before = "(function(exports, require, module, __filename, __dirname) {";
	if (!text.includes(before)) throw new Error(`${path} is no bundle of ccg`);
	return text.slice(text.indexOf(before) + before.length, text.lastIndexOf("})"));
}
