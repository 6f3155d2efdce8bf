import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { entriesOf } from "../files/names-in.ts";
import { quietStat } from "../files/quietly.ts";
import { openInside } from "../files/read-inside.ts";
import { coded } from "../files/system-failure.ts";
import { writeFileAtomic } from "../store/atomic-write.ts";
import { withColdLock } from "../store/lock.ts";
import type { Env } from "../store/paths.ts";
import { type Carrier, DOCUMENT, MACHINE, MAX_DOCUMENT } from "./carrier.ts";
import { folderCarrier, OURS } from "./folder.ts";
import { type GitRemote, gitRemote } from "./git-remote.ts";
import { remoteName } from "./project.ts";

/** Bytes that are taken out of the repository at once, and what a space may hold. */
const AT_ONCE = 32 * 1024 * 1024;
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
 * holds the files of the space, as plain files written here, and a commit is the remote's own tree with this machine's changes laid over it.
 * So no merge can conflict, and nothing of the repository (links, modules, filters, hooks) takes effect. The clone can be thrown away
 * at any time: what the remote lacks is offered again from the log. Throws with code `EOFFLINE` where the remote can't be reached.
 */
export function gitCarrier(clone: string, remote: string, space: string, options: Options): Carrier {
	const { create = false, isPublicMeant = false } = options;
	const folder = join(clone, "folder");
	const root = join(folder, OURS, space);
	if (!MACHINE.test(space)) throw new Error(`'${space}' is no id of a space`);
	const far = gitRemote(clone, remote, options.env);
	/** Paths of files that were written or removed since the last push. */
	const changed = new Set<string>();
	let opened: Promise<Carrier> | undefined;
	let free = (): void => {};

	const refresh = async (): Promise<Carrier> => {
		await far.latest(() => mirror(far, folder, space, changed));
		if (!create && !existsSync(root)) throw coded("EOFFLINE", `${remote} does not hold the space`);
		mkdirSync(root, { recursive: true });
		return folderCarrier(folder, space);
	};
	// one process at a time: the folder is what one of them knows and has changed
	const first = async (): Promise<Carrier> => {
		free = await held(join(clone, "clone"));
		try {
			return await refresh();
		} catch (error) {
			free();
			opened = undefined;
			throw error;
		}
	};
	const ready = (): Promise<Carrier> => {
		opened ??= first();
		return opened;
	};
	const noting = async (act: (carrier: Carrier) => Promise<void>): Promise<void> => {
		const carrier = await ready();
		const before = filesIn(folder, space);
		try {
			await act(carrier);
		} finally {
			const after = filesIn(folder, space);
			for (const path of new Set([...before.keys(), ...after.keys()]))
				if (before.get(path) !== after.get(path)) changed.add(path);
		}
	};
	return {
		heads: async () => (await ready()).heads(),
		read: async (machine, seq, bytes) => (await ready()).read(machine, seq, bytes),
		get: async (name) => (await ready()).get(name),
		list: async (prefix) => (await ready()).list(prefix),
		append: (machine, batches) => noting((carrier) => carrier.append(machine, batches)),
		forget: (machine, seq) => noting((carrier) => carrier.forget(machine, seq)),
		put: (name, bytes) => noting((carrier) => carrier.put(name, bytes)),
		remove: (name) => noting((carrier) => carrier.remove(name)),
		async pull() {
			if (opened && (await opened)) await refresh();
			else await ready();
		},
		async push() {
			await ready();
			if (changed.size === 0) return;
			if (!isPublicMeant && (await far.isReadByAll()))
				throw coded(
					"EPUBLIC",
					`everybody can read ${remote} without a password, and would read what is shared there; make it private, or if that is meant: --public ${remoteName(remote)}`,
				);
			await far.push(folder, [...changed]);
			changed.clear();
		},
		async close() {
			await opened?.catch(() => {});
			free();
		},
	};
}

/** The ids of the spaces that a remote holds. */
export async function spacesInGit(clone: string, remote: string, { env }: { env: Env }): Promise<string[]> {
	const far = gitRemote(clone, remote, env);
	const names = (): Promise<string[]> =>
		far.latest(async () => (await far.tree(`${OURS}/`, "--full-tree")).map(({ path }) => path.slice(OURS.length + 1)));
	return (await withColdLock(join(clone, "clone"), names)).filter((name) => MACHINE.test(name)).sort();
}

/** Takes a lock until what it gives is called. */
const held = (file: string): Promise<() => void> =>
	new Promise((resolve, reject) => {
		withColdLock(file, () => new Promise<void>((free) => resolve(free))).catch(reject);
	});

const isOurs = (path: string, space: string): boolean => {
	const [first, ...parts] = path.startsWith(`${OURS}/${space}/`) ? path.split("/").slice(2) : [];
	if (first === "documents") return DOCUMENT.test(parts.join("/"));
	return MACHINE.test(first ?? "") && /^\d{10}\.log$/.test(parts.join("/"));
};

/** The files of a space that are in the folder, with what changes when one is written. */
function filesIn(folder: string, space: string): Map<string, string> {
	const found = new Map<string, string>();
	const look = (at: string): void => {
		for (const entry of entriesOf(join(folder, at))) {
			const path = `${at}/${entry.name}`;
			if (entry.isDirectory()) look(path);
			const stat = entry.isFile() && isOurs(path, space) && quietStat(join(folder, path));
			if (stat) found.set(path, `${stat.ino} ${stat.size} ${stat.mtimeMs}`);
		}
	};
	look(`${OURS}/${space}`);
	return found;
}

/** Makes the folder what the remote holds of the space, but for what was changed here and not pushed yet. */
async function mirror(far: GitRemote, folder: string, space: string, changed: Set<string>): Promise<void> {
	const entries = (await far.tree(`${OURS}/${space}/`)).filter(
		({ path, size }) => size <= MAX_DOCUMENT && isOurs(path, space),
	);
	if (entries.reduce((all, { size }) => all + size, 0) > MAX_ALL)
		throw new Error("the remote holds more than a space may hold");
	const here = filesIn(folder, space);
	const there = new Set(entries.map(({ path }) => path));
	// the branch was deleted or written anew: what is known of the space goes there again
	const beginning = `${OURS}/${space}/documents/space`;
	const isGone = here.has(beginning) && !there.has(beginning);
	for (const path of here.keys())
		if (isGone && !there.has(path)) changed.add(path);
		else if (!there.has(path) && !changed.has(path)) rmSync(join(folder, path), { force: true });
	const lacking = entries.filter(({ path, id }) => {
		const bytes = changed.has(path) ? undefined : openInside(folder, path, { maxBytes: MAX_DOCUMENT })?.bytes;
		return !changed.has(path) && (!bytes || blobId(bytes, id.length) !== id);
	});
	while (lacking.length > 0) {
		const some = [lacking.pop()!];
		for (let room = AT_ONCE - some[0]!.size; lacking.length > 0 && lacking.at(-1)!.size < room; ) {
			some.push(lacking.pop()!);
			room -= some.at(-1)!.size;
		}
		const bytes = await far.bytesOf(some);
		for (const [i, { path }] of some.entries()) {
			const full = join(folder, path);
			if (quietStat(full)?.isDirectory()) rmSync(full, { recursive: true });
			mkdirSync(dirname(full), { recursive: true, mode: 0o700 });
			writeFileAtomic(full, bytes[i]!, { sync: false });
		}
	}
}

const blobId = (bytes: Buffer, length: number): string =>
	createHash(length === 64 ? "sha256" : "sha1")
		.update(`blob ${bytes.length}\0`)
		.update(bytes)
		.digest("hex");
