/**
 * What the attacks in this folder share. They go through the entries that Claude Code and people use (`bin/ccg` with a payload
 * on stdin), so that the same attack can be tried on another checkout: `CCG_TEST_TARGET=<checkout>` names it, and
 * `scripts/security-table` compares two of them. Names of tests: `open: …` (with `test.fails`) is an attack that still works,
 * `harmless: …` is something that must go on working; every other test is an attack that must not work.
 */
import { type Dirent, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hook, type Sandbox, sandbox, TARGET } from "../kit/sandbox.ts";
import { usage } from "../kit/usage.ts";

/** A module of the target: `await load<typeof import("../../src/core/text/text.ts")>("src/core/text/text.ts")`. */
export const load = <T>(path: string): Promise<T> => import(join(TARGET, path));

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

/** PreCompact, then SessionStart(compact): what the summariser and the model are given. */
export async function compact(at: Sandbox, trigger = "auto"): Promise<{ steering: string; block: string }> {
	const steering = await hook(at, "pre-compact", { hook_event_name: "PreCompact", trigger, custom_instructions: null });
	const start = await hook(at, "session-start", { hook_event_name: "SessionStart", source: "compact" });
	const call = { hook_event_name: "PreToolUse", tool_name: "Read", tool_input: {}, tool_use_id: "toolu_later" };
	const later = await hook(at, "pre-tool-use", call);
	return { steering: steering.out, block: `${contextOf(start.out)}\n${contextOf(later.out)}`.trim() };
}

/** The `additionalContext` of a hook's answer; `""` when it said nothing. */
export function contextOf(out: string): string {
	if (!out.trim()) return "";
	return JSON.parse(out).hookSpecificOutput?.additionalContext ?? "";
}

/** Every regular file below a folder with its text, links not followed. */
export function textsBelow(folder: string): { path: string; text: string }[] {
	let entries: Dirent[];
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
