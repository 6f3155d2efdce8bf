/**
 * Records anew the sessions that `ccg demo` and `bench/fidelity.ts` play: drives the real Claude Code against the loopback API by
 * `recorded.json` and the planted facts, and keeps the lines that matter. Not a test; run it by hand:
 *
 *   CCG_TEST_CLAUDE=.cache/claude-code-2.1.329/node_modules/.bin/claude npx bun bench/fidelity/record.ts demo | fidelity
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { claudeSandbox } from "../../test/e2e/claude-sandbox.ts";
import { playFacts } from "../../test/e2e/planted-facts.ts";
import { says, turnsOf } from "../../test/e2e/replies.ts";
import { gitIn } from "../../test/kit/git.ts";
import RECORDED from "./recorded.json";

const { demo, summaries } = RECORDED;

async function playDemo() {
	const made = claudeSandbox(undefined, {
		install: null,
		env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "200000", CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" },
		summary: () => says(9_000, summaries.demo),
	});
	for (const folder of ["src", "test"]) mkdirSync(join(made.project, folder));
	writeFileSync(join(made.project, "README.md"), "# ledger\n");
	const person = ["config user.name Demo", "config user.email demo@example.invalid"];
	for (const line of ["init -q -b importer", ...person, "add -A", "commit -qm Start"])
		gitIn(made.project, made.home, line.split(" "));
	return { made, sid: await made.play(turnsOf(demo, () => made.project)) };
}

const KEPT = new Set(["user", "assistant", "system"]);
const DROPPED = ["stop_hook_summary", "turn_duration", "local_command"];

const isDemo = process.argv[2] !== "fidelity";
const { made, sid } = await (isDemo ? playDemo() : playFacts(summaries.fidelity));
// the lines that matter, with the scratch paths and the id replaced
const text = made
	.lines(sid)
	.filter((line) => KEPT.has(line.type) && !DROPPED.includes(line.subtype ?? "") && !line.isMeta)
	.map((line) => `${JSON.stringify(line)}\n`)
	.join("")
	.replaceAll(made.project, "{{PROJECT}}")
	.replaceAll(made.home, "{{HOME}}")
	.replaceAll(sid, "{{SESSION}}");
writeFileSync(resolve(import.meta.dirname, isDemo ? "../../demo" : ".", "session.jsonl"), text);
await made.close();
