import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { makeSandbox, registeredCommands, sessionEnv } from "../../src/doctor/sandbox.ts";
import { runProcess } from "../../src/install/run-process.ts";
import { localTime } from "../../src/store/local-time.ts";
import { projectDataFolder } from "../../src/store/project.ts";
import { gitIn } from "../../test/kit/git.ts";

/** A scratch HOME in which ccg is installed, and three project folders. Everything lies below `folder`. */
export interface BenchSandbox {
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

/** Makes the fixture with the launcher of one installation. Throws with what the installer said when it fails. */
export async function benchSandbox(launcher: string, ...options: string[]): Promise<BenchSandbox> {
	const top = realpathSync(mkdtempSync(join(tmpdir(), "ccg-latency-")));
	// what is registered depends on the client's version
	const programs = join(top, "bin");
	mkdirSync(programs);
	writeFileSync(join(programs, "claude"), "#!/bin/sh\necho '2.1.332 (Claude Code)'\n", { mode: 0o755 });
	const machine = { PATH: `${programs}:${process.env.PATH ?? "/usr/bin:/bin"}`, LANG: "C.UTF-8" };
	const { home, store, project: work, machineEnv: env } = makeSandbox(top, { name: "work", machine });
	const [plain, remembered] = [join(top, "plain"), join(top, "remembered")];
	mkdirSync(join(home, ".claude", "projects", "bench"), { recursive: true });
	writeFiles(plain);
	for (const repository of [work, remembered]) makeRepository(repository, home);

	const install = await runProcess([launcher, "install", "--yes", ...options], { cwd: plain, env });
	if (install.code !== 0) throw new Error(`${launcher} install failed: ${install.err || install.out}`);
	remember(store, remembered);
	const commands = Object.entries(registeredCommands(home)).map(([event, [first]]) => [event, first]);
	const claude = { TERM: "xterm-256color", COLUMNS: "120", CLAUDECODE: "1", CLAUDE_CODE_ENTRYPOINT: "cli" };
	return {
		folder: top,
		launcher,
		home,
		root: store,
		work,
		plain,
		remembered,
		commands: Object.fromEntries(commands),
		env: (sid, project) => ({ ...env, ...claude, ...sessionEnv({ sid, project }) }),
		remove: () => rmSync(top, { recursive: true, force: true }),
	};
}

/** The same with a home of its own, as it is now: what hooks of other rows start beside themselves writes elsewhere. */
export function withOwnHome(sandbox: BenchSandbox, what: string): BenchSandbox {
	const home = `${sandbox.home}-${what.replaceAll(" ", "-")}`;
	cpSync(sandbox.home, home, { recursive: true, verbatimSymlinks: true });
	return {
		...sandbox,
		home,
		root: join(home, relative(sandbox.home, sandbox.root)),
		env: (sid, project) => ({ ...sandbox.env(sid, project), HOME: home }),
	};
}

function writeFiles(folder: string): void {
	for (let i = 0; i < 30; i++) {
		const path = join(folder, "src", `part-${i % 6}`);
		mkdirSync(path, { recursive: true });
		writeFileSync(join(path, `file-${i}.ts`), `export const value${i} = ${i};\n`.repeat(40));
	}
}

function makeRepository(folder: string, home: string): void {
	writeFiles(folder);
	const git = (...args: string[]): string => gitIn(folder, home, args);
	git("init", "-q", "-b", "main");
	for (const message of ["first", "second", "third", "fourth"]) {
		writeFileSync(join(folder, "CHANGES.md"), `${message}\n`);
		git("add", "-A");
		git("commit", "-q", "-m", `${message} change`);
	}
	for (let i = 0; i < 4; i++) writeFileSync(join(folder, "src", `part-${i}`, `file-${i}.ts`), "// changed\n");
	for (let i = 0; i < 2; i++) writeFileSync(join(folder, "src", `new-${i}.ts`), "// new\n");
}

function remember(root: string, project: string): void {
	const folder = projectDataFolder(root, project);
	mkdirSync(join(folder, "log"), { recursive: true });
	const note = (i: number): string =>
		`- note ${i}: the tests of part ${i % 6} run with npm test -- part-${i % 6}; its state is kept in src/part-${i % 6}`;
	writeFileSync(
		join(folder, "MEMORY.md"),
		`# ccg memory of this project\n\n${Array.from({ length: 40 }, (_, i) => note(i)).join("\n")}\n`,
	);
	for (let day = 0; day < 3; day++) {
		const name = localTime(new Date(Date.now() - day * 86_400_000)).day;
		const lines = Array.from({ length: 15 }, (_, i) => `- 1${i % 10}:0${i % 6} worked on part ${i % 6}, step ${i}`);
		writeFileSync(join(folder, "log", `${name}.md`), `# ccg log of ${name}\n\n${lines.join("\n")}\n`);
	}
}
