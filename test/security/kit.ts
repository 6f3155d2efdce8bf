/**
 * What the attacks in this folder share. They go through the doors that Claude Code and people use (`bin/ccg` with a payload
 * on stdin), so that the same attack can be tried on another checkout: `CCG_TEST_TARGET=<checkout>` names it, and
 * `scripts/security-table` compares two of them. Names of tests: `open: …` (with `test.fails`) is an attack that still works,
 * `harmless: …` is something that must go on working; every other test is an attack that must not work.
 */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { scratch } from "../scratch-home.ts";

export const TARGET = resolve(process.env.CCG_TEST_TARGET ?? join(import.meta.dirname, "../.."));
export const LAUNCHER = join(TARGET, "bin", "ccg");

/** A module of the target: `await load<typeof import("../../src/core/text/text.ts")>("src/core/text/text.ts")`. */
export const load = <T>(path: string): Promise<T> => import(join(TARGET, path));

/** One session in one project, in a scratch home. */
export interface Stage {
	top: string;
	home: string;
	store: string;
	project: string;
	transcript: string;
	sid: string;
	/** What the process gets and nothing else. */
	env: Record<string, string>;
}

export function stage(name = "security"): Stage {
	const top = scratch(name);
	const home = join(top, "home");
	const project = join(top, "project");
	for (const folder of [home, project]) mkdirSync(folder, { recursive: true });
	return {
		top,
		home,
		project,
		store: join(home, ".claude-memory"),
		transcript: join(top, "transcript.jsonl"),
		sid: "s-1",
		env: { HOME: home, PATH: "/usr/bin:/bin", CLAUDE_PROJECT_DIR: project, CLAUDE_CODE_SESSION_ID: "s-1" },
	};
}

export interface Outcome {
	code: number | null;
	out: string;
	err: string;
	/** Wall time. */
	ms: number;
	/** Largest resident memory of the process, in MB. */
	peakMb: number;
	timedOut: boolean;
}

/** Runs a program with nothing of this process's environment; killed after `limitMs`. */
export async function run(
	command: string[],
	{
		cwd,
		env,
		input = "",
		limitMs = 30_000,
	}: { cwd: string; env: Record<string, string>; input?: string | object; limitMs?: number },
): Promise<Outcome> {
	const start = performance.now();
	const child = Bun.spawn(command, {
		cwd,
		env,
		stdin: Buffer.from(typeof input === "string" ? input : JSON.stringify(input)),
		stdout: "pipe",
		stderr: "pipe",
	});
	let timedOut = false;
	const clock = setTimeout(() => {
		timedOut = true;
		child.kill("SIGKILL");
	}, limitMs);
	const [out, err, code] = await Promise.all([
		new Response(child.stdout).text(),
		new Response(child.stderr).text(),
		child.exited,
	]);
	clearTimeout(clock);
	const rss = child.resourceUsage()?.maxRSS ?? 0;
	// Bun tells bytes, older versions kilobytes
	const peakMb = rss > 50_000_000 ? rss / 1024 ** 2 : rss / 1024;
	return { code, out, err, ms: performance.now() - start, peakMb, timedOut };
}

/** A hook as Claude Code runs it: `fields` beside the ones every payload has. */
export function hook(
	at: Stage,
	name: string,
	fields: object = {},
	{
		cwd = at.project,
		env = {},
		limitMs,
	}: { cwd?: string | undefined; env?: Record<string, string>; limitMs?: number } = {},
): Promise<Outcome> {
	const input = { session_id: at.sid, transcript_path: at.transcript, cwd, ...fields };
	return run([LAUNCHER, "hook", name], { cwd, env: { ...at.env, ...env }, input, ...(limitMs ? { limitMs } : {}) });
}

/** The command line, in the project's folder. */
export function ccg(
	at: Stage,
	args: string[],
	{
		cwd = at.project,
		env = {},
		input = "",
		limitMs,
	}: { cwd?: string | undefined; env?: Record<string, string>; input?: string; limitMs?: number } = {},
): Promise<Outcome> {
	return run([LAUNCHER, ...args], { cwd, env: { ...at.env, ...env }, input, ...(limitMs ? { limitMs } : {}) });
}

/** PreCompact, then SessionStart(compact): what the summariser and the model are given. */
export async function compact(at: Stage, trigger = "auto"): Promise<{ steering: string; block: string }> {
	const steering = await hook(at, "pre-compact", { hook_event_name: "PreCompact", trigger, custom_instructions: null });
	const start = await hook(at, "session-start", { hook_event_name: "SessionStart", source: "compact" });
	return { steering: steering.out, block: contextOf(start.out) };
}

/** The `additionalContext` of a hook's answer; `""` when it said nothing. */
export function contextOf(out: string): string {
	if (!out.trim()) return "";
	return JSON.parse(out).hookSpecificOutput?.additionalContext ?? "";
}

/** Every regular file below a folder with its text, links not followed. */
export function textsBelow(folder: string): { path: string; text: string }[] {
	let entries: import("node:fs").Dirent[];
	try {
		entries = readdirSync(folder, { withFileTypes: true });
	} catch {
		return [];
	}
	return entries.flatMap((entry) => {
		const path = join(folder, entry.name);
		if (entry.isDirectory()) return textsBelow(path);
		return entry.isFile() ? [{ path, text: readFileSync(path, "utf8") }] : [];
	});
}
