import { existsSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { remoteName } from "../git/remotes.ts";
import type { Env } from "../store/paths.ts";
import type { Carrier, Way } from "./carrier.ts";
import { folderCarrier, spacesIn } from "./folder.ts";
import { gitCarrier, spacesInGit } from "./git.ts";
import { refuseOdd } from "./git-remote.ts";
import { placeOf, targetOf } from "./postgres/connection.ts";
import { postgresAt, spaceAt } from "./postgres/load.ts";

export const isPostgres = (address: string): boolean => /^postgres(?:ql)?:/.test(address);
/** What stands behind `git:`; `null` of another address. */
const remoteOf = (address: string): string | null => /^git(?:-public)?:(?!\/\/)(.+)$/.exec(address)?.[1] ?? null;
const cloneIn = (root: string): string => join(root, "sync", "git");

/**
 * An address as it is kept and shown: a folder's whole path, a server or a remote without its login. `named`: that a remote
 * is public is meant. Throws where it is none.
 */
export function plainAddress(typed: string, { cwd, env }: { cwd: string; env: Env }, named?: string): string {
	if (isPostgres(typed)) return placeOf(targetOf(typed, env));
	const remote = remoteOf(typed);
	if (remote !== null) {
		if (/^\.{0,2}\//.test(remote)) return `git:${resolve(cwd, remote)}`;
		refuseOdd(remote);
		// said twice: as an address, and by its name
		return named !== undefined && named === remoteName(remote) ? `git-public:${remote}` : `git:${remote}`;
	}
	if (/^[a-z][a-z0-9+.-]+:/i.test(typed))
		throw new Error(`'${typed.split(":")[0]}:' is no carrier; give a folder, git:REMOTE, or postgres://HOST/DATABASE`);
	const folder = isAbsolute(typed) ? typed : resolve(cwd, typed);
	if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
		throw new Error(
			`${folder} is no folder: make it first, or mount what it lies on. A repository is written git:REMOTE; a code has 20 digits, 0-9 and a-f`,
		);
	if (existsSync(join(folder, "HEAD")) && existsSync(join(folder, "objects")))
		throw new Error(`${folder} is a git repository: write git:${folder}, or name a folder that is none`);
	return folder;
}

/** Opens the carrier of a space, or makes the space there. */
export async function carrierAt(way: Way, space: string, create = false): Promise<Carrier> {
	const { root, address, env } = way;
	if (isPostgres(address)) return postgresAt(way, space, create);
	const remote = remoteOf(address);
	if (remote === null) return folderCarrier(address, space, { create });
	return gitCarrier(cloneIn(root), remote, space, { env, create, isPublicMeant: address.startsWith("git-public:") });
}

/** The ids of the spaces that an address holds; a server tells only whom it lets in. */
export async function spacesAt(way: Way): Promise<string[]> {
	const { root, address, env } = way;
	if (isPostgres(address)) return [await spaceAt(way)];
	const remote = remoteOf(address);
	return remote === null ? spacesIn(address) : spacesInGit(cloneIn(root), remote, { env });
}
