import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { printedBy } from "../../test/kit/process.ts";
import type { FidelityCase } from "./cases.ts";

const HERE = resolve(import.meta.dirname, "../..");

/** What ccg answered, by the event; steering apart, all of it reached the model. */
export type Answers = Record<"steering" | "block" | "call" | "prompt", string>;

/** A compaction to be played. */
export type Compaction = Pick<FidelityCase, "name" | "lines" | "after" | "summary" | "trigger" | "cwd" | "firstTool">;

/** What was injected, as one text. */
export const injected = ({ block, call, prompt }: Answers): string => [block, call, prompt].filter(Boolean).join("\n");

/**
 * Gives what plays a compaction through the registered commands as Claude Code runs them, with ccg installed by its own installer
 * in a scratch home below `root`. `tree` is the checkout that it comes from. `then` runs ccg's commands in the same session.
 */
export function replayer(root: string, tree = HERE): (one: Compaction, then?: (ccg: Ccg) => void) => Answers {
	const home = join(root, "home");
	mkdirSync(home);
	printedBy([join(tree, "bin/ccg"), "install", "--yes"], {
		env: { HOME: home, PATH: process.env.PATH },
	});
	const settings = JSON.parse(readFileSync(join(home, ".claude", "settings.json"), "utf8"));
	return (one, then) => replay(one, { root, home, settings }, then);
}

/** Runs `ccg` with these words; gives what it prints. */
export type Ccg = (words: string[], options?: { input?: string; columns?: number }) => string;

interface Place {
	root: string;
	home: string;
	settings: { hooks: Record<string, { hooks: { command: string }[] }[]> };
}

function replay(one: Compaction, { root, home, settings }: Place, then?: (ccg: Ccg) => void): Answers {
	const project = join(root, "project");
	const transcript = join(root, `${one.name}.jsonl`);
	rmSync(project, { recursive: true, force: true });
	mkdirSync(project);
	const here = (text: string) => (one.cwd.length > 3 ? text.replaceAll(one.cwd, project) : text);
	writeFileSync(transcript, one.lines.map((line) => `${here(line)}\n`).join(""));
	const session = one.name.replace(/[^A-Za-z0-9_-]/g, "-").slice(0, 64);
	const env = { HOME: home, PATH: process.env.PATH, CLAUDE_CODE_SESSION_ID: session, CLAUDE_PROJECT_DIR: project };
	const fire = (event: string, fields: object): string =>
		(settings.hooks[event] ?? [])
			.flatMap(({ hooks }) => hooks)
			.map(({ command }) => {
				const input = JSON.stringify({
					session_id: session,
					transcript_path: transcript,
					cwd: project,
					hook_event_name: event,
					...fields,
				});
				const out = printedBy(["/bin/sh", "-c", command], { cwd: project, env, input });
				return out.startsWith("{") ? (JSON.parse(out).hookSpecificOutput?.additionalContext ?? "") : out;
			})
			.join("");
	const back = (text: string) => text.replaceAll(project, one.cwd);
	const steering = fire("PreCompact", { trigger: one.trigger, custom_instructions: null });
	const block = fire("SessionStart", { source: "compact" });
	appendFileSync(
		transcript,
		one.after
			.slice(0, 12)
			.map((line) => `${here(line)}\n`)
			.join(""),
	);
	const call = one.firstTool
		? fire("PreToolUse", { tool_name: one.firstTool, tool_input: {}, tool_use_id: "toolu_fidelity" })
		: "";
	const prompt = fire("UserPromptSubmit", { prompt: "continue" });
	then?.((words, { input, columns = 100 } = {}) =>
		printedBy([join(HERE, "bin/ccg"), ...words], {
			cwd: project,
			env: { ...env, COLUMNS: String(columns) },
			...(input !== undefined && { input: here(input) }),
		}),
	);
	return { steering: back(steering), block: back(block), call: back(call), prompt: back(prompt) };
}
