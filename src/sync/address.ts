import { statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import type { Env } from "../store/paths.ts";
import type { Carrier } from "./carrier.ts";
import { folderCarrier, spacesIn } from "./folder.ts";
import { gitCarrier, spacesInGit } from "./git.ts";
import { refuseOdd } from "./git-remote.ts";
import { machineOf, publicOf } from "./keys.ts";
import { loadMachine } from "./machine.ts";
import { keptLogin, placeOf, targetOf } from "./postgres/connection.ts";
import { postgresAt, spaceAt } from "./postgres/load.ts";
import { remoteName } from "./project.ts";

/** Whose carrier is opened, and how. */
export interface Way {
	/** The store. */
	root: string;
	/** As `plainAddress` gives it. */
	address: string;
	env: Env;
	/** As it was typed, where it holds what is not kept: a login that owns a database. */
	typed?: string | undefined;
	/** The code of an invitation to a server. */
	invitation?: string | undefined;
}

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
		throw new Error(`${folder} is no folder; make it first, or mount what it lies on`);
	return folder;
}

/** Opens the carrier of a space, or makes the space there. */
export async function carrierAt(way: Way, space: string, create = false): Promise<Carrier> {
	const { root, address, env, typed = address } = way;
	const remote = remoteOf(address);
	if (remote !== null)
		return gitCarrier(cloneIn(root), remote, space, { env, create, isPublicMeant: address.startsWith("git-public:") });
	if (!isPostgres(address)) return folderCarrier(address, space, { create });
	const self = loadMachine(root);
	const me = self && { machine: machineOf(publicOf(self.keys)), name: self.name, person: self.person };
	const code = newCode(way);
	const entry = me && (create ? { create: me } : code ? { code, me } : null);
	return postgresAt({ root, address: entry ? typed : address, env }, space, entry);
}

/** The ids of the spaces that an address holds; a server tells only whom it lets in. */
export async function spacesAt(way: Way): Promise<string[]> {
	const { root, address, env } = way;
	const remote = remoteOf(address);
	if (remote !== null) return spacesInGit(cloneIn(root), remote, { env });
	return isPostgres(address) ? [await spaceAt(way, newCode(way))] : spacesIn(address);
}

/** The code of an invitation, where it was not taken yet: it is good once. */
const newCode = ({ root, address, invitation }: Way): string | undefined =>
	keptLogin(root, address) ? undefined : invitation;
