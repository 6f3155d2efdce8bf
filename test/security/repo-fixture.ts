/** What the attacks by a repository share: real git to make them with, and programs that leave a sign when something runs them. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Transcript } from "../kit/events.ts";
import { gitIn } from "../kit/git.ts";
import { ccg, hook, type Ran, type Sandbox, sandbox } from "../kit/sandbox.ts";
import { compact } from "./kit.ts";

export interface RepoSandbox extends Sandbox {
	/** A folder whose every entry is a sign that something ran. */
	signs: string;
	/** A program that leaves the sign `name` and then does `more`. */
	program(name: string, more?: string): string;
	write(path: string, text: string): void;
	git(...args: string[]): string;
	gitIn(cwd: string, ...args: string[]): string;
	ran(): string[];
}

export function repoSandbox(): RepoSandbox {
	const at = sandbox("repo");
	const signs = join(at.top, "signs");
	const programs = join(at.top, "programs");
	for (const folder of [signs, programs]) mkdirSync(folder);
	writeFileSync(at.transcript, new Transcript(at.project).typed("Never push to main.").usage(150_000).text());
	const git = (cwd: string, ...args: string[]): string => gitIn(cwd, at.top, args);
	return {
		...at,
		signs,
		gitIn: git,
		git: (...args) => git(at.project, ...args),
		program(name, more = "cat") {
			const path = join(programs, name);
			writeFileSync(path, `#!/bin/sh\n: >'${join(signs, name)}'\n${more}\n`);
			chmodSync(path, 0o755);
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
export function withRepository(at: RepoSandbox): void {
	at.git("init", "-q", "-b", "main");
	at.write("file.txt", "one\n");
	at.write("dir/other.txt", "two\n");
	at.git("add", "-A");
	at.git("commit", "-qm", "first");
	at.write("file.txt", "two\n");
}

/** The ways in by which a workspace is read. */
export const ENTRIES: Record<string, (at: RepoSandbox, cwd: string, env?: Record<string, string>) => Promise<Ran>> = {
	PreCompact: (at, cwd, env = {}) =>
		hook(at, "pre-compact", { hook_event_name: "PreCompact", trigger: "manual", cwd }, { env, limitMs: 20_000 }),
	"SessionStart without a PreCompact": (at, cwd, env = {}) =>
		hook(at, "session-start", { hook_event_name: "SessionStart", source: "compact", cwd }, { env, limitMs: 20_000 }),
	"ccg status --machine": (at, cwd, env = {}) => ccg(at, ["status", "--machine"], { cwd, env, limitMs: 20_000 }),
};

/** All that the summariser and the model are told in one compaction, and what is kept of it. */
export async function told(at: RepoSandbox): Promise<string> {
	const { steering, block } = await compact(at, "manual");
	return `${steering}\n${block}\n${keptIn(at)}`;
}

export function keptIn(at: Sandbox): string {
	const folder = join(at.store, "sessions", at.sid, "checkpoints");
	if (!existsSync(folder)) return "";
	return readdirSync(folder)
		.map((name) => readFileSync(join(folder, name), "utf8"))
		.join("");
}
