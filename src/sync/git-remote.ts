import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { coded, errorCode, whyOf } from "../files/system-failure.ts";
import { remoteName } from "../git/remotes.ts";
import type { Env } from "../store/paths.ts";
import { gitEnv, needGit, type Running, receivePack, runGit, strangerEnv, uploadPack } from "./run-git.ts";

/** A branch of its own: what else lies in the repository, and which branch is its default, does not matter. */
const BRANCH = "refs/heads/ccg-sync";
const KNOWN = "refs/ccg/remote";
const TRANSFER_MS = 600_000;
const STRANGER_MS = 10_000;
/** So often another may push first; and so often a remote that did not move may be held by another for a moment. */
const MOVED_TRIES = 20;
const STILL_TRIES = 3;

export interface Entry {
	id: string;
	size: number;
}

export type GitRemote = ReturnType<typeof gitRemote>;

/** The branch of a remote, seen through a bare repository in `clone`. That one is only a copy: what is wrong with it is mended by another. */
export function gitRemote(clone: string, remote: string, env: Env) {
	const isHere = refuseOdd(remote);
	const gitDir = join(clone, "repository");
	const around = gitEnv(env, gitDir);
	const git = (words: readonly string[], more: Omit<Running, "env"> = {}) => runGit(words, { env: around, ...more });
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
			const how = ["--quiet", "--depth=1", "--no-tags", "--no-write-fetch-head"];
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
	/** The commit that lays files over what is known, `null` for one that goes. Its parts are in the copy here, and nowhere else. */
	const commitOf = async (files: ReadonlyMap<string, Uint8Array | null>): Promise<string> => {
		const begin = `commit refs/ccg/next\nmark :1\ncommitter ccg <ccg@invalid> now\ndata 8\nccg sync\n`;
		const laid = [...files].flatMap(([path, bytes]) =>
			bytes ? [`M 100644 inline ${path}\ndata ${bytes.length}\n`, bytes, "\n"] : [`D ${path}\n`],
		);
		const stream = [begin, known && `from ${known}\n`, ...laid, "\nget-mark :1\ndone\n"];
		const input = Buffer.concat(stream.map((one) => Buffer.from(one)));
		return text(["fast-import", "--quiet", "--done", "--force", "--date-format=now"], { input });
	};
	return {
		latest,
		/** The plain files in the remote's tree below a path, by their own; one with signs that ccg's names never have is passed over. */
		async tree(path: string): Promise<Map<string, Entry>> {
			const said = known ? (await git(["ls-tree", "-r", "-z", "-l", known, "--", `${path}/`])).toString() : "";
			const lines = said.split("\0").map((line) => /^100644 blob ([0-9a-f]+) +(\d+)\t([\w./-]+)$/.exec(line));
			return new Map(lines.flatMap((one) => (one ? [[one[3]!, { id: one[1]!, size: Number(one[2]) }]] : [])));
		},
		/** The bytes of a file. */
		bytesOf: ({ id, size }: Entry): Promise<Buffer> => git(["cat-file", "blob", id], { maxOut: size }),
		/** Lays what differs over the remote's tree, also over what another pushed meanwhile. */
		async push(differing: () => Promise<ReadonlyMap<string, Uint8Array | null>>): Promise<void> {
			for (let moved = 0, still = 0; ; ) {
				const before = known;
				try {
					const files = await differing();
					if (files.size === 0) return;
					const commit = await commitOf(files);
					const words = ["push", "--quiet", "--no-verify", ...receivePack(isHere), "--", remote, `${commit}:${BRANCH}`];
					await git(words, { timeMs: TRANSFER_MS });
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
export function refuseOdd(remote: string): boolean {
	if (/^https?:\/\/[^/]*@/i.test(remote) || /^[a-z+]+:\/\/[^/@:]*:[^/@]*@/i.test(remote))
		throw coded("EPLACE", "the address holds a password; leave it out, git asks its credential helper");
	if (/^(?:\/|file:\/\/)/i.test(remote) && !/[\0\n]/.test(remote)) return true;
	if (/^-|\s|^\w+::/.test(remote) || remoteName(remote) === null)
		throw coded("EPLACE", "that is no address of a git repository: name a URL, HOST:PATH or a folder from / on");
	return false;
}
