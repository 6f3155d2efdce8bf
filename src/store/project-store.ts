import { existsSync, lstatSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { quietly, quietStat } from "../files/quietly.ts";
import { isWithin, realPath } from "../files/real-path.ts";
import { thisUser, type User } from "../git/config.ts";
import { findRepository, mainFolder } from "../git/repository.ts";
import { readBytes } from "./json-file.ts";
import { absolutePlace, type Env, isInSession, storeNamed, storeRoot } from "./paths.ts";

type Folders = readonly (string | undefined)[];

/** What lies around a run, looked at once where it begins: the store it names, its folders, and the settings in and above all of them. */
type Around = ReturnType<typeof lookAround>;

export function lookAround(given: Env, of: Folders, isClaudes = false) {
	const env = isClaudes ? { ...given, CLAUDECODE: "1" } : given;
	const [home, root, named] = [realPath(env.HOME ?? ""), storeRoot(env), absolute(of)];
	const folders = named.map(realPath);
	const places = absolute([...folders, root ?? undefined, home]);
	const settings = settingsAround(places);
	const seen: ReadonlyMap<string, string> = new Map(settings.map(({ path, text }) => [path, text ?? ""]));
	return { env, home, root, named, folders, places, settings, seen };
}

/** Variables that say where ccg and its user are at home. */
const HOMES = ["HOME", "CCG_HOME", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "SUDO_UID", "CLAUDE_CODE_SESSION_ID"];

/** Why no store is used here, in words: a repository chose it, or may have. `null` where the user did. */
export function whyRefused(around: Around): string | null {
	const folder = projectAround(around);
	if (folder)
		return `CCG_HOME is ${around.env.CCG_HOME}, inside the project ${folder}: what a repository brings along is not used as a store; set CCG_HOME to a folder outside of it, or unset it`;
	// a repository may bring along what it names, wherever the shell has gone
	return setByRepository(around, HOMES);
}

/** The folder that `CCG_TASK_ROOT` names, resolved; `null` where it is not set. Throws where it is relative, or a repository's choice. */
export function taskRoot(env: Env, folders: Folders): string | null {
	const named = env.CCG_TASK_ROOT;
	if (!named) return null;
	const root = absolutePlace(named);
	if (!root) throw new Error(`CCG_TASK_ROOT is '${named}', a relative path; set it to an absolute one`);
	const why = setByRepository(lookAround(env, [...folders, root]), ["CCG_TASK_ROOT"]);
	if (why) throw new Error(why);
	const stores = [storeRoot(env), storeRoot({ HOME: env.HOME })].map((store) => join(store ?? "/", "sessions"));
	const isOwn = stores.some((sessions) => root === join(sessions, env.CLAUDE_CODE_SESSION_ID || "."));
	if (isInSession(env) && !isOwn && stores.some((sessions) => isWithin(root, sessions)))
		throw new Error(`CCG_TASK_ROOT is ${named}, a folder of another session in the store; unset it, or name another`);
	return root;
}

/** The same for a hook, which works in `cwd`; `null` also where the one that is named does not count. */
export const quietTaskRoot = (env: Env, cwd: string): string | null =>
	quietly(() => taskRoot({ ...env, CLAUDECODE: "1" }, [env.CLAUDE_PROJECT_DIR, cwd])) ?? null;

/**
 * The folder of a project in which the store lies that CCG_HOME names: one of these, or the repository's around it;
 * `null` without. The home folder and what is above it hold no one project.
 */
function projectAround({ env, home, root, named: given }: Around): string | null {
	if (!root || !env.CCG_HOME) return null;
	// by its name, too: a link in a repository is the repository's word
	const named = [root, resolve(storeNamed(env))];
	const holds = (folder: string): boolean => {
		const top = realPath(folder);
		if (isWithin(home, top) || (top === root && !isRepository(top))) return false;
		return named.some((one) => isWithin(one, top) || isWithin(one, folder));
	};
	const user = thisUser(env);
	return given.find(holds) ?? given.flatMap((folder) => repositoryFolders(folder, user)).find(holds) ?? null;
}

/** What belongs to the repository around a folder: its top, the main folder of its worktrees, and what a submodule lies in. */
function repositoryFolders(folder: string, user: User): string[] {
	const found = findRepository(folder, user);
	if (!found?.repository) return found ? [found.top] : [];
	const { top, repository } = found;
	if (repository.kind === "submodule") return [top, ...repositoryFolders(dirname(top), user)];
	return [top, mainFolder(repository, user)];
}

/** A person may have gone into the store's own folder: nothing of a project lies there. */
const isRepository = (folder: string): boolean =>
	[".git", ".claude"].some((name) => lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined);

const SETTINGS = [".claude/settings.json", ".claude/settings.local.json"];

/**
 * Says which of the variables a repository's settings set in this session, at or above one of the folders; `null` where
 * none does. Claude Code gives such a variable to all it starts, and nothing tells it from the user's own. Looked for
 * are the names, however the file is written: what Claude Code makes of a file is not known here. One that can't be read
 * counts in the project alone: above it anybody may have put one.
 */
function setByRepository({ env, home, places, settings }: Around, names: readonly string[]): string | null {
	if (!isInSession(env)) return null;
	const isOfProject = (at: string): boolean =>
		places.some((one) => isWithin(at, findRepository(one, thisUser(env))?.top ?? one));
	for (const { at, path, text } of settings) {
		if (text === null) {
			if (!isOfProject(at)) continue;
			return `${path} can't be read: it may say where ccg keeps and finds things, which no repository does; make it readable, or take it away`;
		}
		// the user's own settings lie in the home folder, unless it was moved by them
		const name = (at === home ? ["HOME"] : names).find((one) => env[one] && plain(text).includes(`"${one}"`));
		if (name)
			return `${name} is set by ${path}: no repository says where ccg keeps and finds things; take it out there, and set it in your own settings or environment`;
	}
	return null;
}

/**
 * The environment without values that stand in a repository's settings: what those named a secret would be taken out of the user's
 * words. No secret of the user's stands there, so none is let go by this.
 */
export function ownVariables({ env, home, folders, settings }: Around): Env {
	const isProjects = (at: string): boolean => at !== home && folders.some((one) => isWithin(one, at));
	const texts = settings.flatMap(({ at, text }) => (text !== null && isProjects(at) ? plain(text) : []));
	if (texts.length === 0) return env;
	return Object.fromEntries(
		Object.entries(env).filter(([, value]) => !texts.some((text) => text.includes(JSON.stringify(value ?? "")))),
	);
}

/** The project settings in the folders and above them; `text` is `null` where a file is there and can't be read. */
function settingsAround(folders: Folders): { at: string; path: string; text: string | null }[] {
	const [found, around]: [ReturnType<typeof settingsAround>, Set<string>] = [[], new Set()];
	for (const folder of absolute(folders))
		for (let at = folder; around.size < around.add(at).size; at = dirname(at))
			for (const path of existsSync(join(at, ".claude")) ? SETTINGS.map((name) => join(at, name)) : []) {
				// from a pipe, a folder or a device Claude Code takes nothing; its sandbox puts /dev/null there (measured on 2.1.332)
				if (!quietStat(path)?.isFile()) continue;
				const file = readBytes(path);
				if (file.state !== "absent") found.push({ at, path, text: file.state === "good" ? file.text : null });
			}
	return found;
}

const plain = (text: string): string =>
	text
		.replaceAll("\0", "")
		.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

const absolute = (folders: Folders) => [...new Set(folders)].filter((one) => isAbsolute(one ?? "")) as string[];
