/**
 * What a workspace can hold to get into ccg's process, and every way in which ccg is started there. An attack works when
 * the planted code has written its canary.
 */
import { chmodSync, copyFileSync, cpSync, existsSync, globSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { makeSandbox, registeredCommands, sessionFields } from "../../src/doctor/sandbox.ts";
import { LAUNCHER, type Ran, runMeasured, type Sandbox, TARGET } from "../kit/sandbox.ts";
import { usage } from "../kit/usage.ts";
import { scratch } from "../scratch-home.ts";
import { type Places, plant, put } from "./kit.ts";

/** The project is `a/b/project` below the top, so that it has parents of its own. */
export interface LaunchPlace extends Sandbox, Trapped {
	parent: string;
	launcher: string;
	input: string;
}

/** Where planted code leaves its sign. */
interface Trapped {
	canary: string;
}

export function place({ launcher = LAUNCHER } = {}): LaunchPlace {
	const at = makeSandbox(scratch("launch"), { name: "a/b/project" });
	// every pre-check of a registered command finds something to do
	for (const kind of ["flush", "follow-up", "halt", "pressure"])
		put(join(at.store, "run", kind, "s-1"), JSON.stringify(usage({ at: new Date().toISOString() })));
	const input = JSON.stringify({
		...sessionFields(at),
		source: "startup",
		trigger: "auto",
		model: { id: "claude-sonnet-4-6" },
		context_window: { current_usage: { input_tokens: 9_000 } },
	});
	return { ...at, parent: join(at.top, "a", "b"), canary: join(at.top, "canary"), launcher, input };
}

export const caught = ({ canary }: Trapped): boolean => existsSync(canary);

/** Code that leaves the canary, for Bun and Node. */
export const evil = ({ canary }: Trapped): string =>
	`require("node:fs").appendFileSync(${JSON.stringify(canary)},"evil");\n`;

/** The same as a program, and written to a path. */
const evilProgram = ({ canary }: Trapped): string => `#!/bin/sh\necho "$0 $*" >>'${canary}'\n`;
export function putEvilProgram(at: Trapped, path: string): void {
	put(path, evilProgram(at));
	chmodSync(path, 0o755);
}

/** The launcher's scripts in a folder of their own, without Bun. */
export function bareLauncher(folder: string, names = ["ccg", "find-bun"]): string {
	mkdirSync(join(folder, "bin"), { recursive: true });
	for (const name of names) copyFileSync(join(TARGET, "bin", name), join(folder, "bin", name));
	chmodSync(join(folder, "bin", "ccg"), 0o755);
	return join(folder, "bin", "ccg");
}

/** A ccg without Bun, in a folder below the top, as a clone that was built is. Its launcher. */
export function bareClone({ top }: LaunchPlace, where = "bare"): string {
	const root = join(top, where);
	for (const file of ["dist/src/cli/main.js", "dist/hooks/post-tool-use.js"]) put(join(root, file), "");
	return bareLauncher(root);
}

/** Runs the script of an attack in a folder; gives the variables that it prints. */
export function plantIn(at: Trapped & Places, script: string, folder = at.project, more = {}): Record<string, string> {
	const texts = { EVIL: evil(at), EVIL_PROGRAM: evilProgram(at), ...more };
	const printed = plant(at, script, texts, folder);
	return Object.fromEntries(
		[...printed.matchAll(/(\w+)=(.*?)(?= [A-Z_]+=|$)/g)].map(([, name, value]) => [name!, value!]),
	);
}

const installed = new Map<string, ReturnType<typeof registeredCommands>>();

/** The commands that the target's own installer registers, read from the settings it writes. */
async function registered({ launcher }: LaunchPlace, isWrapped: boolean) {
	const key = `${launcher} ${isWrapped}`;
	if (installed.has(key)) return installed.get(key)!;
	const home = scratch("installed");
	const mine = isWrapped ? '{"statusLine":{"type":"command","command":"echo mine"}}' : "{}";
	put(join(home, ".claude/settings.json"), mine);
	const options = { cwd: home, env: { HOME: home, PATH: "/usr/bin:/bin" } };
	await runMeasured([launcher, "install", "--in-place", "--yes"], options);
	installed.set(key, registeredCommands(home));
	return registeredCommands(home);
}

type Start = { env?: object; cwd?: string; program?: string[] };

/** Starts the place's launcher, or another program, in its project. */
export const start = (
	at: LaunchPlace,
	args: string[],
	{ env = {}, cwd = at.project, program = [at.launcher] }: Start = {},
): Promise<Ran> => runMeasured([...program, ...args], { cwd, env: { ...at.env, ...env }, input: at.input });

/** Starts a registered command as Claude Code runs it, or `ccg …`, as `launch.json` names them. */
export async function enter(at: LaunchPlace, entry: string, how: Start = {}): Promise<Ran> {
	if (entry.startsWith("ccg ")) return start(at, entry.slice(4).split(" "), how);
	const name = entry.replace("wrapped ", "");
	const command = (await registered(at, entry !== name))[name]![0]!;
	return start(at, ["-c", command], { ...how, program: ["/bin/sh"] });
}

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
