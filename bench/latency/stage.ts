import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dayOf } from "../../src/store/memory/daily-log.ts";
import { projectFolder } from "../../src/store/project.ts";

/** A scratch HOME in which ccg is installed, and three project folders. Everything lies below `folder`. */
export interface Stage {
	folder: string;
	/** `bin/ccg` of the installation that is measured. */
	launcher: string;
	home: string;
	/** The store. */
	root: string;
	/** A small git repository with uncommitted changes. */
	work: string;
	/** The same files without git. */
	plain: string;
	/** A git repository whose project has 40 notes and three daily logs. */
	remembered: string;
	/** The command strings `ccg install` registered, by event, and `statusLine`. */
	commands: Record<string, string>;
	/** What Claude Code gives a hook of session `sid` in `project`. */
	env(sid: string, project: string): Record<string, string>;
	remove(): void;
}

/** Makes the stage with the launcher of one installation. Throws with what the installer said when it fails. */
export function makeStage(launcher: string): Stage {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "ccg-latency-")));
	const [home, work, plain, remembered] = ["home", "work", "plain", "remembered"].map((name) => join(folder, name)) as [
		string,
		string,
		string,
		string,
	];
	const root = join(home, ".claude-memory");
	const machine = { PATH: process.env.PATH ?? "/usr/bin:/bin", LANG: "C.UTF-8", HOME: home };
	mkdirSync(join(home, ".claude", "projects", "bench"), { recursive: true });
	writeFiles(plain);
	for (const repository of [work, remembered]) makeRepository(repository, machine);

	const install = spawnSync(launcher, ["install", "--yes"], { cwd: plain, env: machine, encoding: "utf8" });
	if (install.status !== 0) throw new Error(`${launcher} install failed: ${install.stderr || install.stdout}`);
	remember(root, remembered);
	return {
		folder,
		launcher,
		home,
		root,
		work,
		plain,
		remembered,
		commands: commandsOf(join(home, ".claude", "settings.json")),
		env: (sid, project) => ({
			...machine,
			TERM: "xterm-256color",
			COLUMNS: "120",
			CLAUDECODE: "1",
			CLAUDE_CODE_ENTRYPOINT: "cli",
			CLAUDE_CODE_SESSION_ID: sid,
			CLAUDE_PROJECT_DIR: project,
		}),
		remove: () => rmSync(folder, { recursive: true, force: true }),
	};
}

function commandsOf(settingsPath: string): Record<string, string> {
	const settings = JSON.parse(readFileSync(settingsPath, "utf8"));
	const commands: Record<string, string> = { statusLine: settings.statusLine.command };
	for (const [event, groups] of Object.entries(settings.hooks as Record<string, { hooks: { command: string }[] }[]>))
		commands[event] = groups[0]!.hooks[0]!.command;
	return commands;
}

function writeFiles(folder: string): void {
	for (let i = 0; i < 30; i++) {
		const path = join(folder, "src", `part-${i % 6}`);
		mkdirSync(path, { recursive: true });
		writeFileSync(join(path, `file-${i}.ts`), `export const value${i} = ${i};\n`.repeat(40));
	}
}

function makeRepository(folder: string, env: Record<string, string>): void {
	writeFiles(folder);
	const git = (...args: string[]): void => {
		const who = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid", "-c", "init.defaultBranch=main"];
		const run = spawnSync("git", [...who, ...args], { cwd: folder, env, encoding: "utf8" });
		if (run.status !== 0) throw new Error(`git ${args.join(" ")} failed: ${run.stderr || run.error}`);
	};
	git("init", "-q");
	for (const message of ["first", "second", "third", "fourth"]) {
		writeFileSync(join(folder, "CHANGES.md"), `${message}\n`);
		git("add", "-A");
		git("commit", "-q", "-m", `${message} change`);
	}
	for (let i = 0; i < 4; i++) writeFileSync(join(folder, "src", `part-${i}`, `file-${i}.ts`), "// changed\n");
	for (let i = 0; i < 2; i++) writeFileSync(join(folder, "src", `new-${i}.ts`), "// new\n");
}

function remember(root: string, project: string): void {
	const folder = projectFolder(root, project);
	mkdirSync(join(folder, "log"), { recursive: true });
	const note = (i: number): string =>
		`- note ${i}: the tests of part ${i % 6} run with npm test -- part-${i % 6}; its state is kept in src/part-${i % 6}`;
	writeFileSync(
		join(folder, "MEMORY.md"),
		`# ccg memory of this project\n\n${Array.from({ length: 40 }, (_, i) => note(i)).join("\n")}\n`,
	);
	for (let day = 0; day < 3; day++) {
		const name = dayOf(new Date(Date.now() - day * 86_400_000));
		const lines = Array.from({ length: 15 }, (_, i) => `- 1${i % 10}:0${i % 6} worked on part ${i % 6}, step ${i}`);
		writeFileSync(join(folder, "log", `${name}.md`), `# ccg log of ${name}\n\n${lines.join("\n")}\n`);
	}
}
