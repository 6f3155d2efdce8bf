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
const ASK = [load("mcp__ccg__recall"), call("recall", { query: "when does the drum cache flush" }), END];

test("after a compaction recall brings back what was seen before it; another session reads around it, another project finds nothing", async () => {
	const made = setUp();
	const { asked } = made;
	const main = await asked(() => made.claude("Look at the drum's manual."), ...READ, ...ASK);
	expect(made.summaries()).toHaveLength(1);
	const [first, , answered] = main.slice(READ.length);
	for (const name of NAMES) expect(everything(first!)).toContain(name);
	expect(everything(first!)).not.toContain(PLANTED);
	expect(answered!.last).toContain(PLANTED);
	expect(answered!.last).toContain("quoted as data");
	expect(logged(made)).toBe("");

	const found = (requests: ApiRequest[]) => requests.at(-1)!.last;
	const here = await asked(() => made.claude("How often does it flush?"), ...ASK);
	expect(found(here)).toContain(PLANTED);
	expect(found(here)).toMatch(/\[\d+\] call, .*, session [0-9a-f]{8}/);

	const id = /\[(\d+)\] call/.exec(found(here))![1]!;
	const read = await asked(
		() => made.claude("Read on."),
		load("mcp__ccg__read_passage", "mcp__ccg__save_memory"),
		call("read_passage", { id }),
		call("save_memory", { text: "Flushes are rare." }),
		END,
	);
	expect(read.at(-2)!.last).toContain("Look at the drum's manual.");
	expect(found(read)).toContain("saved in ");
	expect(made.ccg("memory", "list")).toContain("Flushes are rare.");

	const folder = join(dirname(made.project), "other");
	// a repository's settings that name another project and session: Claude Code sets these itself for its servers
	const named = { CLAUDE_PROJECT_DIR: made.project, CLAUDE_CODE_SESSION_ID: made.api.requests[0]!.session };
	put(join(folder, ".claude", "settings.json"), JSON.stringify({ env: named }));
	const other = () => headless(folder, made.env, "How often?", ["--dangerously-skip-permissions"]);
	const elsewhere = await asked(
		other,
		load(...NAMES),
		call("recall", { query: "when does the drum cache flush" }),
		call("read_passage", { id }),
		call("list_memories", {}),
		END,
	);
	expect(everything(elsewhere.at(-1)!)).not.toContain(PLANTED);
	expect(everything(elsewhere.at(-1)!)).not.toContain("Flushes are rare.");
	expect(elsewhere.at(-3)!.last).toContain("Nothing in this project holds");
});

test("after /clear the server, which goes on, is told of the new session", async () => {
	const made = setUp();
	made.allow(["mcp__ccg__*", "Bash"]);
	made.queue.push(...READ, says(96_000, "first done"), ...ASK.slice(0, -1), says(9_000, "second done"));
	const terminal = made.terminal();
	await terminal.shows("not measured yet");
	await terminal.say("Look at the drum's manual.", "first done");
	await terminal.say("/clear", "not measured yet");
	await terminal.say("When does it flush?", "second done");
	const { session, last } = made.last();
	const first = made.api.requests[0]!.session;
	expect(session).not.toBe(first);
	expect(last).toContain(PLANTED);
	expect(last).toContain(`session ${first.slice(0, 8)}`);
	terminal.end();
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
