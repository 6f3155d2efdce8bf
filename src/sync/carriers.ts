import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { codedError } from "../files/system-failure.ts";
import { remoteName } from "../git/config.ts";
import type { Env } from "../store/paths.ts";
import type { Store } from "../store/session-handle.ts";
import type { Carrier } from "./carrier.ts";
import { folderCarrier } from "./folder.ts";
import type { Space } from "./space.ts";

/** Whether an address is that of a PostgreSQL server. */
export const isPostgres = (address: string): boolean => /^postgres(?:ql)?:/.test(address);
/** The repository of `git:REMOTE`, a folder of this machine as its path; `null` of another address. */
const gitRemote = (address: string): string | null => /^git:(?:file:\/\/)?(?!\/\/)(.+)$/.exec(address)?.[1] ?? null;

/** Gives an address as it is kept and shown: of a folder its whole path. Throws for what is no address, and for one with a password. */
export function normaliseAddress(typed: string, cwd: string): string {
	if (isPostgres(typed)) {
		tableSql(typed); // throws for a wrong address
		return typed;
	}
	const remote = gitRemote(typed);
	if (remote !== null) {
		if (/^\.{0,2}\//.test(remote)) return `git:${resolve(cwd, remote)}`;
		checkRemote(remote);
		return `git:${remote}`;
	}
	if (/^[a-z][a-z0-9+.-]+:/i.test(typed))
		throw new Error(`'${typed.split(":")[0]}:' is no place: give a folder, git:REMOTE, or postgres://HOST/DATABASE`);
	const folder = resolve(cwd, typed);
	if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
	const advice = "make it first, or mount what it lies on. A repository is written git:REMOTE";
	throw new Error(`${folder} is no folder: ${advice}; a code has 20 digits, 0-9 and a-f`);
}

type CarrierPlace = { store: Store; space: Pick<Space, "address" | "around"> };
/**
 * Opens the carrier of a space, with the environment that the space keeps (`around`) and the caller's SSH agent. `create`: the space begins
 * here, so its folder is made. Only the code of this kind of carrier is loaded.
 */
export async function openCarrier(place: CarrierPlace, env: Env, create = false): Promise<Carrier> {
	const { address, around } = place.space;
	if (isPostgres(address)) return loadPostgres().openPostgres(address, around.HOME ?? "/");
	const remote = gitRemote(address);
	if (remote === null) return folderCarrier(address, { create });
	const { gitCarrier } = await import("./git.ts");
	const isLocal = checkRemote(remote);
	const gitEnv = { ...around, SSH_AUTH_SOCK: env.SSH_AUTH_SOCK };
	return gitCarrier(join(place.store.root, "sync", "git"), remote, isLocal, gitEnv);
}

/** Throws for what is no address of a repository, without repeating a password in it. Gives whether it is a folder of this machine. */
function checkRemote(remote: string): boolean {
	if (/^https?:\/\/[^/]*@/i.test(remote) || /^[a-z+]+:\/\/[^/@:]*:[^/@]*@/i.test(remote))
		throw codedError("EPLACE", "the address holds a password; leave it out, git asks its credential helper");
	if (remote.startsWith("/") && !/[\0\n]/.test(remote)) return true;
	if (/^-|\s|^\w+::/.test(remote) || remoteName(remote) === null)
		throw codedError("EPLACE", "that is no address of a git repository: name a URL, HOST:PATH or a folder from / on");
	return false;
}

/** Gives the SQL that creates the table of documents on a server, for whoever may run it. */
export const tableSql = (address: string): string => loadPostgres().documentsTableSql(address);

/** Loads the bundle `postgres.ts`, by a path that the bundler does not see through: only who shares by a server pays for its client. */
const loadPostgres = (file = `${import.meta.dirname}/postgres`): typeof import("./postgres.ts") => require(file);
