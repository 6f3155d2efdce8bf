import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Transcript } from "../kit/events.ts";
import { LAUNCHER, listing, run, sandbox } from "../kit/sandbox.ts";

/** Runs as a person or Claude Code does whose umask takes nothing away. */
const OPEN = ["/bin/sh", "-c", 'umask 000; exec "$0" "$@"', LAUNCHER];

/** What is run in a session, in this order: a command, or a hook with what its input holds. */
const STEPS: [string, object?][] = [
	["install --yes --mcp --skills --allow-memory"],
	["hook session-start", { hook_event_name: "SessionStart", source: "startup" }],
	["hook post-tool-batch", { hook_event_name: "PostToolBatch", tool_use_ids: ["toolu_1"] }],
	["statusline", { model: { id: "claude-sonnet-4-6" }, context_window: { context_window_size: 200_000 } }],
	["memory save a-note"],
	["--anyway memory save --global a-note"],
	["checkpoint save"],
	["show latest --as json --session s-1 --out out/deep/checkpoint.json"],
	["show --as handoff --out out/handoff.md"],
	["task ensure --goal a-goal"],
	["task checkpoint --did a-step --next another"],
	["index --rebuild"],
	["gc"],
	["hook pre-compact", { hook_event_name: "PreCompact", trigger: "auto", custom_instructions: null }],
	["hook session-start", { hook_event_name: "SessionStart", source: "compact" }],
	["hook post-compact", { hook_event_name: "PostCompact", trigger: "auto", compact_summary: "A summary." }],
	["hook user-prompt-submit", { hook_event_name: "UserPromptSubmit", prompt: "go on" }],
	["hook pre-tool-use", { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: {}, tool_use_id: "toolu_2" }],
	["hook stop", { hook_event_name: "Stop" }],
	["hook session-end", { hook_event_name: "SessionEnd", reason: "exit" }],
];
const WRITES = "index.sqlite ccg.sqlite.copy settings.json recall.md receipt.json checkpoint.json handoff.md MEMORY.md";

test("under umask 000 nothing that ccg writes is open to anybody else", async () => {
	const at = sandbox("modes");
	new Transcript(at.project).typed("Never push to main.").said("Done.").write(at.transcript);
	for (const folder of [join(at.home, ".claude"), join(at.project, ".git"), join(at.project, "out")])
		mkdirSync(folder, { mode: 0o700 });
	writeFileSync(join(at.project, ".git", "HEAD"), "ref: refs/heads/main\n", { mode: 0o600 });
	const all = (): string[] => [at.home, at.project].flatMap((folder) => listing(folder, ""));
	const before = new Set(all());
	const fields = { session_id: at.sid, transcript_path: at.transcript, cwd: at.project };
	for (const [line, more] of STEPS) {
		const input = more ? { ...fields, ...more } : "";
		const { code } = await run([...OPEN, ...line.split(" ")], { cwd: at.project, env: at.env, input });
		expect([line, code]).toEqual([line, 0]);
	}
	const written = all().filter((path) => !before.has(path));
	for (const part of WRITES.split(" ")) expect(written.join("\n")).toContain(part);
	const open = written.filter((path) => {
		const stat = lstatSync(path);
		// Bun may be a link to the package's own file, which has its mode from there
		const others = stat.isFile() && stat.nlink > 1 ? 0o022 : 0o077;
		return !stat.isSymbolicLink() && (stat.mode & others) !== 0;
	});
	expect(open).toEqual([]);
}, 120_000);
