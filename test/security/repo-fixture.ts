/** What the attacks by a repository share: real git to make them with, and programs that leave a sign when something runs them. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Transcript } from "../kit/events.ts";
import { gitIn } from "../kit/git.ts";
import { type Sandbox, sandbox } from "../kit/sandbox.ts";
import { compact, plant, textsBelow } from "./kit.ts";

export interface RepoSandbox extends Sandbox {
	/** A program that leaves the sign `name` and then does `more`. */
	program(name: string, more?: string): string;
	write(path: string, text: string): void;
	git(...args: string[]): string;
	gitIn(cwd: string, ...args: string[]): string;
	/** The signs of programs that ran. */
	ran(): string[];
}

export function repoSandbox(): RepoSandbox {
	const at = sandbox("repo");
	const signs = join(at.top, "signs");
	const programs = join(at.top, "programs");
	for (const folder of [signs, programs]) mkdirSync(folder);
	new Transcript(at.project).typed("Never push to main.").usage(150_000).write(at.transcript);
	const git = (cwd: string, ...args: string[]): string => gitIn(cwd, at.top, args);
	return {
		...at,
		gitIn: git,
		git: (...args) => git(at.project, ...args),
		program(name, more = "cat") {
			const path = join(programs, name);
			writeFileSync(path, `#!/bin/sh\n: >'${join(signs, name)}'\n${more}\n`, { mode: 0o755 });
			return path;
		},
		write(path, text) {
			const full = path.startsWith("/") ? path : join(at.project, path);
			mkdirSync(dirname(full), { recursive: true });
			writeFileSync(full, text);
		},
		ran: () => readdirSync(signs),
	};
}

/** A repository with a file whose content git has to look at: same size, other time. */
export const withRepository = (at: RepoSandbox): unknown =>
	plant(
		at,
		"git init -q -b main; mkdir dir; echo one >file.txt; echo two >dir/other.txt; git add -A; git commit -qm first; echo two >file.txt",
	);

/** All that the summariser and the model are told in one compaction, and what is kept of it. */
export async function told(at: RepoSandbox): Promise<string> {
	const { steering, block } = await compact(at, "manual");
	const kept = textsBelow(join(at.store, "sessions", at.sid, "checkpoints")).map(({ text }) => text);
	return [steering, block, ...kept].join("\n");
}
