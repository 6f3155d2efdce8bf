import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { coded } from "../files/system-failure.ts";
import { remoteName } from "../git/config.ts";
import type { Env } from "../store/paths.ts";
import type { Store } from "../store/session-handle.ts";
import type { Carrier } from "./carrier.ts";
import { folderCarrier } from "./folder.ts";
import type { Space } from "./space.ts";

export const isPostgres = (address: string): boolean => /^postgres(?:ql)?:/.test(address);
/** The repository of `git:REMOTE`, a folder of this machine as its path; `null` of another address. */
const remoteOf = (address: string): string | null => /^git:(?:file:\/\/)?(?!\/\/)(.+)$/.exec(address)?.[1] ?? null;

/** Gives an address as it is kept and shown: of a folder its whole path. Throws for what is no address, and for one with a password. */
export function plainAddress(typed: string, cwd: string): string {
	if (isPostgres(typed)) {
		sqlAt(typed);
		return typed;
	}
	const remote = remoteOf(typed);
	if (remote !== null) {
		if (/^\.{0,2}\//.test(remote)) return `git:${resolve(cwd, remote)}`;
		refuseOdd(remote);
		return `git:${remote}`;
	}
	if (/^[a-z][a-z0-9+.-]+:/i.test(typed))
		throw new Error(`'${typed.split(":")[0]}:' is no place: give a folder, git:REMOTE, or postgres://HOST/DATABASE`);
	const folder = resolve(cwd, typed);
	if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
		throw new Error(
			`${folder} is no folder: make it first, or mount what it lies on. A repository is written git:REMOTE; a code has 20 digits, 0-9 and a-f`,
		);
	return folder;
}

/**
 * Opens the carrier of a space, with the environment that the space keeps (`around`) and the caller's SSH agent. `create`: the space begins
 * here. Only the code of this kind of carrier is loaded.
 */
export async function openCarrier(
	{ store, space: { address, around } }: { store: Store; space: Pick<Space, "address" | "around"> },
	{ SSH_AUTH_SOCK }: Env,
	create = false,
): Promise<Carrier> {
	if (isPostgres(address)) return postgres().openPostgres(address, around.HOME ?? "/");
	const remote = remoteOf(address);
	if (remote === null) return folderCarrier(address, { create });
	const { gitCarrier } = await import("./git.ts");
	const env = { ...around, SSH_AUTH_SOCK };
	return gitCarrier(join(store.root, "sync", "git"), remote, refuseOdd(remote), env);
}

/** Throws for what is no address of a repository, without repeating a password in it. Gives whether it is a folder of this machine. */
function refuseOdd(remote: string): boolean {
	if (/^https?:\/\/[^/]*@/i.test(remote) || /^[a-z+]+:\/\/[^/@:]*:[^/@]*@/i.test(remote))
		throw coded("EPLACE", "the address holds a password; leave it out, git asks its credential helper");
	if (remote.startsWith("/") && !/[\0\n]/.test(remote)) return true;
	if (/^-|\s|^\w+::/.test(remote) || remoteName(remote) === null)
		throw coded("EPLACE", "that is no address of a git repository: name a URL, HOST:PATH or a folder from / on");
	return false;
}

/** Gives the SQL that makes the table of documents on a server, for whoever may run it. */
export const sqlAt = (address: string): string => postgres().createSql(address);

/** Loads `postgres.ts`, a bundle by a path that the bundler does not see through: only who shares by a server pays for its client. */
const postgres = (file = `${import.meta.dirname}/postgres`): typeof import("./postgres.ts") => require(file);
