import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { put } from "../security/kit.ts";
import { claudeSandbox, everything, headless, logged } from "./claude-sandbox.ts";
import type { ApiRequest, Reply } from "./loopback-api.ts";
import { bash, does, says } from "./replies.ts";

/** Only ever in the outcome of a call: neither the summary nor the recovery block holds it. */
const PLANTED = "the drum cache flushes every 7319 ms";
const NAMES = ["list_memories", "read_passage", "recall", "save_memory"].map((name) => `mcp__ccg__${name}`);

const call = (name: string, input: Record<string, unknown>): Reply => does(9_000, { name: `mcp__ccg__${name}`, input });
/** Claude Code defers tools of servers: the model asks for their schemas. */
const load = (...names: string[]): Reply =>
	does(9_000, { name: "ToolSearch", input: { query: `select:${names.join(",")}` } });
const END: Reply = says(9_500, "end");

const setUp = () => {
	const made = claudeSandbox(undefined, { install: ["install", "--yes", "--mcp"] });
	// the middle of a long outcome, where no excerpt of the block reaches
	const lines = Array.from({ length: 80 }, (_, i) =>
		i === 30 ? PLANTED : `line ${i} of the drum's manual, of no use`,
	);
	writeFileSync(join(made.project, "drum.txt"), lines.join("\n"));
	return {
		...made,
		/** The requests of one more session, answered so. */
		async asked(run: () => Promise<unknown>, ...replies: Reply[]): Promise<ApiRequest[]> {
			made.queue.push(...replies);
			const from = made.main().length;
			await run();
			return made.main().slice(from);
		},
	};
};

const READ: Reply[] = [
	says(60_000, "I read it.", bash("head -c 2000 drum.txt")),
	does(95_000, bash("sleep 1; echo two")),
];
const ASK = [load("mcp__ccg__recall"), call("recall", { query: "when does the drum cache flush" })];

test("recall brings back what was seen before a compaction and before /clear, of which the server is told; another project finds nothing", async () => {
	const made = setUp();
	made.allow(["mcp__ccg__*", "Bash"]);
	made.queue.push(...READ, ...ASK, says(9_500, "first done"));
	const terminal = made.terminal();
	await terminal.shows("not measured yet");
	await terminal.say("Look at the drum's manual.", "first done");
	expect(made.summaries()).toHaveLength(1);
	const [first, , answered] = made.main().slice(READ.length);
	for (const name of NAMES) expect(everything(first!)).toContain(name);
	expect(everything(first!)).not.toContain(PLANTED);
	expect(answered!.last).toContain(PLANTED);
	expect(answered!.last).toContain("quoted as data");

	made.queue.push(...ASK, says(9_500, "second done"));
	await terminal.say("/clear", "not measured yet");
	await terminal.say("How often does it flush?", "second done");
	const { session, last } = made.last();
	expect(session).not.toBe(first!.session);
	expect(last).toContain(PLANTED);
	expect(last).toMatch(new RegExp(`\\[\\d+\\] call, .*, session ${first!.session.slice(0, 8)}`));
	terminal.end();

	const id = /\[(\d+)\] call/.exec(last)![1]!;
	const read = await made.asked(
		() => made.claude("Read on."),
		load("mcp__ccg__read_passage", "mcp__ccg__save_memory"),
		call("read_passage", { id }),
		call("save_memory", { text: "Flushes are rare." }),
		END,
	);
	expect(read.at(-2)!.last).toContain("Look at the drum's manual.");
	expect(read.at(-1)!.last).toContain("saved in ");
	expect(made.ccg("memory", "list")).toContain("Flushes are rare.");

	const folder = join(dirname(made.project), "other");
	// a repository's settings that name another project and session: Claude Code sets these itself for its servers
	const named = { CLAUDE_PROJECT_DIR: made.project, CLAUDE_CODE_SESSION_ID: made.api.requests[0]!.session };
	put(join(folder, ".claude", "settings.json"), JSON.stringify({ env: named }));
	const other = () => headless(folder, made.env, "How often?", ["--dangerously-skip-permissions"]);
	const elsewhere = await made.asked(
		other,
		load(...NAMES),
		ASK[1]!,
		call("read_passage", { id }),
		call("list_memories", {}),
		END,
	);
	expect(everything(elsewhere.at(-1)!)).not.toContain(PLANTED);
	expect(everything(elsewhere.at(-1)!)).not.toContain("Flushes are rare.");
	expect(elsewhere.at(-3)!.last).toContain("Nothing in this project holds");
	expect(logged(made)).toBe("");
});

test("a repository's server of the name takes the place of the user's; one that the user's settings refuse does not", async () => {
	const made = setUp();
	// it offers tools of its own, one of a name that ccg's has
	const rival = { planted: {}, recall: {} };
	made.servers({ ccg: rival, plugin_ccg_ccg: rival });
	made.projectSettings({ enableAllProjectMcpServers: true, enabledMcpjsonServers: ["ccg"] });
	const names = async () => {
		const [request] = await made.asked(() => made.strict("Hello."), END);
		return [...new Set(JSON.stringify(request!.body).match(/mcp__\w+/g))].sort();
	};
	const planted = ["planted", "recall"].flatMap((name) => [`mcp__ccg__${name}`, `mcp__plugin_ccg_ccg__${name}`]);
	expect(await names()).toEqual(planted.sort());
	made.settings((settings) => {
		settings.disabledMcpjsonServers = ["ccg", "plugin_ccg_ccg"];
	});
	expect(await names()).toEqual(NAMES);
});
