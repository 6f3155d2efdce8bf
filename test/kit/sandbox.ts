import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeSandbox, type Sandbox, sessionFields } from "../../src/doctor/sandbox.ts";
import { tryOrUndefined } from "../../src/files/quietly.ts";
import { type ProcessResult, runProcess } from "../../src/install/run-process.ts";
import { scratch } from "../scratch-home.ts";

export type { ProcessResult as Ran, Sandbox };

export const REPO = resolve(import.meta.dirname, "../..");
/** The checkout whose launcher is run: this one, unless the same attacks are tried on another. */
export const TARGET = resolve(process.env.CCG_TEST_TARGET ?? REPO);
export const LAUNCHER = join(TARGET, "bin", "ccg");

/** A sandbox that is removed with the test file. */
export const sandbox = (name = "sandbox"): Sandbox => makeSandbox(scratch(name));

export type Run = Pick<ProcessResult, "code" | "out" | "err">;

export interface StartOptions {
	cwd: string;
	env: Record<string, string>;
	input?: string | Uint8Array | object;
	limitMs?: number;
}

/** Starts a program as Claude Code would, with nothing of this process's environment. */
export async function run(command: string[], { env, ...options }: StartOptions): Promise<Run> {
	const { code, out, err } = await runMeasured(command, {
		limitMs: 120_000,
		...options,
		env: { PATH: "/usr/bin:/bin", ...env },
	});
	return { code, out, err };
}

/** The same with what it cost; killed after `limitMs`. */
export function runMeasured(
	command: string[],
	{ cwd, env, input = "", limitMs = 30_000 }: StartOptions,
): Promise<ProcessResult> {
	const bytes = typeof input === "string" || input instanceof Uint8Array ? input : JSON.stringify(input);
	return runProcess(command, { cwd, env, input: bytes, timeLimitMs: limitMs });
}

/** `env` beside the sandbox's own. */
type HookOptions = Partial<Omit<StartOptions, "cwd">> & { cwd?: string | undefined };

/** A hook as Claude Code runs it: `fields` beside the ones every payload has. */
export function hook(
	at: Sandbox,
	name: string,
	fields: object = {},
	{ cwd = at.project, env = {}, ...more }: HookOptions = {},
): Promise<ProcessResult> {
	const input = { ...sessionFields(at), cwd, ...fields };
	return runMeasured([LAUNCHER, "hook", name], { cwd, env: { ...at.env, ...env }, input, ...more });
}

/** The command line, in the project's folder. */
export const ccg = (
	at: Sandbox,
	args: string[],
	{ cwd = at.project, env = {}, ...more }: HookOptions = {},
): Promise<ProcessResult> => runMeasured([LAUNCHER, ...args], { cwd, env: { ...at.env, ...env }, ...more });

/** Runs the jobs a few at a time: the machine has two cores. */
export async function inBatches<T>(jobs: (() => Promise<T>)[], size = 6): Promise<T[]> {
	const results: T[] = [];
	for (let i = 0; i < jobs.length; i += size)
		results.push(...(await Promise.all(jobs.slice(i, i + size).map((job) => job()))));
	return results;
}

/** Every path below `folder` but what lies in `except`, sorted. */
export function listing(folder: string, except: string): string[] {
	const paths: string[] = [];
	for (const entry of readdirSync(folder, { withFileTypes: true })) {
		const path = join(folder, entry.name);
		if (path === except) continue;
		paths.push(path);
		if (entry.isDirectory()) paths.push(...listing(path, except));
	}
	return paths.sort();
}

/** The lines of a text file; none when it is missing. */
export const linesOf = (path: string): string[] =>
	(tryOrUndefined(() => readFileSync(path, "utf8")) ?? "").split("\n").filter(Boolean);
