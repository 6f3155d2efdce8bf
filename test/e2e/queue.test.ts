import { expect, test } from "vitest";
import { claudeSandbox, everything, holding, logged } from "./claude-sandbox.ts";
import { queuePlugin } from "./plugin-sandbox.ts";
import { agent, bash, does, says } from "./replies.ts";

const ASKED = "mcp__ccg-queue__queue_compaction";

test("a compaction that the agent or the user asks for comes at the turn's end; not behind Esc, nor beside a subagent that runs", async () => {
	let isAskedByAgent = false;
	// the subagent alone knows nothing of the ledger
	const made = claudeSandbox(({ all }) => {
		if (all.includes("ledger")) return undefined;
		if (isAskedByAgent) return { ...says(1_000, "I looked."), delayMs: 6_000 };
		isAskedByAgent = true;
		return does(1_000, { name: ASKED, input: { focus: "for an agent" } });
	});
	made.allow(["Bash", "TaskStop", ASKED]);
	const terminal = made.terminal("--permission-mode", "default", "--plugin-dir", queuePlugin());
	await terminal.shows("not measured yet");
	const summaries = async (count: number) => {
		for (let i = 0; i < 100 && made.summaries().length < count; i++) await Bun.sleep(100);
		expect(made.summaries()).toHaveLength(count);
	};

	made.queue.push(does(20_000, { name: ASKED, input: { focus: "the seven columns" } }), says(21_000, "It is queued."));
	await terminal.say("Write a parser for the ledger.", "It is queued.");
	await summaries(1);
	expect(made.summaries()[0]!.last).toContain("the seven columns");
	expect(made.summaries()[0]!.last).toContain("Write a parser for the ledger.");
	await terminal.shows("1 compaction");
	made.queue.push(does(9_000, bash("sleep 3")), says(9_100, "The second is done."));
	terminal.send("Wait a little.");
	await terminal.shows(/sleep|shell command/);
	expect(everything(made.last())).toContain("## Request at hand");
	await terminal.say("/ccg-compact the tests", "compacts at the end of this turn");
	await summaries(2);
	expect(made.summaries()[1]!.last).toContain("the tests");
	await terminal.shows("2 compactions");
	await terminal.say("/ccg-compact idle", "no turn runs, so type: /compact idle");

	made.queue.push(does(9_000, bash("sleep 20")));
	terminal.send("Wait long.");
	await Bun.sleep(2_000);
	await terminal.say("/ccg-compact stopped", "compacts at the end of this turn");
	terminal.press("Escape");
	await terminal.shows("not compacted: the turn was stopped; type: /compact stopped");

	made.queue.push(
		does(9_000, agent("look", { run_in_background: true }), { name: ASKED, input: { focus: "beside" } }),
		says(9_100, "It looks."),
	);
	terminal.send("Start an agent.");
	await terminal.shows("not compacted: a subagent runs; type: /compact beside");
	await terminal.shows("finished");
	const told = holding(made.api.requests, "Not queued: call it in the main");
	expect(told.every(({ all }) => !all.includes("ledger")) && told.length > 0).toBe(true);
	made.queue.push(does(9_000, { name: ASKED, input: { focus: "at last" } }), says(9_100, "It is queued again."));
	await terminal.say("And now?", "It is queued again.");
	await summaries(3);
	expect(made.summaries()[2]!.last).toContain("at last");
	await terminal.shows("3 compactions");

	// one that was stopped does not run
	const stopIt = () => {
		const id = /agentId: (\w+)/.exec(everything(made.last()))![1];
		made.queue.unshift(does(9_000, { name: "TaskStop", input: { task_id: id } }));
	};
	made.queue.push(
		does(9_000, agent("look", { run_in_background: true })),
		stopIt,
		...[does(9_000, { name: ASKED, input: { focus: "stopped one" } }), says(9_100, "It is stopped.")],
	);
	await terminal.say("Start one, and stop it.", "It is stopped.");
	await summaries(4);
	expect(made.summaries()[3]!.last).toContain("stopped one");
	expect(logged(made)).toBe("");
}, 180_000);
