/**
 * What a workspace can hold to get into ccg's process, and every way in which ccg is started there. An attack works when
 * the planted code has written its canary.
 */
import { chmodSync, copyFileSync, cpSync, existsSync, globSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeSandbox, registeredCommands, sessionFields } from "../../src/doctor/sandbox.ts";
import { LAUNCHER, type Ran, runMeasured, type Sandbox, TARGET } from "../kit/sandbox.ts";
import { usage } from "../kit/usage.ts";
import { scratch } from "../scratch-home.ts";
import { plant } from "./kit.ts";

/** The project is `a/b/project` below the top, so that it has parents of its own. */
export interface LaunchPlace extends Sandbox {
	parent: string;
	canary: string;
	launcher: string;
	input: string;
}

export function place({ launcher = LAUNCHER, name = "launch" } = {}): LaunchPlace {
	const at = makeSandbox(scratch(name), { name: "a/b/project" });
	const { top, store } = at;
	// every pre-check of a registered command finds something to do
	for (const kind of ["flush", "follow-up", "halt", "pressure"]) {
		mkdirSync(join(store, "run", kind), { recursive: true });
		writeFileSync(join(store, "run", kind, "s-1"), JSON.stringify(usage({ at: new Date().toISOString() })));
	}
	const input = JSON.stringify({
		...sessionFields(at),
		source: "startup",
		trigger: "auto",
		model: { id: "claude-sonnet-4-6" },
		context_window: { current_usage: { input_tokens: 9_000 } },
	});
	return { ...at, parent: join(top, "a", "b"), canary: join(top, "canary"), launcher, input };
}

export const caught = ({ canary }: LaunchPlace): boolean => existsSync(canary);

/** Code that leaves the canary, for Bun and Node. */
export const evil = ({ canary }: LaunchPlace): string =>
	`require("node:fs").appendFileSync(${JSON.stringify(canary)},"evil");\n`;

/** The same as a program, and written to a path. */
const evilProgram = ({ canary }: LaunchPlace): string => `#!/bin/sh\necho "$0 $*" >>'${canary}'\n`;
export function putEvilProgram(at: LaunchPlace, path: string): void {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, evilProgram(at), { mode: 0o755 });
}

/** The launcher's scripts in a folder of their own, without Bun. */
export function bareLauncher(folder: string, names = ["ccg", "find-bun"]): string {
	mkdirSync(join(folder, "bin"), { recursive: true });
	for (const name of names) copyFileSync(join(TARGET, "bin", name), join(folder, "bin", name));
	chmodSync(join(folder, "bin", "ccg"), 0o755);
	return join(folder, "bin", "ccg");
}

/** Runs the script of an attack in a folder; gives the variables that it prints. */
export function plantIn(at: LaunchPlace, script: string, folder = at.project): Record<string, string> {
	const texts = { EVIL: evil(at), EVIL_PROGRAM: evilProgram(at) };
	const printed = plant(at, script, texts, folder);
	return Object.fromEntries(
		[...printed.matchAll(/(\w+)=(.*?)(?= [A-Z_]+=|$)/g)].map(([, name, value]) => [name!, value!]),
	);
}

/** How an entry is started; `shell` runs a registered command string. */
export interface LaunchEntry {
	name: string;
	start(at: LaunchPlace, more?: { env?: Record<string, string>; cwd?: string; shell?: string }): Promise<Ran>;
}

type Commands = Record<string, string[]>;
const installed = new Map<string, Commands>();

/** The commands that the target's own installer registers, read from the settings it writes. */
async function registered({ launcher }: LaunchPlace, wrap: boolean): Promise<Commands> {
	const key = `${launcher} ${wrap}`;
	const known = installed.get(key);
	if (known) return known;
	const home = scratch("installed");
	const path = join(home, ".claude", "settings.json");
	mkdirSync(dirname(path));
	if (wrap) writeFileSync(path, '{"statusLine":{"type":"command","command":"echo mine"}}');
	await runMeasured([launcher, "install", "--in-place", "--yes", "--claude-version", "2.1.332"], {
		cwd: home,
		env: { HOME: home, PATH: "/usr/bin:/bin" },
	});
	const commands = registeredCommands(home);
	installed.set(key, commands);
	return commands;
}

const HOOKS = "SessionStart PreToolUse UserPromptSubmit PostToolBatch Stop PreCompact PostCompact".split(" ");

function byShell(name: string, commandOf: (commands: Commands) => string, wrap = false): LaunchEntry {
	return {
		name,
		async start(at, { env = {}, cwd = at.project, shell = "/bin/sh" } = {}) {
			const command = commandOf(await registered(at, wrap));
			return runMeasured([shell, "-c", command], { cwd, env: { ...at.env, ...env }, input: at.input });
		},
	};
}

/** The registered commands as Claude Code runs them, and a wrapped status line. */
export const REGISTERED: LaunchEntry[] = [
	...HOOKS.map((event) => byShell(event, (commands) => commands[event]![0]!)),
	byShell("status line", ({ statusLine }) => statusLine![0]!),
	byShell("wrapped status line", ({ statusLine }) => statusLine![0]!, true),
];

/** Starts the place's launcher, or another program, in its project. */
export const start = (
	at: LaunchPlace,
	args: string[],
	{ env = {}, cwd = at.project, program = [at.launcher] }: { env?: object; cwd?: string; program?: string[] } = {},
): Promise<Ran> => runMeasured([...program, ...args], { cwd, env: { ...at.env, ...env }, input: at.input });

const command = (...args: string[]): LaunchEntry => ({
	name: `ccg ${args.join(" ")}`,
	start: (at, more) => start(at, args, more),
});

/** Commands of each bundle; none changes anything outside of the place's home. */
export const COMMANDS: LaunchEntry[] = [
	command("--help"),
	command("status"),
	command("memory", "save", "a note"),
	command("show"),
	command("install", "--dry-run"),
	command("status", "--machine"),
];
/** One of each kind. */
export const KINDS: LaunchEntry[] = [
	...REGISTERED.filter(({ name }) => /^(SessionStart|PreToolUse|.*status line)$/.test(name)),
	COMMANDS[1]!,
];

/** The launcher of a copy that the target's installer makes, and the program it starts. */
export async function compiledCopy(): Promise<{ launcher: string; program: string }> {
	const home = scratch("copied");
	await runMeasured([LAUNCHER, "install", "--yes"], { cwd: home, env: { HOME: home, PATH: "/usr/bin:/bin" } });
	const folder = join(home, ".claude-memory", "app", "current");
	return { launcher: join(folder, "bin", "ccg"), program: globSync(join(folder, "compiled", "*", "ccg"))[0]! };
}

/** The target without its bundles, as a clone before its first build, and without Bun. Its launcher. */
export function fromSource({ modules = true } = {}): string {
	const clone = scratch("clone");
	for (const name of ["hooks", "statusline", "src", "skills"])
		cpSync(join(TARGET, name), join(clone, name), { recursive: true });
	for (const name of ["package.json", "tsconfig.json"]) copyFileSync(join(TARGET, name), join(clone, name));
	if (modules) symlinkSync(join(TARGET, "node_modules"), join(clone, "node_modules"));
	return bareLauncher(clone, ["ccg"]);
}
