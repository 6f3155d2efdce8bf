import { existsSync } from "node:fs";
import { join } from "node:path";
import { shellWord } from "../core/text/shell-word.ts";
import { isObject } from "../core/transcript/decode.ts";
import { quietly } from "../files/quietly.ts";
import { remoteName, remoteUrls } from "../git/remotes.ts";
import { repositoryOf } from "../git/repository.ts";
import { sha256 } from "../store/gate.ts";
import { type Log, valuesOf } from "./state.ts";

/** The id under which the notes for all projects are shared. */
export const ALL_PROJECTS = "0".repeat(32);

/** What a project is known by on every machine: never its path. */
export interface ProjectMarks {
	/** The first commit; of several the smallest hash. `null` where none is known for sure. */
	root: string | null;
	/** Without credentials, the same for every way to write them; sorted. */
	remotes: string[];
}

const TIME_MS = 20_000;

/** What the repository of a folder is known by. Runs `git rev-list`, which starts no program of the repository. */
export function marksOf(folder: string): ProjectMarks {
	const repository = repositoryOf(folder);
	if (!repository) return { root: null, remotes: [] };
	const { top, commonDir } = repository;
	const names = remoteUrls(commonDir).map(remoteName);
	const remotes = [...new Set(names.filter((name) => name !== null))].sort();
	// the first commit of a shallow clone is any one
	return { root: existsSync(join(commonDir, "shallow")) ? null : firstCommit(top), remotes };
}

function firstCommit(top: string): string | null {
	const words = [
		"--no-replace-objects",
		"--no-optional-locks",
		"-c",
		"core.fsmonitor=false",
		"rev-list",
		"--max-parents=0",
		"HEAD",
	];
	const env = {
		PATH: process.env.PATH ?? "",
		HOME: process.env.HOME ?? "",
		GIT_TERMINAL_PROMPT: "0",
		GIT_NO_LAZY_FETCH: "1",
	};
	const run = quietly(() => Bun.spawnSync(["git", ...words], { cwd: top, env, timeout: TIME_MS, stderr: "ignore" }));
	const hashes = run?.exitCode === 0 ? run.stdout.toString().split("\n") : [];
	return hashes.filter((hash) => /^[0-9a-f]{40,64}$/.test(hash)).sort()[0] ?? null;
}

/** What is typed to share by an address, as it is kept. */
export function typedAddress(address: string): string {
	const [, remote] = /^git-public:(.+)$/.exec(address) ?? [];
	if (remote === undefined) return shellWord(address);
	return `${shellWord(`git:${remote}`)} --public ${shellWord(remoteName(remote) ?? "")}`;
}

/** A project that members share, as one of them said it. */
export interface SharedProject extends ProjectMarks {
	id: string;
	name: string;
}

export const projectsIn = (log: Log): SharedProject[] =>
	valuesOf(log, "project:").flatMap(({ item, value, project }) => {
		const id = item.slice("project:".length);
		if (!isObject(value) || project !== id) return [];
		const remotes = Array.isArray(value.remotes) ? value.remotes.map(String) : [];
		return [{ id, name: String(value.name), root: typeof value.root === "string" ? value.root : null, remotes }];
	});

/** The ids of projects that a person names, by name or by id. Throws where one is none of the space's, or several. */
export const projectsNamed = (log: Log, named: readonly string[]): string[] =>
	named.map((one) => {
		const known = [...projectsIn(log), { id: ALL_PROJECTS, name: "global" }];
		const found = known.filter(({ id, name }) => id === one || name === one);
		if (found.length === 1) return found[0]!.id;
		const all = known.map(({ id, name }) => `\n  ${id}  ${name}`).join("");
		throw new Error(`${found.length === 0 ? "no project" : "several projects"} '${one}'; there are:${all}`);
	});

/** Whether two are surely one: the same first commit and a remote in common. */
const isSame = (a: ProjectMarks, b: ProjectMarks): boolean =>
	a.root !== null && a.root === b.root && a.remotes.some((one) => b.remotes.includes(one));

/** The id that a project has in the space: of one that is shared already, else made of what it is known by; `null` where that tells nothing. */
export function projectId(log: Log, marks: ProjectMarks): string | null {
	const known = projectsIn(log).filter((one) => isSame(one, marks));
	// two machines may have begun at once
	const [first] = known.map(({ id }) => id).sort();
	if (first) return first;
	if (marks.root === null || marks.remotes.length === 0) return null;
	return sha256(`ccg project ${log.space.id} ${marks.root} ${marks.remotes[0]}`).slice(0, 32);
}
