import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readText } from "../files/json-file.ts";
import { realPath } from "../files/real-path.ts";
import { commandsIn, settingsIn } from "../install/entries.ts";
import { type Ran, type RunOptions, runProcess } from "../install/run-process.ts";
import { appFolder, currentLink, stableLauncher } from "../store/app-folder.ts";
import { makeFolder } from "../store/atomic-write.ts";
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
	/** What a program gets that is started outside of the session. */
	machine: Record<string, string>;
	/** What a command gets that Claude Code runs. */
	env: Record<string, string>;
}

/** Makes the folders below `top`; `machine` is all that the sandbox's programs get besides its own home and session. */
export function makeSandbox(
	top: string,
	{ sid = "s-1", name = "project", machine = { PATH: "/usr/bin:/bin" } as Env } = {},
): Sandbox {
	const [home, project] = [join(top, "home"), join(top, name)];
	for (const folder of [home, project]) makeFolder(folder);
	const own = withoutUndefined({ ...machine, HOME: home });
	return {
		top,
		home,
		store: join(home, ".claude-memory"),
		project,
		transcript: join(top, "transcript.jsonl"),
		sid,
		machine: own,
		env: { ...own, ...sessionEnv({ sid, project }) },
	};
}

const withoutUndefined = (env: Env): Record<string, string> =>
	Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));

/** What Claude Code adds to the environment of what it runs. */
export const sessionEnv = ({ sid, project }: Pick<Sandbox, "sid" | "project">): Record<string, string> => ({
	CLAUDE_CODE_SESSION_ID: sid,
	CLAUDE_PROJECT_DIR: project,
});

/** What every payload of the session holds. */
export const sessionFields = ({ sid, transcript, project }: Pick<Sandbox, "sid" | "transcript" | "project">) => ({
	session_id: sid,
	transcript_path: transcript,
	cwd: project,
});

/** Has the ccg of a launcher lie in a sandbox's store, by a link: so that is the store it uses. Gives its launcher there. */
export function lieIn(store: string, launcher: string): string {
	const app = appFolder(store);
	makeFolder(app);
	symlinkSync(dirname(dirname(realPath(launcher))), currentLink(app));
	return stableLauncher(app);
}

/** Runs a registered command text as Claude Code does: through the shell, in the project, the payload on stdin. */
export const runRegistered = (
	command: string,
	{ project, env }: Pick<Sandbox, "project" | "env">,
	options: Partial<RunOptions> = {},
): Promise<Ran> => runProcess(["/bin/sh", "-c", command], { cwd: project, env, ...options });

/** The commands in a home's settings by hook event, in their order, and those under `statusLine`. */
export function registeredCommands(home: string): Record<string, string[]> {
	const settings = settingsIn(readFileSync(join(home, ".claude", "settings.json"), "utf8"));
	const commands: Record<string, string[]> = { statusLine: [] };
	for (const { event, command } of commandsIn(settings)) {
		const name = event ?? "statusLine";
		commands[name] = [...(commands[name] ?? []), command];
	}
	return commands;
}

/** Gives `act` a folder of its own, which is gone afterwards. What an interrupted process leaves is in the system's folder for that. */
export async function inScratchFolder<T>(name: string, act: (folder: string) => Promise<T>): Promise<T> {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), `${name}-${process.pid}-`)));
	try {
		return await act(folder);
	} finally {
		rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
	}
}

/**
 * Plays something in a sandbox of the doctor's, which is gone afterwards, in which the ccg of the launcher lies: with the user's environment,
 * settings and `config.json` (`root` is the real store), one memory note and the transcript.
 */
export const inScratch = <T>(
	{ env, root, launcher }: { env: Env; root: string | null; launcher: string },
	play: (sandbox: Sandbox & { launcher: string }) => Promise<T>,
	transcript: (session: Sandbox) => string,
): Promise<T> =>
	inScratchFolder("ccg-doctor", (folder) => {
		const write = (path: string, text: string) => writeFileSync(path, text, { mode: 0o600 });
		const made = makeSandbox(folder, { sid: `ccg-doctor-${process.pid}`, machine: env });
		const { store, project, home } = made;
		makeFolder(store);
		// a repository of its own: without one, a repository around the store (dotfiles in the home folder) would be used
		for (const part of ["objects", "refs/heads", "info"]) makeFolder(join(project, ".git", part));
		write(join(project, ".git", "HEAD"), "ref: refs/heads/main\n");
		const config = root && readText(configPath(root));
		if (config) write(configPath(store), config);
		write(join(store, "MEMORY.md"), "- a note of ccg doctor\n");
		write(made.transcript, transcript(made));
		// (a Bun that the launcher may take)
		if (env.HOME) symlinkSync(join(env.HOME, ".bun"), join(home, ".bun"));
		const own = { CLAUDE_CONFIG_DIR: claudeRoot(env) ?? "", CLAUDECODE: "1", CLAUDE_CODE_CHILD_SESSION: "1" };
		return play({ ...made, env: { ...made.env, ...own }, launcher: lieIn(store, launcher) });
	});
