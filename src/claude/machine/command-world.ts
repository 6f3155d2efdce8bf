import { existsSync, opendirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import type { ShellWorld } from "../../core/effect/command-effect.ts";
import type { GitProgram } from "../../core/effect/git-command.ts";
import { foldersUp } from "../../files/folders-up.ts";
import type { Env } from "../../store/paths.ts";
import { gitProgramsIn } from "./git-programs.ts";

const MAX_NAMES = 4_000;

/** What the halt gate asks of the disk about a command that begins in the folder. Runs nothing, follows no link out. */
export function worldAt(folder: string, launcher: string, env: Env): ShellWorld {
	const home = env.HOME ?? "/";
	const programs = new Map<string, ReadonlySet<GitProgram>>();
	const listed = new Map<string, string[] | null>();
	const workspace = realOf(env.CLAUDE_PROJECT_DIR ?? folder);
	return {
		folder,
		home,
		enter(from, word) {
			// a name alone may be looked for elsewhere
			if (word === "-" || word === "" || (env.CDPATH && !/^(?:\/|\.\.?(?:\/|$))/.test(word))) return null;
			const to = resolve(from, word);
			// behind a link the way up leads elsewhere for programs than for the shell
			const written = word.startsWith("/") ? word : `${from}/${word}`;
			return word.includes("..") && realOf(written) !== realOf(to) ? null : to;
		},
		names: (at) => kept(listed, at, namesIn),
		gitPrograms: (at) => kept(programs, at, (one) => gitProgramsIn(one, env)),
		isShadowed: (name, at) => inWorkspace(env, workspace, at).some((place) => existsSync(join(place, name))),
		above: (at, name) => textsAbove(at, name),
		isSet: (name) => env[name] !== undefined,
		isLauncher(name) {
			const found = agentPath(env)
				.split(":")
				.find((place) => isAbsolute(place) && existsSync(join(place, name)));
			return !found || realOf(join(found, name)) === realOf(launcher);
		},
	};
}

function kept<T>(all: Map<string, T>, key: string, make: (key: string) => T): T {
	if (!all.has(key)) all.set(key, make(key));
	return all.get(key)!;
}

/** The names in a folder that is read to its end; `[]` where there is none. */
function namesIn(folder: string): string[] | null {
	const names: string[] = [];
	try {
		const handle = opendirSync(folder);
		try {
			for (let entry = handle.readSync(); entry; entry = handle.readSync()) {
				names.push(entry.name);
				if (names.length > MAX_NAMES) return null;
			}
		} finally {
			handle.closeSync();
		}
	} catch (error) {
		return /^(?:ENOENT|ENOTDIR)$/.test((error as { code?: string }).code ?? "") ? [] : null;
	}
	return names;
}

/** PATH as the agent's shell has it. */
const agentPath = (env: Env): string => env.CCG_SHELL_PATH ?? env.PATH ?? "";

/**
 * Places of PATH that the workspace can fill: relative ones, and those that lie in it. Of the agent's PATH: the launcher takes
 * such places out of ccg's own and leaves it in `CCG_SHELL_PATH`.
 */
function inWorkspace(env: Env, workspace: string, folder: string): string[] {
	return agentPath(env)
		.split(":")
		.filter((place) => !isAbsolute(place) || `${realOf(place)}/`.startsWith(`${workspace}/`))
		.map((place) => resolve(folder, place));
}

function textsAbove(folder: string, name: string): string[] {
	const texts: string[] = [];
	for (const at of foldersUp(resolve(folder))) {
		const path = join(at, name);
		try {
			const stat = statSync(path);
			if (stat.isFile()) texts.push(stat.size > 1_000_000 ? MATCHES_ALL : readFileSync(path, "utf8"));
			else if (!stat.isDirectory()) texts.push(MATCHES_ALL);
		} catch {}
	}
	return texts;
}

/** In place of a text that is not read. */
const MATCHES_ALL = '"packageManager" yarnPath path';

const realOf = (path: string): string => {
	try {
		return realpathSync.native(path);
	} catch {
		return path;
	}
};
