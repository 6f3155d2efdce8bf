/**
 * What survives a compaction, with and without ccg. Replays transcripts that hold real compactions: for each, the registered
 * commands run as Claude Code runs them (PreCompact, SessionStart, PostCompact, the first tool call, the next prompt), in a
 * scratch home with ccg installed by its own installer; then the summary alone and the summary with what was injected
 * are searched for what the user said and what the agent needed next.
 *
 *   npx bun bench/fidelity.ts [--data FOLDER] [--json] [--check]
 *
 * Without --data: the project's own recordings. --check ends 1 when anything the user said, or a needed file, did not arrive.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Case, loadCases, score } from "./fidelity/cases.ts";

const { values } = parseArgs({
	options: { data: { type: "string" }, json: { type: "boolean" }, check: { type: "boolean" } },
});
const NEVER_LOST = ["directives", "messages", "files"] as const;
/** Paths are put back to the length they had, which the budget did not see. */
const MAX_CHARS = 9_500;
const root = realpathSync(mkdtempSync(join(tmpdir(), "ccg-fidelity-")));
const home = join(root, "home");
const launcher = resolve(import.meta.dirname, "../bin/ccg");
mkdirSync(home);

try {
	execFileSync(launcher, ["install", "--yes", "--claude-version", "2.1.329"], {
		env: { HOME: home, PATH: process.env.PATH },
		stdio: "ignore",
	});
	const settings = JSON.parse(readFileSync(join(home, ".claude", "settings.json"), "utf8"));
	const folders = values.data
		? [values.data]
		: ["../demo", "fidelity"].map((name) => resolve(import.meta.dirname, name));
	const cases = folders.flatMap(loadCases);
	const rows = { native: [] as Scores[], "with ccg": [] as Scores[] };
	const later: Scores[] = [];
	const chars: number[] = [];
	for (const one of cases) {
		const given = replay(one, settings);
		chars.push(given.length);
		rows.native.push(score(one, one.summary));
		rows["with ccg"].push(score(one, `${one.summary}\n${given}`));
		if (one.nth > 1) later.push(rows["with ccg"].at(-1)!);
	}
	chars.sort((a, b) => a - b);
	const result = {
		compactions: cases.length,
		native: rates(rows.native),
		"with ccg": rates(rows["with ccg"]),
		...(later.length ? { "with ccg, second and later": rates(later) } : {}),
		givenChars: { median: chars[Math.floor(chars.length / 2)] ?? 0, max: chars.at(-1) ?? 0 },
	};
	console.log(values.json ? JSON.stringify(result, null, 2) : table(result));
	const whole = rows["with ccg"].every((one) => NEVER_LOST.every((name) => one[name][0] === one[name][1]));
	if (values.check && (!whole || chars.at(-1)! > MAX_CHARS)) {
		console.error(
			`something the user said or a needed file did not arrive, or more than ${MAX_CHARS} characters were given`,
		);
		process.exitCode = 1;
	}
} finally {
	rmSync(root, { recursive: true, force: true });
}

type Scores = ReturnType<typeof score>;

function replay(one: Case, settings: { hooks: Record<string, { hooks: { command: string }[] }[]> }): string {
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
				const out = execFileSync("/bin/sh", ["-c", command], { cwd: project, env, input, encoding: "utf8" });
				return out.startsWith("{") ? JSON.parse(out).hookSpecificOutput.additionalContext : "";
			})
			.join("");
	fire("PreCompact", { trigger: one.trigger, custom_instructions: null });
	const given = [fire("SessionStart", { source: "compact" })];
	appendFileSync(
		transcript,
		one.after
			.slice(0, 12)
			.map((line) => `${here(line)}\n`)
			.join(""),
	);
	fire("PostCompact", { trigger: one.trigger, compact_summary: here(one.summary) });
	if (one.firstTool)
		given.push(fire("PreToolUse", { tool_name: one.firstTool, tool_input: {}, tool_use_id: "toolu_fidelity" }));
	given.push(fire("UserPromptSubmit", { prompt: "continue" }));
	return given.filter(Boolean).join("\n").replaceAll(project, one.cwd);
}

function rates(scores: Scores[]): Record<string, string> {
	const names = ["directives", "messages", "files", "identifiers"] as const;
	return Object.fromEntries(
		names.map((name) => {
			const found = scores.reduce((sum, one) => sum + one[name][0], 0);
			const all = scores.reduce((sum, one) => sum + one[name][1], 0);
			return [name, all ? `${(found / all).toFixed(3)} of ${all}` : "none"];
		}),
	);
}

// biome-ignore lint/suspicious/noExplicitAny: rows and figures side by side
function table(result: Record<string, any>): string {
	const lines = [
		`${result.compactions} compactions; given: median ${result.givenChars.median}, at most ${result.givenChars.max} characters`,
	];
	for (const [name, row] of Object.entries(result))
		if (row.directives)
			lines.push(
				`${name.padEnd(28)}${Object.entries(row)
					.map(([key, value]) => `${key} ${value}`.padEnd(24))
					.join("")}`,
			);
	return lines.join("\n");
}
