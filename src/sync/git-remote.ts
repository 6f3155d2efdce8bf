import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { coded, errorCode, whyOf } from "../files/system-failure.ts";
import type { Env } from "../store/paths.ts";
import { remoteName } from "./project.ts";
import { gitEnv, needGit, receivePack, runGit, strangerEnv, uploadPack } from "./run-git.ts";

/** A branch of its own: what else lies in the repository, and which branch is its default, does not matter. */
const BRANCH = "refs/heads/ccg-sync";
const KNOWN = "refs/ccg/remote";
const TRANSFER_MS = 600_000;
const STRANGER_MS = 10_000;
/** So often another may push first; and so often a remote that did not move may be held by another for a moment. */
const MOVED_TRIES = 20;
const STILL_TRIES = 3;

interface Entry {
	path: string;
	id: string;
	size: number;
}

export type GitRemote = ReturnType<typeof gitRemote>;

/** The branch of a remote, seen through a bare repository in `clone`. That one is only a copy: what is wrong with it is mended by another. */
export function gitRemote(clone: string, remote: string, env: Env) {
	const isHere = refuseOdd(remote);
	const gitDir = join(clone, "repository");
	const around = gitEnv(env, gitDir);
	const git = (
		words: readonly string[],
		more: { cwd?: string; input?: string; timeMs?: number; maxOut?: number } = {},
	) => runGit(words, { env: around, ...more });
	const text = async (words: readonly string[], more = {}): Promise<string> =>
		(await git(words, more)).toString().trim();
	const drop = (): void => rmSync(gitDir, { recursive: true, force: true });
	/** The commit that is known of the remote; `""` where its branch is not there. */
	let known = "";

	/** Says something of a remote; the copy here may be damaged. */
	const lsRemote = async (...words: string[]): Promise<string> =>
		(await runGit(["ls-remote", ...words], { env: gitEnv(env, "/dev/null") })).toString().trim();
	const ask = async (): Promise<string> => {
		const said = await lsRemote(...uploadPack(isHere), "--", remote, BRANCH).catch((error) => {
			throw coded("EOFFLINE", `${remote} can't be reached: ${whyOf(error)}`, error);
		});
		const line = said.split("\n").find((one) => one.endsWith(`\t${BRANCH}`));
		return /^[0-9a-f]{40,64}/.exec(line ?? "")?.[0] ?? "";
	};
	const bring = async (commit: string): Promise<void> => {
		mkdirSync(clone, { recursive: true, mode: 0o700 });
		const format = commit ? [`--object-format=${commit.length === 64 ? "sha256" : "sha1"}`] : [];
		await git(["init", "--quiet", "--bare", "--template=", ...format, gitDir]);
		const ofKnown = (): Promise<string> => text(["rev-parse", "--verify", "--quiet", KNOWN]);
		if (commit && (await ofKnown().catch(() => "")) !== commit) {
			const how = [
				"--quiet",
				"--depth=1",
				"--no-tags",
				"--no-prune",
				"--no-recurse-submodules",
				"--no-write-fetch-head",
			];
			const words = ["fetch", ...how, ...uploadPack(isHere), "--", remote, `+${BRANCH}:${KNOWN}`];
			await git(words, { timeMs: TRANSFER_MS });
		}
		// it may have moved since it was asked
		known = commit && (await ofKnown());
	};
	/** Asks the remote where it stands, and does something with that. Half made, locked by one that was killed, or damaged: made anew once. */
	const latest = async <T>(act: () => Promise<T>): Promise<T> => {
		await needGit(around);
		const commit = await ask();
		try {
			await bring(commit);
			return await act();
		} catch (error) {
			if (errorCode(error) !== "EGIT") throw error;
			drop();
			await bring(commit);
			return act();
		}
	};
	/** The commit that lays files over what is known, as they are in the folder or are not. */
	const commitOf = async (folder: string, paths: readonly string[]): Promise<string> => {
		for (const name of ["ccg-index", "ccg-index.lock"]) rmSync(join(gitDir, name), { force: true });
		await git(["read-tree", ...(known ? [known] : ["--empty"])]);
		const there = paths.filter((path) => existsSync(join(folder, path)));
		const words = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
		const said = await text(words, { cwd: folder, input: there.map((path) => `${path}\n`).join("") });
		const ids = new Map(said.split("\n").map((id, i) => [there[i], id]));
		const none = "0".repeat(known.length || 40);
		const lines = paths.map((path) => `${ids.has(path) ? `100644 ${ids.get(path)}` : `0 ${none}`}\t${path}\0`);
		await git(["update-index", "--replace", "-z", "--index-info"], { input: lines.join("") });
		const tree = await text(["write-tree"]);
		if (known && tree === (await text(["rev-parse", `${known}^{tree}`]))) return known;
		return text(["commit-tree", tree, ...(known ? ["-p", known] : []), "-m", "ccg sync"]);
	};
	return {
		latest,
		/** The plain files in the remote's tree below a path; `--full-tree`: the names of what lies in it. */
		async tree(path: string, how = "-r"): Promise<Entry[]> {
			if (!known) return [];
			const said = (await git(["ls-tree", "-z", "-l", how, known, "--", path])).toString();
			return [...said.matchAll(/(?:100644 blob|040000 tree) ([0-9a-f]+) +(-|\d+)\t([^\0]+)\0/g)].map(
				([, id, size, name]) => ({ path: name!, id: id!, size: Number(size) || 0 }),
			);
		},
		/** The bytes of files, in their order. */
		async bytesOf(entries: readonly Entry[]): Promise<Buffer[]> {
			const input = entries.map(({ id }) => `${id}\n`).join("");
			const maxOut = entries.reduce((all, { size }) => all + size + 200, 0);
			const out = await git(["cat-file", "--batch"], { input, maxOut });
			let at = 0;
			return entries.map(({ size }) => {
				const begin = out.indexOf(10, at) + 1;
				at = begin + size + 1;
				return out.subarray(begin, begin + size);
			});
		},
		/** Lays files over the remote's tree, also over what another pushed meanwhile. */
		async push(folder: string, paths: readonly string[]): Promise<void> {
			for (let moved = 0, still = 0; ; ) {
				const before = known;
				try {
					const commit = await commitOf(folder, paths);
					const words = ["push", "--quiet", "--no-verify", ...receivePack(isHere), "--", remote, `${commit}:${BRANCH}`];
					if (commit !== known) await git(words, { timeMs: TRANSFER_MS });
					await git(["update-ref", KNOWN, commit]);
					known = commit;
					return;
				} catch (error) {
					await latest(async () => {});
					if (known === before) drop();
					if (known === before ? ++still >= STILL_TRIES : ++moved >= MOVED_TRIES) throw error;
					await latest(async () => {});
				}
				await Bun.sleep(Math.random() * 100 * (moved + still));
			}
		},
		/** Whether its network address answers somebody who is nobody. One that is reached by ssh may be read at the same host without. */
		async isReadByAll(): Promise<boolean> {
			const url = isHere ? "" : await lsRemote("--get-url", "--", remote);
			const name = remoteName(url);
			if (name === null) return false;
			const open = /^(?:https?|git):\/\//i.test(url) ? url : `https://${name}`;
			const asked = runGit(["ls-remote", "--", open, BRANCH], { env: strangerEnv(env), timeMs: STRANGER_MS });
			return asked.then(
				() => true,
				() => false,
			);
		},
	};
}

/** Whether it is a folder of this machine. Throws for what is no address of a repository, without repeating what may be a password. */
function refuseOdd(remote: string): boolean {
	if (/^https?:\/\/[^/]*@/i.test(remote) || /^[a-z+]+:\/\/[^/@:]*:[^/@]*@/i.test(remote))
		throw coded(
			"EPLACE",
			"a password would be kept with that address; let git's credential helper keep it, and name it without",
		);
	if (/^(?:\/|file:\/\/)/i.test(remote) && !/[\0\n]/.test(remote)) return true;
	if (/^-|\s|^\w+::/.test(remote) || remoteName(remote) === null)
		throw coded("EPLACE", "that is no address of a git repository: name a URL, HOST:PATH or a folder from / on");
	return false;
}
