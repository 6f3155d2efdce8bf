import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { openInside } from "../files/read-inside.ts";
import { coded } from "../files/system-failure.ts";
import { remoteName } from "../git/remotes.ts";
import { writeFileAtomic } from "../store/atomic-write.ts";
import { withColdLock } from "../store/lock.ts";
import type { Env } from "../store/paths.ts";
import { type Carrier, DOCUMENT, MACHINE, MAX_DOCUMENT } from "./carrier.ts";
import { filesIn, folderCarrier, OURS } from "./folder.ts";
import { type Entry, type GitRemote, gitRemote } from "./git-remote.ts";

/** Bytes that a space may hold. */
const MAX_ALL = 4 * 1024 * 1024 * 1024;

interface Options {
	env: Env;
	/** The space begins here. */
	create?: boolean;
	/** Whoever asked for it knows that everybody can read the remote, and typed its name (`remoteName`). */
	isPublicMeant?: boolean;
}

/**
 * The folder carrier in a clone of ccg's own, whose other end is a branch of the named remote. Nothing is ever checked out: the folder
 * holds the files of the space, as plain files written here, and a commit is the remote's own tree with this machine's files laid over it.
 * So no merge can conflict, and nothing of the repository (links, modules, filters, hooks) takes effect. The clone can be thrown away
 * at any time: what the remote lacks is offered again from the log. Throws with code `EOFFLINE` where the remote can't be reached.
 */
export async function gitCarrier(clone: string, remote: string, space: string, options: Options): Promise<Carrier> {
	const { create = false, isPublicMeant = false } = options;
	const folder = join(clone, "folder");
	const root = `${OURS}/${space}`;
	if (!MACHINE.test(space)) throw new Error(`'${space}' is no id of a space`);
	const far = gitRemote(clone, remote, options.env);
	/** Folders and files that were written here since the last push. */
	const mine = new Set<string>();
	const isMine = (path: string): boolean => [...mine].some((one) => `${path}/`.startsWith(`${one}/`));

	// one process at a time: the folder is what one of them knows and has changed
	const free = await held(join(clone, "clone"));
	try {
		await far.latest(async () => {
			const { there, differing } = await compared(far, folder, root);
			const beginning = `${root}/documents/space`;
			// the branch was deleted or written anew: what is known of the space goes there again
			if (existsSync(join(folder, beginning)) && !there.has(beginning)) mine.add(root);
			else for (const path of differing) await bring(far, folder, path, there.get(path));
		});
		if (!create && !existsSync(join(folder, root))) throw coded("EOFFLINE", `${remote} does not hold the space`);
		mkdirSync(join(folder, root), { recursive: true });
	} catch (error) {
		free();
		throw error;
	}
	const carrier = folderCarrier(folder, space);
	const changing = (path: string, change: Promise<void>): Promise<void> => {
		mine.add(`${root}/${path}`);
		return change;
	};
	return {
		...carrier,
		append: (machine, batches) => changing(machine, carrier.append(machine, batches)),
		forget: (machine, seq) => changing(machine, carrier.forget(machine, seq)),
		put: (name, bytes) => changing(`documents/${name}`, carrier.put(name, bytes)),
		remove: (name) => changing(`documents/${name}`, carrier.remove(name)),
		async push() {
			if (mine.size === 0) return;
			if (!isPublicMeant && (await far.isReadByAll()))
				throw coded(
					"EPUBLIC",
					`everybody can read ${remote} without a password, and would read what is shared there; make it private, or if that is meant: --public ${remoteName(remote)}`,
				);
			await far.push(async () => {
				const { differing } = await compared(far, folder, root);
				return new Map(differing.filter(isMine).map((path) => [path, bytesIn(folder, path)]));
			});
			mine.clear();
		},
		close: async () => free(),
	};
}

/** The ids of the spaces that a remote holds. */
export async function spacesInGit(clone: string, remote: string, { env }: { env: Env }): Promise<string[]> {
	const far = gitRemote(clone, remote, env);
	const tree = await withColdLock(join(clone, "clone"), () => far.latest(() => far.tree(OURS)));
	const names = new Set([...tree.keys()].map((path) => path.split("/")[1]!));
	return [...names].filter((name) => MACHINE.test(name)).sort();
}

/** Takes a lock until what it gives is called. */
const held = (file: string): Promise<() => void> =>
	new Promise((resolve, reject) => {
		withColdLock(file, () => new Promise<void>((free) => resolve(free))).catch(reject);
	});

const bytesIn = (folder: string, path: string): Buffer | null =>
	openInside(folder, path, { maxBytes: MAX_DOCUMENT })?.bytes ?? null;

/** What the remote holds of a space, and the paths, in order, at which the folder holds something else. */
async function compared(far: GitRemote, folder: string, root: string) {
	const isOurs = (path: string): boolean => {
		const [first = "", ...parts] = path.slice(root.length + 1).split("/");
		const name = parts.join("/");
		return first === "documents" ? DOCUMENT.test(name) : MACHINE.test(first) && /^\d{10}\.log$/.test(name);
	};
	const there = new Map([...(await far.tree(root))].filter(([path, { size }]) => size <= MAX_DOCUMENT && isOurs(path)));
	if ([...there.values()].reduce((all, { size }) => all + size, 0) > MAX_ALL)
		throw new Error("the remote holds more than a space may hold");
	const paths = new Set([...there.keys(), ...filesIn(folder, root).filter(isOurs)]);
	const isOther = (path: string): boolean => {
		const [bytes, id] = [bytesIn(folder, path), there.get(path)?.id];
		return !bytes || !id || blobId(bytes, id.length) !== id;
	};
	return { there, differing: [...paths].filter(isOther).sort() };
}

const blobId = (bytes: Buffer, length: number): string =>
	createHash(length === 64 ? "sha256" : "sha1")
		.update(`blob ${bytes.length}\0`)
		.update(bytes)
		.digest("hex");

/** Makes a file of the folder what the remote holds there, if anything. */
async function bring(far: GitRemote, folder: string, path: string, entry: Entry | undefined): Promise<void> {
	const full = join(folder, path);
	rmSync(full, { recursive: true, force: true });
	if (!entry) return;
	const bytes = await far.bytesOf(entry);
	mkdirSync(dirname(full), { recursive: true, mode: 0o700 });
	writeFileAtomic(full, bytes, { sync: false });
}
