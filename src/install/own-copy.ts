/**
 * A copy of ccg's own files in the store, which is what registered commands start: npx's cache is emptied, a clone is moved,
 * a package is replaced while hooks run. A copy is made beside its place and gets its name by one rename; it never changes
 * afterwards. So a process that has started stays within one version, and a kill leaves the copies of before.
 */
import {
	chmodSync,
	constants,
	copyFileSync,
	existsSync,
	lstatSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	utimesSync,
} from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { readJson } from "../files/json-file.ts";
import { isExecutable } from "../files/on-path.ts";
import { listFolder, readLinkTarget, tryLstat, tryOrUndefined } from "../files/quietly.ts";
import { currentLinkPath, replaceLink, stableLauncherPath } from "../store/app-folder.ts";
import { flushToDisk, makePrivateFolder, writeFileAtomic } from "../store/atomic-write.ts";

const MANIFEST_NAME = "copy.json";

/** What that file in a copy's folder says of the copy. */
interface CopyManifest {
	ccg: string;
	/** The folder it was copied from. */
	from: string;
	/** Of the files it was made of; two copies of one hash hold the same. */
	hash: string;
}

/** The manifest of a copy of ccg; `null` where the folder is no complete copy. */
const readCopyManifest = (folder: string): CopyManifest | null => {
	const manifest = readJson<Record<keyof CopyManifest, unknown>>(join(folder, MANIFEST_NAME));
	const isCopy = [manifest?.hash, manifest?.ccg, manifest?.from].every((value) => typeof value === "string");
	return isCopy && isExecutable(join(folder, "bin", "ccg")) ? (manifest as CopyManifest) : null;
};

/** The version in a package folder's package.json. */
function packageVersion(folder: string): string {
	const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version?: unknown };
	if (typeof version !== "string" || !/^[0-9A-Za-z.+-]{1,64}$/.test(version))
		throw new Error(`${join(folder, "package.json")} names no version`);
	return version;
}

/** The files and folders that a copy holds; package.json names the same for npm. */
const SHIPPED_PATHS = "bin dist demo/session.jsonl skills agents package.json LICENSE THIRD-PARTY-NOTICES".split(" ");

/** The path in a copy of the compiled program, with the platform that it runs on, as `bin/ccg` names it. */
function compiledProgramPath(): string {
	const isMusl = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].every((path) => !existsSync(path));
	const machine = `${process.platform}-${process.arch.replace("arm64", "aarch64")}`;
	return join("compiled", `bun-${machine}${process.platform === "linux" && isMusl ? "-musl" : ""}`, "ccg");
}

/** The files, version and hash of the ccg in a folder; `null` without bundles, as in a clone that was never built. */
export function readPackage(root: string) {
	const files = SHIPPED_PATHS.flatMap((name) => shippedFiles(root, name)).sort();
	if (!files.includes("bin/ccg") || !files.some(isBundle)) return null;
	/** `files` are paths below the root, sorted; the hash is of names and contents. */
	return { root, version: packageVersion(root), hash: hashFiles(root, files), files };
}

/** Whether a path in a package is one of ccg's bundles. */
const isBundle = (name: string): boolean => name.startsWith(`dist${sep}`) && name.endsWith(".js");

/** Names the copy a package becomes. The version is for people, the hash tells two builds of one version apart. */
export const copyName = ({ version, hash }: { version: string; hash: string }): string => `${version}-${hash}`;

/** The copy in use, with the launcher that registered commands name; `null` where there is none. `app` is the folder of copies. */
export function currentCopy(app: string) {
	const target = readLinkTarget(currentLinkPath(app));
	const folder = target && join(app, basename(target));
	const manifest = folder && readCopyManifest(folder);
	return manifest ? { launcher: stableLauncherPath(app), folder, manifest } : null;
}

/**
 * Makes a copy of a package, unless it is there, and makes it the one in use. Throws errors of the file system, and where Bun can't compile
 * it; the copy before stays in use then.
 */
export async function makeCopy({ from, app }: { from: NonNullable<ReturnType<typeof readPackage>>; app: string }) {
	const name = copyName(from);
	if (!readCopyManifest(join(app, name))) {
		makePrivateFolder(app);
		// this process holds the lock, so these were left by a killed one
		const unfinished = listFolder(app).filter((name) => name.startsWith(".new-"));
		for (const name of unfinished) rmSync(join(app, name), { recursive: true, force: true });
		const newFolder = mkdtempSync(join(app, `.new-${process.pid}-`));
		try {
			for (const file of from.files) copyShippedFile(join(from.root, file), join(newFolder, file));
			await compileProgram(from.files.filter(isBundle), newFolder);
			const manifest: CopyManifest = { ccg: from.version, from: from.root, hash: from.hash };
			writeFileAtomic(join(newFolder, MANIFEST_NAME), Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`));
			rmSync(join(app, name), { recursive: true, force: true });
			renameSync(newFolder, join(app, name));
		} finally {
			rmSync(newFolder, { recursive: true, force: true });
		}
	}
	const copy = activateCopy(app, name);
	for (const path of expiredCopies(app, name)) rmSync(path, { recursive: true, force: true });
	return copy;
}

const WEEK_MS = 7 * 24 * 3_600_000;
/** Copies that were replaced more than a week ago: a session that still runs may have started an MCP server from a newer one. */
const expiredCopies = (app: string, current: string): string[] =>
	listFolder(app)
		.filter((name) => name !== "current" && name !== current)
		.map((name) => join(app, name))
		.filter((path) => Date.now() - (tryLstat(path)?.mtimeMs ?? Infinity) > WEEK_MS);

/** Makes a copy the one that registered commands start, and gives it. */
function activateCopy(app: string, name: string) {
	const previous = basename(readLinkTarget(currentLinkPath(app)) ?? "");
	replaceLink(currentLinkPath(app), name);
	flushToDisk(app);
	// the time of its folder tells `expiredCopies` when it was replaced
	if (previous && previous !== name) tryOrUndefined(() => utimesSync(join(app, previous), new Date(), new Date()));
	return currentCopy(app)!;
}

/** Copies a file, with its right to be run; of a link the file that it leads to. */
function copyShippedFile(from: string, to: string): void {
	makePrivateFolder(dirname(to));
	const real = realpathSync(from);
	copyFileSync(real, to, constants.COPYFILE_FICLONE);
	chmodSync(to, (lstatSync(real).mode & 0o111) !== 0 ? 0o700 : 0o600);
}

/** A hash of the names and contents of files. */
function hashFiles(root: string, names: readonly string[]): string {
	const hash = new Bun.CryptoHasher("sha256");
	for (const part of names.flatMap((name) => [`${name}\0`, readFileSync(join(root, name)), "\0"])) hash.update(part);
	return hash.digest("hex").slice(0, 12);
}

/** The files at or below a path, as paths below `root`, without links and without bytecode, which fits one Bun only. */
function shippedFiles(root: string, name: string): string[] {
	const stat = lstatSync(join(root, name), { throwIfNoEntry: false });
	if (stat?.isFile()) return [name];
	if (!stat?.isDirectory()) return [];
	return readdirSync(join(root, name), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && !entry.name.endsWith(".jsc"))
		.map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

/**
 * Compiles the bundles of the copy in `root` and the running Bun into one program that reads no configuration; its first argument names the
 * bundle to run. Each bundle has its own bytecode, so that the others cost nothing. Throws when the program does not run.
 */
async function compileProgram(bundles: readonly string[], root: string): Promise<void> {
	const [start, program] = [join(root, "dist", "start.js"), join(root, compiledProgramPath())];
	const noConf = { autoloadDotenv: false, autoloadBunfig: false, autoloadTsconfig: false, autoloadPackageJson: false };
	const cwd = tryOrUndefined(() => process.cwd()) ?? "/";
	// Bun writes its temporary files into the current folder
	process.chdir(root);
	const built = Bun.build({
		entrypoints: [start, ...bundles.map((name) => join(root, name))],
		root: dirname(start),
		naming: { entry: "[dir]/[name].[ext]" },
		target: "bun",
		format: "cjs",
		bytecode: true,
		minify: { syntax: true, whitespace: true },
		compile: { outfile: program, ...noConf },
		plugins: [{ name: "bundles as they are", setup }],
	});
	const canRun = async (): Promise<boolean> => {
		await built.finally(() => process.chdir(cwd));
		chmodSync(program, 0o700);
		flushToDisk(program);
		const options = { cwd: root, env: {}, timeout: 10_000 };
		return Bun.spawnSync([program, "src/cli/main", "--version"], options).exitCode === 0;
	};
	if (!(await canRun().catch(() => false)))
		throw new Error("no program can be started there; is it mounted with noexec, or has its path a backslash?");

	function setup(build: Bun.PluginBuilder): void {
		// (a tsconfig.json in the home folder may name other places)
		const filter = /./;
		build.onResolve({ filter }, ({ path, importer }) => ({ path, external: importer !== "" }));
		const codeOf = (path: string): string => (path === start ? ENTRY_CODE : unwrapBundle(path));
		build.onLoad({ filter }, ({ path }) => ({ loader: "js", contents: codeOf(path) }));
	}
}

/** The compiled program's first module: runs the bundle that the first argument names. */
const ENTRY_CODE = `const [entry] = process.argv.splice(2, 1); if (entry !== "--version") require("./" + entry + ".js")`;

/** The code of a bundle without the CommonJS function that scripts/bundle.ts puts around it. */
function unwrapBundle(path: string): string {
	const text = readFileSync(path, "utf8");
	const opening = "(function(exports, require, module, __filename, __dirname) {";
	if (!text.includes(opening)) throw new Error(`${path} is no bundle of ccg`);
	return text.slice(text.indexOf(opening) + opening.length, text.lastIndexOf("})"));
}
