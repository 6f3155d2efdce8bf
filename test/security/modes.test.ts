import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Transcript } from "../kit/events.ts";
import { LAUNCHER, listing, run, sandbox } from "../kit/sandbox.ts";
import EVENTS from "./events.json";

/** Runs as a person or Claude Code does whose umask takes nothing away. */
const OPEN = ["/bin/sh", "-c", 'umask 000; exec "$0" "$@"', LAUNCHER];

const STATUS = { model: { id: "claude-sonnet-4-6" }, context_window: { context_window_size: 200_000 } };
/** What is run in a session, in this order: commands, and hooks by their names in `events.json`. */
const STEPS = [
	"install --yes --mcp --skills --allow-memory",
	"@start startup",
	"@post-tool-batch",
	"statusline",
	"memory save a-note",
	"--anyway memory save --global a-note",
	"checkpoint save",
	"show latest --as json --session s-1 --out out/deep/checkpoint.json",
	"show --as handoff --out out/handoff.md",
	"task ensure --goal a-goal",
	"task checkpoint --did a-step --next another",
	"index --rebuild",
	"gc",
	..."@pre-compact, @start compact, @post-compact, @user-prompt-submit, @pre-tool-use, @stop, @session-end".split(", "),
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
	for (const step of STEPS) {
		const [name, more] = EVENTS[step.slice(1) as keyof typeof EVENTS] ?? ["", STATUS];
		const words = name ? ["hook", name as string] : step.split(" ");
		const input = { ...fields, ...(more as object) };
		const { code } = await run([...OPEN, ...words], { cwd: at.project, env: at.env, input });
		expect([step, code]).toEqual([step, 0]);
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
