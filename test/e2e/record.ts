/**
 * Records anew the sessions that `ccg demo` and `bench/fidelity.ts` play: drives the real Claude Code against the loopback API and keeps
 * the lines that matter. What the user, the model and the summariser say is what the recording of before holds; of the planted
 * facts, whose background agent answers on its own, the summaries. Not a test; run it by hand:
 *
 *   CCG_TEST_CLAUDE=.cache/claude-code-2.1.329/node_modules/.bin/claude npx bun test/e2e/record.ts demo | fidelity
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gitIn } from "../kit/git.ts";
import { type ClaudeSandbox, claudeSandbox } from "./claude-sandbox.ts";
import type { Reply, ScriptedCall } from "./loopback-api.ts";
import { playFacts } from "./planted-facts.ts";

interface Line {
	type: string;
	subtype?: string;
	isMeta?: boolean;
	isCompactSummary?: boolean;
	message: { id?: string; content: string | Block[]; usage?: { input_tokens: number } };
}
interface Block extends ScriptedCall {
	type: string;
	text: string;
}

const linesOf = (text: string): Line[] =>
	text
		.split("\n")
		.filter(Boolean)
		.map((line) => JSON.parse(line));

const saidIn = (lines: Line[], isSummary: boolean): string[] =>
	lines.flatMap(({ type, message, isCompactSummary = false }) =>
		type === "user" && isCompactSummary === isSummary && typeof message.content === "string" ? [message.content] : [],
	);

/** The answers of the model: a line of the recording holds one part of one. */
function repliesIn(lines: Line[]): Reply[] {
	const replies = new Map<string | undefined, Reply & { tools: ScriptedCall[] }>();
	for (const { type, message } of lines) {
		if (type !== "assistant") continue;
		const reply = replies.get(message.id) ?? { tools: [], tokens: message.usage!.input_tokens };
		replies.set(message.id, reply);
		for (const { type, text, name, input } of message.content as Block[])
			if (type === "text") reply.text = text;
			else if (type === "tool_use") reply.tools.push({ name, input });
	}
	return [...replies.values()];
}

/** As the summariser gave it: without the words that Claude Code puts around it. */
const summaryIn = (lines: Line[]): string => {
	const [, summary] = /\nSummary:\n([\s\S]*?)\n\n(?:Continue the conversation|If you need)/.exec(
		saidIn(lines, true)[0]!,
	)!;
	return `<analysis>a</analysis>\n<summary>\n${summary}\n</summary>`;
};

async function playDemo(recording: string) {
	const made = claudeSandbox(undefined, {
		install: null,
		env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "200000", CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" },
		summary: () => ({ text: summaryIn(lines), tokens: 9_000 }),
	});
	const lines = linesOf(recording.replaceAll("{{PROJECT}}", made.project));
	for (const folder of ["src", "test"]) mkdirSync(join(made.project, folder));
	writeFileSync(join(made.project, "README.md"), "# ledger\n");
	for (const line of [
		"init -q -b importer",
		"config user.name Demo",
		"config user.email demo@example.invalid",
		"add -A",
		"commit -qm Start",
	])
		gitIn(made.project, made.home, line.split(" "));

	made.queue.push(...repliesIn(lines));
	return { made, sid: await made.play(saidIn(lines, false).map((prompt) => ({ prompt }))) };
}

const KEPT = new Set(["user", "assistant", "system"]);
const DROPPED = ["stop_hook_summary", "turn_duration", "local_command"];

/** A session's transcript as a fixture: the lines that matter, with the scratch paths and the id replaced. */
const recorded = (made: ClaudeSandbox, sid: string): string =>
	(made.lines(sid) as Line[])
		.filter((line) => KEPT.has(line.type) && !DROPPED.includes(line.subtype ?? "") && !line.isMeta)
		.map((line) => `${JSON.stringify(line)}\n`)
		.join("")
		.replaceAll(made.project, "{{PROJECT}}")
		.replaceAll(made.home, "{{HOME}}")
		.replaceAll(sid, "{{SESSION}}");

const name = process.argv[2] === "fidelity" ? "fidelity" : "demo";
const path = resolve(
	import.meta.dirname,
	{ demo: "../../demo", fidelity: "../../bench/fidelity" }[name],
	"session.jsonl",
);
const before = readFileSync(path, "utf8");
const { made, sid } = await (name === "demo" ? playDemo(before) : playFacts(summaryIn(linesOf(before))));
writeFileSync(path, recorded(made, sid));
await made.close();
