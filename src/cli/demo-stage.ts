import { execFileSync } from "node:child_process";
import {
	appendFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Env } from "../store/paths.ts";

export interface Ran {
	out: string;
	ms: number;
}

/** A throw-away home with ccg installed by its own installer, and a project; what happens here happens nowhere else. */
export interface DemoStage {
	root: string;
	home: string;
	project: string;
	store: string;
	transcript: string;
	session: string;
	/** Runs every command registered for an event, as Claude Code would: through the shell, payload on stdin. */
	fire(event: string, payload: Record<string, unknown>): Promise<Ran>;
	statusLine(payload: Record<string, unknown>, columns: number): Promise<Ran>;
	ccg(...args: string[]): Ran;
	append(lines: string[]): void;
	close(): void;
}

const SESSION = "dec0de00-0000-4000-8000-000000000001";

export function demoStage(launcher: string, machine: Env): DemoStage {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "ccg-demo-")));
	const home = join(root, "home");
	const project = join(root, "ledger");
	const transcript = join(home, ".claude", "projects", "ledger", `${SESSION}.jsonl`);
	for (const folder of [join(home, ".claude", "projects", "ledger"), project]) mkdirSync(folder, { recursive: true });
	writeFileSync(transcript, "");
	// nothing of the caller's Claude Code gets in
	const env: Record<string, string> = {
		HOME: home,
		// a part that is relative would name programs of whatever folder this runs in
		PATH: (machine.PATH ?? "/usr/bin:/bin").split(":").filter(isAbsolute).join(":"),
		CLAUDE_CODE_AUTO_COMPACT_WINDOW: "200000",
	};
	if (machine.NO_COLOR) env.NO_COLOR = machine.NO_COLOR;
	const inSession = { ...env, CLAUDE_CODE_SESSION_ID: SESSION, CLAUDE_PROJECT_DIR: project };
	const base = { session_id: SESSION, transcript_path: transcript, cwd: project };
	const settings = () => JSON.parse(readFileSync(join(home, ".claude", "settings.json"), "utf8"));
	tryGit(project, env);
	return {
		root,
		home,
		project,
		store: join(home, ".claude-memory"),
		transcript,
		session: SESSION,
		async fire(event, payload) {
			const commands = (settings().hooks?.[event] ?? []).flatMap(
				(group: { hooks: { command: string }[] }) => group.hooks,
			);
			const runs = commands.map(({ command }: { command: string }) =>
				shell(command, { ...base, hook_event_name: event, ...payload }, inSession, project),
			);
			const done: Ran[] = await Promise.all(runs);
			return { out: done.map(({ out }) => out).join(""), ms: Math.max(0, ...done.map(({ ms }) => ms)) };
		},
		statusLine: (payload, columns) =>
			shell(
				settings().statusLine.command,
				{ ...base, ...payload },
				{ ...inSession, COLUMNS: String(columns) },
				project,
			),
		ccg(...args) {
			const start = performance.now();
			const out = execFileSync(launcher, args, {
				cwd: project,
				env,
				encoding: "utf8",
				stdio: ["ignore", "pipe", "pipe"],
			});
			return { out, ms: performance.now() - start };
		},
		append: (lines) => appendFileSync(transcript, lines.map((line) => `${line}\n`).join("")),
		close: () => rmSync(root, { recursive: true, force: true }),
	};
}

async function shell(command: string, payload: object, env: Record<string, string>, cwd: string): Promise<Ran> {
	const start = performance.now();
	const child = Bun.spawn(["/bin/sh", "-c", command], {
		cwd,
		env,
		stdin: new Blob([JSON.stringify(payload)]),
		stdout: "pipe",
		stderr: "ignore",
	});
	const out = await new Response(child.stdout).text();
	await child.exited;
	return { out, ms: performance.now() - start };
}

/** The project as the recording left it; without git the demo shows a workspace without git. */
function tryGit(project: string, env: Env): void {
	mkdirSync(join(project, "src"));
	writeFileSync(join(project, "README.md"), "# ledger\n");
	const git = (...args: string[]): void =>
		void execFileSync("git", ["-c", "user.name=Demo", "-c", "user.email=demo@example.invalid", ...args], {
			cwd: project,
			env: env as NodeJS.ProcessEnv,
			stdio: "ignore",
		});
	try {
		git("init", "-q", "-b", "importer");
		git("add", "-A");
		git("commit", "-qm", "Refuse broken lines");
		writeFileSync(join(project, "src", "import.mjs"), "// begun\n");
	} catch {
		if (!existsSync(join(project, "src", "import.mjs")))
			writeFileSync(join(project, "src", "import.mjs"), "// begun\n");
	}
}
