import { realpathSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../files/names-in.ts";
import { isProgram } from "../files/on-path.ts";
import { makeFolder } from "../store/atomic-write.ts";
import type { Env } from "../store/paths.ts";
import { ownProgram, type Ran, runProcess } from "./run-process.ts";

/** The name in the npm registry. */
export const PACKAGE = "claude-context-guard";

const ASK_MS = 60_000;
/** Bun has 40 MB to download. */
const FETCH_MS = 10 * 60_000;

interface Npm {
	env: Env;
	/** Absolute: what lies in it is not run. */
	cwd: string;
	/** A folder of ours, where npm works: it reads `.npmrc` where it runs. */
	folder: string;
}

/** The newest version in the registry. Throws what npm says. */
export async function newestVersion(npm: Npm): Promise<string> {
	const { out } = await run(npm, ["view", PACKAGE, "version", "--json"], ASK_MS);
	const version: unknown = JSON.parse(out);
	if (typeof version !== "string") throw new Error(`npm told no version of ${PACKAGE}`);
	return version;
}

/** Puts a package (`name@version`, a tarball, a folder) into a folder with what it depends on. Throws what npm says. */
export async function fetchPackage(spec: string, npm: Npm): Promise<{ root: string; bun: string | null }> {
	const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--install-links"];
	await run(npm, ["install", "--prefix", npm.folder, ...flags, "--", spec], FETCH_MS);
	const modules = join(npm.folder, "node_modules");
	return { root: join(modules, PACKAGE), bun: await bunIn(modules, npm) };
}

/** The Bun among the packages that runs here: there is one for each C library. */
async function bunIn(modules: string, { env, folder }: Npm): Promise<string | null> {
	const candidates = namesIn(join(modules, "@oven"))
		.filter((name) => name.startsWith("bun-"))
		.map((name) => join(modules, "@oven", name, "bin", "bun"))
		.filter(isProgram);
	for (const path of candidates) {
		const { code } = await runProcess([path, "--version"], { cwd: folder, env, timeLimitMs: ASK_MS });
		if (code === 0) return realpathSync(path);
	}
	return null;
}

async function run({ env, cwd, folder }: Npm, args: string[], timeLimitMs: number): Promise<Ran> {
	const npm = ownProgram("npm", env, cwd);
	if (!npm) throw new Error("npm was not found on PATH; ccg comes with it");
	makeFolder(folder);
	const ran = await runProcess([npm, ...args], { cwd: folder, env, timeLimitMs });
	if (ran.timedOut) throw new Error(`npm ${args[0]} did not end within ${timeLimitMs / 60_000} minutes`);
	if (ran.code !== 0) throw new Error(`npm ${args[0]}: ${reasonIn(ran.err)}`);
	return ran;
}

/** npm says the reason in its first lines, and where its log lies in the last. */
function reasonIn(err: string): string {
	const lines = err
		.split("\n")
		.flatMap((line) => /^npm (?:error|ERR!) (?!code |A complete log)(.*\S)/.exec(line)?.[1] ?? []);
	return lines.slice(0, 2).join(" ") || err.trim().split("\n").at(-1) || "failed without a word";
}
