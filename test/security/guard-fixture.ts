import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { printedBy } from "../kit/process.ts";
import { hook, type Sandbox, sandbox } from "../kit/sandbox.ts";

/** A session at critical pressure with the halt gate enforced: changes wait for a checkpoint. */
export function stopped(): Sandbox {
	const at = sandbox("guard");
	mkdirSync(join(at.store, "run", "halt"), { recursive: true });
	writeFileSync(join(at.store, "config.json"), JSON.stringify({ guard: { mode: "enforce" } }));
	const marker = { version: 1, at: new Date().toISOString(), tokens: 150_000, limit: 167_000, critical: 0.85 };
	writeFileSync(join(at.store, "run", "halt", at.sid), JSON.stringify(marker));
	for (const name of ["a.txt", "b.txt", "README.md"]) writeFileSync(join(at.project, name), "one\ntwo\n");
	mkdirSync(join(at.project, "src"));
	writeFileSync(join(at.project, "src", "a.ts"), "export const a = 1;\n");
	return at;
}

/** Whether PreToolUse denies the call, through the entry. */
export async function isHeld(at: Sandbox, tool_name: string, tool_input: object, cwd = at.project): Promise<boolean> {
	const { code, out, err } = await hook(
		at,
		"pre-tool-use",
		{ hook_event_name: "PreToolUse", tool_name, tool_input },
		{ cwd },
	);
	if (code !== 0 || err) throw new Error(`the hook ended ${code}: ${err}`);
	return out.includes('"permissionDecision":"deny"');
}

export const isCommandHeld = (at: Sandbox, command: string, cwd?: string): Promise<boolean> =>
	isHeld(at, "Bash", { command, description: "x" }, cwd);

/** git in a folder of the sandbox, without anything of this machine's. */
export function git(at: Sandbox, cwd: string, ...args: string[]): void {
	const env = { ...at.env, GIT_CONFIG_NOSYSTEM: "1", GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b.c" };
	printedBy(["git", ...args], { cwd, env: { ...env, GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b.c" } });
}
