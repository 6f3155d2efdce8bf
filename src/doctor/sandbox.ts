import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readText } from "../files/json-file.ts";
import { realPath } from "../files/real-path.ts";
import { listCommands, parseSettings } from "../install/entries.ts";
import { type ProcessResult, type RunOptions, runProcess } from "../install/run-process.ts";
import { appFolder, currentLinkPath, stableLauncherPath } from "../store/app-folder.ts";
import { makePrivateFolder } from "../store/atomic-write.ts";
import { claudeRoot, configPath, type Env } from "../store/paths.ts";

/** A throw-away home with a project and one session: what runs in it as Claude Code would run it touches nothing else. */
export interface Sandbox {
	sid: string;
	project: string;
	transcript: string;
	/** Everything lies below it. */
	top: string;
	home: string;
	store: string;
	/** The environment of a program that runs outside the session. */
	machineEnv: Record<string, string>;
	/** The environment of a command that Claude Code runs in the session. */
	env: Record<string, string>;
}

/** Makes a home and a project folder below `top`. `machine`: the environment of its programs, besides HOME and the session's variables. */
export function makeSandbox(
	top: string,
	{ sid = "s-1", name = "project", machine = { PATH: "/usr/bin:/bin" } as Env } = {},
): Sandbox {
	const [home, project, transcript] = [join(top, "home"), join(top, name), join(top, "transcript.jsonl")];
	for (const folder of [home, project]) makePrivateFolder(folder);
	const machineEnv = withoutUndefined({ ...machine, HOME: home });
	const env = { ...machineEnv, ...sessionEnv({ sid, project }) };
	return { top, home, store: join(home, ".claude-memory"), project, transcript, sid, machineEnv, env };
}

/** An environment without the names that have no value. */
const withoutUndefined = (env: Env): Record<string, string> =>
	Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));

/** The variables that Claude Code sets for the commands of a session. */
export function sessionEnv({ sid, project }: Pick<Sandbox, "sid" | "project">): Record<string, string> {
	return { CLAUDE_CODE_SESSION_ID: sid, CLAUDE_PROJECT_DIR: project };
}

/** The fields that the input of every hook of the session holds. */
export function sessionFields({ sid, transcript, project }: Pick<Sandbox, "sid" | "transcript" | "project">) {
	return { session_id: sid, transcript_path: transcript, cwd: project };
}

/** Links the installation of a launcher into a store, so that it uses this store. Gives the launcher's path there. */
export function linkInstallation(store: string, launcher: string): string {
	const app = appFolder(store);
	makePrivateFolder(app);
	symlinkSync(dirname(dirname(realPath(launcher))), currentLinkPath(app));
	return stableLauncherPath(app);
}

/** Runs a registered command text as Claude Code does: through the shell, in the project, the payload on stdin. */
export const runAsHook = (
	command: string,
	{ project, env }: Pick<Sandbox, "project" | "env">,
	options: Partial<RunOptions> = {},
): Promise<ProcessResult> => runProcess(["/bin/sh", "-c", command], { cwd: project, env, ...options });

/** The commands in a home's settings by hook event, in their order, and those under `statusLine`. */
export function registeredCommands(home: string): Record<string, string[]> {
	const settings = parseSettings(readFileSync(join(home, ".claude", "settings.json"), "utf8"));
	const commands: Record<string, string[]> = { statusLine: [] };
	for (const { event, command } of listCommands(settings)) {
		const name = event ?? "statusLine";
		commands[name] = [...(commands[name] ?? []), command];
	}
	return commands;
}

/** Calls `act` with a new temporary folder, which is deleted afterwards. */
export async function withTemporaryFolder<T>(name: string, act: (folder: string) => Promise<T>): Promise<T> {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), `${name}-${process.pid}-`)));
	try {
		return await act(folder);
	} finally {
		rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
	}
}

/**
 * Calls `act` with a sandbox that holds the launcher's ccg, the user's environment, settings and `config.json` (of the real store `root`), a note
 * and a transcript. The sandbox is deleted afterwards.
 */
export const withDoctorSandbox = <T>(
	{ env, root, launcher }: { env: Env; root: string | null; launcher: string },
	act: (sandbox: Sandbox & { launcher: string }) => Promise<T>,
	transcriptText: (sandbox: Sandbox) => string,
): Promise<T> =>
	withTemporaryFolder("ccg-doctor", (folder) => {
		const write = (path: string, text: string) => writeFileSync(path, text, { mode: 0o600 });
		const sandbox = makeSandbox(folder, { sid: `ccg-doctor-${process.pid}`, machine: env });
		const { store, project, home } = sandbox;
		makePrivateFolder(store);
		// a repository of its own: without one, a repository around the store (dotfiles in the home folder) would be used
		for (const part of ["objects", "refs/heads", "info"]) makePrivateFolder(join(project, ".git", part));
		write(join(project, ".git", "HEAD"), "ref: refs/heads/main\n");
		const config = root && readText(configPath(root));
		if (config) write(configPath(store), config);
		write(join(store, "MEMORY.md"), "- a note of ccg doctor\n");
		write(sandbox.transcript, transcriptText(sandbox));
		// (where the launcher may find Bun)
		if (env.HOME) symlinkSync(join(env.HOME, ".bun"), join(home, ".bun"));
		const claudeEnv = { CLAUDE_CONFIG_DIR: claudeRoot(env) ?? "", CLAUDECODE: "1", CLAUDE_CODE_CHILD_SESSION: "1" };
		return act({ ...sandbox, env: { ...sandbox.env, ...claudeEnv }, launcher: linkInstallation(store, launcher) });
	});
