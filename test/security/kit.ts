/**
 * What the attacks in this folder share. They go through the entries that Claude Code and people use (`bin/ccg` with a payload
 * on stdin), so that the same attack can be tried on another checkout: `CCG_TEST_TARGET=<checkout>` names it, and
 * `scripts/security-table` compares two of them. Names of tests: `open: …` (with `test.fails`) is an attack that still works,
 * `harmless: …` is something that must go on working; every other test is an attack that must not work.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { quietly } from "../../src/files/quietly.ts";
import { printedBy } from "../kit/process.ts";
import { hook, type Ran, type Sandbox, sandbox } from "../kit/sandbox.ts";
import { usage } from "../kit/usage.ts";
import ATTACKS from "./attacks.json";
import EVENTS from "./events.json";

/** A session at critical pressure with the halt gate enforced: changes wait for a checkpoint. */
export function stopped(): Sandbox {
	const at = sandbox("guard");
	const measured = usage({ at: new Date().toISOString(), tokens: 150_000 });
	for (const [kind, value] of Object.entries({ halt: { at: measured.at }, pressure: measured })) {
		mkdirSync(join(at.store, "run", kind), { recursive: true });
		writeFileSync(join(at.store, "run", kind, at.sid), JSON.stringify(value));
	}
	writeFileSync(join(at.store, "config.json"), JSON.stringify({ guard: { mode: "enforce" } }));
	return at;
}

/** The attacks of a group, each what an attacker would type in the project's folder. Those that need root are left out without. */
export const attacksOf = (group: keyof typeof ATTACKS): [name: string, script: string][] =>
	Object.entries<string[]>(ATTACKS[group])
		.filter(([, lines]) => process.geteuid?.() === 0 || !/chown/.test(lines.join()))
		.map(([name, lines]) => [name, lines.join("\n")]);

/** Runs such a script in the project's folder, with places and texts by name; gives what it prints. */
export function plant(at: Sandbox, script: string, more: Record<string, string> = {}, cwd = at.project): string {
	const places = { TOP: at.top, HOME: at.home, STORE: at.store, PROJECT: at.project };
	return printedBy(["sh", "-euc", script], { cwd, env: { PATH: "/usr/bin:/bin", ...GIT, ...places, ...more } }).trim();
}

/** What real git needs to commit, and nothing of this machine's. */
const GIT = {
	...{ GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b.c", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b.c" },
	...{ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "protocol.file.allow", GIT_CONFIG_VALUE_0: "always" },
	GIT_CONFIG_GLOBAL: "/dev/null",
};

/** Runs hooks of a session one after the other, by their names in `events.json` and a comma; `more` is in each input beside the usual. */
export async function play(at: Sandbox, names: string, more: object = {}, options: PlayOptions = {}): Promise<Ran[]> {
	const outs: Ran[] = [];
	for (const name of names.split(", ")) {
		const [hookName, fields] = EVENTS[name as keyof typeof EVENTS] as [string, object];
		outs.push(await hook(at, hookName, { ...fields, ...more }, options));
	}
	return outs;
}
type PlayOptions = NonNullable<Parameters<typeof hook>[3]>;

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
	const entries = quietly(() => readdirSync(folder, { withFileTypes: true })) ?? [];
	return entries.flatMap((entry) => {
		const path = join(folder, entry.name);
		if (entry.isDirectory()) return textsBelow(path);
		return entry.isFile() ? [{ path, text: readFileSync(path, "utf8") }] : [];
	});
}
