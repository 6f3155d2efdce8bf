import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mayChange } from "../../src/guard/judge.ts";
import { printedBy } from "../kit/process.ts";
import { hook, LAUNCHER, type Sandbox, sandbox } from "../kit/sandbox.ts";

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

/** The same whose project is a repository with these lines in its configuration. */
export function repository(config = ""): Sandbox {
	const at = stopped();
	git(at, at.project, "init", "-q");
	git(at, at.project, "add", ".");
	git(at, at.project, "commit", "-qm", "x");
	if (config) writeFileSync(join(at.project, ".git", "config"), config, { flag: "a" });
	return at;
}

/** Whether the guard holds a call back. */
export const isHeld = (at: Sandbox, tool_name: string, tool_input: object, cwd = at.project): boolean =>
	mayChange(
		{ session_id: at.sid, tool_name, tool_input: { ...tool_input }, cwd },
		{ root: at.store, env: at.env, launcher: LAUNCHER },
	);

export const isCommandHeld = (at: Sandbox, command: string, cwd?: string): boolean =>
	isHeld(at, "Bash", { command: command.replaceAll("@CCG@", LAUNCHER).replaceAll("@SID@", at.sid) }, cwd);

/** Whether PreToolUse denies the call, through the entry. */
export async function isDenied(at: Sandbox, tool_name: string, tool_input: object): Promise<boolean> {
	const { code, out, err } = await hook(at, "pre-tool-use", { hook_event_name: "PreToolUse", tool_name, tool_input });
	if (code !== 0 || err) throw new Error(`the hook ended ${code}: ${err}`);
	return out.includes('"permissionDecision":"deny"');
}

/** git in a folder of the sandbox, without anything of this machine's. */
export function git(at: Sandbox, cwd: string, ...args: string[]): void {
	const env = { ...at.env, GIT_CONFIG_NOSYSTEM: "1", GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b.c" };
	printedBy(["git", ...args], { cwd, env: { ...env, GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b.c" } });
}

const SIGNS: Record<string, string> = { "⏎": "\n", "␉": "\t", "␍": "\r", "␀": "\0", "␤": "\u2028" };

/** The commands of a corpus under their headings. */
export function corpus(name: string): Map<string, string[]> {
	const found = new Map<string, string[]>();
	const text = readFileSync(join(import.meta.dirname, name), "utf8");
	for (const part of text.split(/^# /m).slice(1)) {
		const [heading = "", ...lines] = part.split("\n");
		const signs = (line: string): string => line.replace(/[⏎␉␍␀␤]/g, (sign) => SIGNS[sign]!);
		found.set(heading, lines.filter(Boolean).map(signs));
	}
	return found;
}
