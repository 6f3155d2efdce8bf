import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { codedError, errorText } from "../files/system-failure.ts";
import type { Env } from "../store/paths.ts";
import { type Carrier, MAX_DOCUMENT } from "./carrier.ts";
import { type GitOptions, remoteProgramOption, runGit } from "./run-git.ts";

/** No clone brings these along, and no protection of branches stands over them. */
const REFS = "refs/notes/ccg/";
const FILE = "document";
/** All reading by one carrier may take so long in total, and its sending as long again. */
const TRANSFER_MS = 120_000;

/**
 * Carries documents in a git repository, in one ref a machine: a commit of one file, without a parent. Each moves its own, so none waits for
 * another, nothing is merged, and what was replaced does not stay as history. Nothing is ever checked out, so nothing of the repository
 * (links, modules, filters, hooks) takes effect. What is transferred goes through a repository of the carrier's own in `folder`, which
 * disposing removes. `isLocal`: the remote is a folder of this machine. Throws with code `EOFFLINE` where it can't be reached.
 */
export async function gitCarrier(folder: string, remote: string, isLocal: boolean, env: Env): Promise<Carrier> {
	const upload = remoteProgramOption("upload-pack", isLocal);
	const receive = remoteProgramOption("receive-pack", isLocal);
	const listing = await runGit(["ls-remote", ...upload, "--", remote, `${REFS}*`], { env }).catch((error) => {
		throw codedError("EOFFLINE", `${remote} can't be reached: ${errorText(error)}`, error);
	});
	const refs = listing.toString().matchAll(/^([0-9a-f]{40})\trefs\/notes\/ccg\/([0-9a-f]{32})$/gm);
	const listed = [...refs].map(([, version, machine]) => ({ machine: machine!, version: version! }));
	const endsAt = Date.now() + TRANSFER_MS;
	let gitDir = "";
	const git = (words: string[], more: Partial<GitOptions> = {}): Promise<Buffer> =>
		runGit(words, { env, gitDir, ...more });
	const ensureRepository = async (): Promise<void> => {
		if (gitDir) return;
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		gitDir = join(folder, `carrier.${process.pid}.${crypto.randomUUID().slice(0, 8)}.tmp`);
		await git(["init", "--quiet", "--bare", "--template=", "--object-format=sha1"]);
	};
	return {
		list: async () => listed,
		async get(machine) {
			if (!listed.some((one) => one.machine === machine)) return null;
			await ensureRepository();
			const ref = REFS + machine;
			const how = ["--quiet", "--depth=1", "--no-tags", "--no-write-fetch-head", ...upload];
			await git(["fetch", ...how, "--", remote, `+${ref}:${ref}`], { timeMs: endsAt - Date.now() });
			return git(["cat-file", "blob", `${ref}:${FILE}`], { maxOut: MAX_DOCUMENT });
		},
		async put(machine, bytes) {
			if (!bytes && !listed.some((one) => one.machine === machine)) return;
			await ensureRepository();
			const ref = REFS + machine;
			const commit = `commit ${ref}\ncommitter ccg <ccg@invalid> 0 +0000\ndata 8\nccg sync\nM 100644 inline ${FILE}\n`;
			const input = bytes && Buffer.concat([Buffer.from(`${commit}data ${bytes.length}\n`), bytes]);
			if (input) await git(["fast-import", "--quiet", "--force"], { input });
			// nobody else writes it, and git leaves the lock of one that was killed
			for (const at of isLocal ? [remote, join(remote, ".git")] : []) rmSync(join(at, `${ref}.lock`), { force: true });
			const how = ["--quiet", "--force", "--no-verify", ...receive];
			await git(["push", ...how, "--", remote, `${bytes ? ref : ""}:${ref}`], { timeMs: TRANSFER_MS });
		},
		async [Symbol.asyncDispose]() {
			if (gitDir) rmSync(gitDir, { recursive: true, force: true });
		},
	};
}
