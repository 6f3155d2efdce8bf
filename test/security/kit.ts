/**
 * What the attacks in this folder share. They go through the entries that Claude Code and people use (`bin/ccg` with a payload
 * on stdin), so that the same attack can be tried on another checkout: `CCG_TEST_TARGET=<checkout>` names it, and
 * `scripts/security-table` compares two of them. Names of tests: `open: …` (with `test.fails`) is an attack that still works,
 * `harmless: …` is something that must go on working; every other test is an attack that must not work.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sessionFields } from "../../src/doctor/sandbox.ts";
import { tryOrUndefined } from "../../src/files/quietly.ts";
import { Transcript } from "../kit/events.ts";
import { printedBy } from "../kit/process.ts";
import { LAUNCHER, type Ran, runMeasured, type Sandbox, sandbox } from "../kit/sandbox.ts";
import { usage } from "../kit/usage.ts";
import ATTACKS from "./attacks.json";
import EVENTS from "./events.json";

/** A person at a terminal, outside of any session. */
export const PERSON = { CLAUDE_PROJECT_DIR: "", CLAUDE_CODE_SESSION_ID: "" };

/** A session in which the user said this. */
export function begun(words = "Never push to main."): Sandbox {
	const at = sandbox("attacked");
	new Transcript(at.project).typed(words).usage(150_000).write(at.transcript);
	return at;
}

/** The same in a repository with a file whose content git has to look at: same size, other time. */
export function begunInRepository(): Sandbox {
	const at = begun();
	const files = "mkdir dir; echo one >file.txt; echo two >dir/other.txt";
	plant(at, `git init -q -b main; ${files}; git add -A; git commit -qm first; echo two >file.txt`);
	return at;
}

/** Writes a file, with the folders above it. */
export function put(path: string, text: string): void {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
}

/** A session at critical pressure with the halt gate enforced: changes wait for a checkpoint. */
export function stopped(): Sandbox {
	const at = sandbox("guard");
	const measured = usage({ at: new Date().toISOString(), tokens: 150_000 });
	for (const [kind, value] of Object.entries({ halt: { at: measured.at }, pressure: measured }))
		put(join(at.store, "run", kind, at.sid), JSON.stringify(value));
	put(join(at.store, "config.json"), '{"guard":{"mode":"enforce"}}');
	return at;
}

/** The attacks of a group, each what an attacker would type in the project's folder. Those that need root are left out without. */
export const attacksOf = (group: AttackGroup | Record<string, string[]>): [name: string, script: string][] =>
	Object.entries<string[]>(typeof group === "string" ? ATTACKS[group] : group)
		.filter(([, lines]) => process.geteuid?.() === 0 || !/chown/.test(lines.join()))
		.map(([name, lines]) => [name, lines.join("\n")]);

export type AttackGroup = keyof typeof ATTACKS;

/** Runs such a script in the project's folder, with places and texts by name; gives what it prints. */
export function plant(at: Places, script: string, more: Record<string, string> = {}, cwd = at.project): string {
	const places = { TOP: at.top, HOME: at.home, STORE: at.store, PROJECT: at.project };
	return printedBy(["sh", "-euc", script], { cwd, env: { PATH: "/usr/bin:/bin", ...GIT, ...places, ...more } }).trim();
}

export type Places = Pick<Sandbox, "top" | "home" | "store" | "project">;

/** What real git needs to commit, and nothing of this machine's. */
const GIT = {
	...{ GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b.c", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b.c" },
	...{ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "protocol.file.allow", GIT_CONFIG_VALUE_0: "always" },
	GIT_CONFIG_GLOBAL: "/dev/null",
};

/** What a step of a session starts and is given: a hook or the status line by its name in `events.json`, or `ccg …`. */
export function stepOf(at: Sandbox, name: string, more: object = {}): { args: string[]; input: string } {
	if (name.startsWith("ccg ")) return { args: name.slice(4).split(" "), input: "" };
	const [line, fields] = EVENTS[name as keyof typeof EVENTS] as [string, object];
	return { args: line.split(" "), input: JSON.stringify({ ...sessionFields(at), ...fields, ...more }) };
}

/** Takes such steps one after the other, named with a comma between them; `more` is in each input beside the usual. */
export async function play(
	at: Sandbox,
	names: string,
	more: object = {},
	{ cwd = at.project, env = {}, limitMs = 30_000, program = [LAUNCHER] }: PlayOptions = {},
): Promise<Ran[]> {
	const outs: Ran[] = [];
	for (const name of names.split(", ")) {
		const { args, input } = stepOf(at, name, { cwd, ...more });
		outs.push(await runMeasured([...program, ...args], { cwd, env: { ...at.env, ...env }, input, limitMs }));
	}
	return outs;
}
interface PlayOptions {
	cwd?: string;
	env?: Record<string, string>;
	limitMs?: number;
	program?: string[];
}

/** PreCompact, then SessionStart(compact) and a call: what the summariser and the model are given. */
export async function compact(at: Sandbox, trigger = "auto"): Promise<{ steering: string; block: string }> {
	const [steering] = await play(at, "pre-compact", { trigger });
	const [start, later] = await play(at, "start compact, pre-tool-use");
	return { steering: steering!.out, block: `${contextOf(start!.out)}\n${contextOf(later!.out)}`.trim() };
}

/** The `additionalContext` of a hook's answer; `""` when it said nothing. */
export function contextOf(out: string): string {
	if (!out.trim()) return "";
	return JSON.parse(out).hookSpecificOutput?.additionalContext ?? "";
}

/** Every regular file below a folder with its text, links not followed. */
export function textsBelow(folder: string): { path: string; text: string }[] {
	const entries = tryOrUndefined(() => readdirSync(folder, { withFileTypes: true })) ?? [];
	return entries.flatMap((entry) => {
		const path = join(folder, entry.name);
		if (entry.isDirectory()) return textsBelow(path);
		return entry.isFile() ? [{ path, text: readFileSync(path, "utf8") }] : [];
	});
}
