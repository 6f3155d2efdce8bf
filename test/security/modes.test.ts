import { lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Transcript } from "../kit/events.ts";
import { LAUNCHER, listing, run, sandbox } from "../kit/sandbox.ts";

/** Runs as a person or Claude Code does whose umask takes nothing away. */
const OPEN = ["/bin/sh", "-c", 'umask 000; exec "$0" "$@"', LAUNCHER];

test("under umask 000 nothing that ccg writes is open to anybody else", async () => {
	const at = sandbox("modes");
	new Transcript(at.project).typed("Never push to main.").said("Done.").write(at.transcript);
	mkdirSync(join(at.home, ".claude"), { mode: 0o700 });
	mkdirSync(join(at.project, ".git"), { mode: 0o700 });
	writeFileSync(join(at.project, ".git", "HEAD"), "ref: refs/heads/main\n", { mode: 0o600 });
	mkdirSync(join(at.project, "out"), { mode: 0o700 });
	writeFileSync(join(at.home, "config.json"), "{}", { mode: 0o600 });
	const before = new Set([...listing(at.home, ""), ...listing(at.project, ""), at.home, at.project]);
	const ran = async (args: string[], input: object | string = "") => {
		const { code, err } = await run([...OPEN, ...args], { cwd: at.project, env: at.env, input });
		expect([args, code, err]).toEqual([args, 0, expect.any(String)]);
	};
	const fields = { session_id: at.sid, transcript_path: at.transcript, cwd: at.project };
	const hook = (name: string, more: object) => ran(["hook", name], { ...fields, ...more });

	await ran(["install", "--yes", "--mcp", "--skills", "--allow-memory"]);
	await hook("session-start", { hook_event_name: "SessionStart", source: "startup" });
	await hook("post-tool-batch", { hook_event_name: "PostToolBatch", tool_use_ids: ["toolu_1"] });
	await ran(["statusline"], {
		...fields,
		model: { id: "claude-sonnet-4-6" },
		context_window: { context_window_size: 200_000 },
	});
	await ran(["memory", "save", "a note"]);
	await ran(["--anyway", "memory", "save", "--global", "a note for all"]);
	await ran(["checkpoint", "save"]);
	await ran(["show", "latest", "--as", "json", "--session", at.sid, "--out", "out/deep/checkpoint.json"]);
	await ran(["show", "--as", "handoff", "--out", "out/handoff.md"]);
	await ran(["task", "ensure", "--goal", "a goal"]);
	await ran(["task", "checkpoint", "--did", "a step", "--next", "another"]);
	await ran(["task", "bundle"]);
	await ran(["index", "--rebuild"]);
	await ran(["gc"]);
	await hook("pre-compact", { hook_event_name: "PreCompact", trigger: "auto", custom_instructions: null });
	await hook("session-start", { hook_event_name: "SessionStart", source: "compact" });
	await hook("post-compact", { hook_event_name: "PostCompact", trigger: "auto", compact_summary: "A summary." });
	await hook("user-prompt-submit", { hook_event_name: "UserPromptSubmit", prompt: "go on" });
	await hook("pre-tool-use", {
		hook_event_name: "PreToolUse",
		tool_name: "Bash",
		tool_input: {},
		tool_use_id: "toolu_2",
	});
	for (const name of ["stop", "subagent-stop", "session-end"])
		await hook(name, { hook_event_name: name, reason: "exit" });

	const written = [...listing(at.home, ""), ...listing(at.project, "")].filter((path) => !before.has(path));
	for (const part of [
		"index.sqlite",
		"ccg.sqlite.copy",
		"settings.json",
		"recall.md",
		"agents",
		"receipt.json",
		"checkpoint.json",
		"handoff.md",
		"MEMORY.md",
	])
		expect(
			written.filter((path) => path.includes(part)),
			part,
		).not.toEqual([]);
	const open = written.filter((path) => {
		const stat = lstatSync(path);
		// Bun may be a link to the package's own file, which has its mode from there
		const others = stat.isFile() && stat.nlink > 1 ? 0o022 : 0o077;
		return !stat.isSymbolicLink() && (stat.mode & others) !== 0;
	});
	expect(open).toEqual([]);
	expect(readdirSync(join(at.project, "out"))).toHaveLength(2);
}, 120_000);
