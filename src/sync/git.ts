import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { coded, errorCode, whyOf } from "../files/system-failure.ts";
import { remoteName } from "../git/remotes.ts";
import type { Env } from "../store/paths.ts";
import { type Carrier, MACHINE, MAX_DOCUMENT, refuseLarge, refuseMany } from "./carrier.ts";
import { gitEnv, type Running, receivePack, runGit, strangerEnv, uploadPack } from "./run-git.ts";

/** A branch of its own: what else lies in the repository, and which branch is its default, does not matter. */
const BRANCH = "refs/heads/ccg-sync";
const KNOWN = "refs/ccg/remote";
const TRANSFER_MS = 300_000;
const STRANGER_MS = 10_000;
/** So often another may push first; and so often a remote that did not move may be held by another for a moment. */
const [MOVED_TRIES, STILL_TRIES] = [20, 3];
/** Of the tree's list; more than all documents take. */
const MAX_TREE = 1024 * 1024;

/**
 * A branch of a remote, whose tree holds one file a machine, seen through a bare repository in `clone`. Nothing is ever checked out: files
 * are read as blobs of a bounded size, and a commit is the remote's own tree with this machine's file in it. So no merge can conflict, and
 * nothing of the repository (links, modules, filters, hooks) takes effect. The clone may be thrown away at any time, and is made anew
 * where it is damaged. `isHere`: the remote is a folder of this machine. Throws with code `EOFFLINE` where the remote can't be reached.
 */
export async function gitCarrier(clone: string, remote: string, isHere: boolean, env: Env): Promise<Carrier> {
	const gitDir = join(clone, "repository");
	const around = gitEnv(env, gitDir);
	const git = (words: readonly string[], more: Omit<Running, "env"> = {}) => runGit(words, { env: around, ...more });
	const text = async (words: readonly string[], more: Omit<Running, "env"> = {}): Promise<string> =>
		(await git(words, more)).toString().trim();
	/** The commit that is known of the remote; `""` where its branch is not there. */
	let known = "";

	const ask = async (): Promise<string> => {
		const words = ["ls-remote", ...uploadPack(isHere), "--", remote, BRANCH];
		const said = await runGit(words, { env: gitEnv(env, "/dev/null") }).catch((error) => {
			throw coded("EOFFLINE", `${remote} can't be reached: ${whyOf(error)}`, error);
		});
		const line = said
			.toString()
			.split("\n")
			.find((one) => one.endsWith(`\t${BRANCH}`));
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
	/** Asks the remote where it stands. A clone that is half made, locked by one that was killed, or damaged is made anew once. */
	const look = async (): Promise<void> => {
		const commit = await ask();
		try {
			await bring(commit);
		} catch (error) {
			if (errorCode(error) !== "EGIT") throw error;
			rmSync(gitDir, { recursive: true, force: true });
			await bring(commit);
		}
	};
	/** What a commit's tree holds, one entry a line as `mktree` takes it. */
	const treeOf = async (commit: string) => {
		const lines = (await git(["ls-tree", "-z", "-l", commit], { maxOut: MAX_TREE }))
			.toString()
			.split("\0")
			.filter(Boolean);
		return lines.map((line) => {
			const [, mode, kind, id, size, name] = /^(\d+) (\w+) ([0-9a-f]+) +(\S+)\t(.*)$/s.exec(line) ?? [];
			return {
				line: `${mode} ${kind} ${id}\t${name}`,
				id: mode === "100644" ? id! : "",
				size: Number(size),
				name: name ?? "",
			};
		});
	};
	/** Of a commit it never changes: one look serves all documents. */
	let looked = { commit: "", entries: [] as Awaited<ReturnType<typeof treeOf>> };
	const tree = async () => {
		if (looked.commit !== known) looked = { commit: known, entries: known ? await treeOf(known) : [] };
		return looked.entries;
	};
	const commitOf = async (machine: string, bytes: Uint8Array | null): Promise<string> => {
		const id = bytes && (await text(["hash-object", "-w", "--stdin"], { input: bytes }));
		const kept = (await tree()).flatMap(({ name, line }) => (name === machine ? [] : line));
		const input = Buffer.from(
			[...kept, ...(id ? [`100644 blob ${id}\t${machine}`] : [])].map((one) => `${one}\0`).join(""),
		);
		const made = await text(["mktree", "-z"], { input });
		return text(["commit-tree", made, "-m", "ccg sync", ...(known ? ["-p", known] : [])]);
	};

	await look();
	return {
		async list() {
			const found = (await tree()).filter(({ name, id }) => id && MACHINE.test(name));
			refuseMany(found.length, remote);
			return found.map(({ name, id }) => ({ machine: name, version: id }));
		},
		async get(machine) {
			const entry = (await tree()).find(({ name, id }) => id && name === machine);
			if (!entry) return null;
			refuseLarge(entry.size);
			return git(["cat-file", "blob", entry.id], { maxOut: MAX_DOCUMENT });
		},
		async put(machine, bytes) {
			for (let moved = 0, still = 0; ; ) {
				const before = known;
				try {
					const commit = await commitOf(machine, bytes);
					const words = ["push", "--quiet", "--no-verify", ...receivePack(isHere), "--", remote, `${commit}:${BRANCH}`];
					await git(words, { timeMs: TRANSFER_MS });
					await git(["update-ref", KNOWN, commit]);
					known = commit;
					return;
				} catch (error) {
					await look();
					if (known === before ? ++still >= STILL_TRIES : ++moved >= MOVED_TRIES) throw error;
				}
				await Bun.sleep(Math.random() * 100 * (moved + still));
			}
		},
		async close() {},
	};
}

/** Whether its network address answers somebody who is nobody. One that is reached by ssh may be read at the same host without. */
export async function isReadByAll(remote: string, env: Env): Promise<boolean> {
	const name = remoteName(remote);
	if (name === null) return false;
	const open = /^https?:\/\//i.test(remote) ? remote : `https://${name}`;
	const asked = runGit(["ls-remote", "--", open, BRANCH], { env: strangerEnv(env), timeMs: STRANGER_MS });
	return asked.then(
		() => true,
		() => false,
	);
}
