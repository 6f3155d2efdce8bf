import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { bash, type ClaudeSandbox, claudeSandbox, everything, holding, logged, times } from "./claude-sandbox.ts";

let made: ClaudeSandbox;
afterEach(() => made?.close());

/** What takes a checkpoint by itself, but for one. */
const only = (setting: object): void => {
	mkdirSync(made.store, { recursive: true });
	const off = { usageShare: 0, waveAgents: 0, phases: false, minutes: 0 };
	writeFileSync(join(made.store, "config.json"), JSON.stringify({ checkpoints: { ...off, ...setting } }));
};

const logOf = (sid: string): { key: string; type: string; trigger: string; reason?: string }[] => {
	const path = join(made.store, "sessions", sid, "checkpoint-log.jsonl");
	if (!existsSync(path)) return [];
	return readFileSync(path, "utf8")
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line)); // one object a line
};
const triggers = (sid: string): string[] => logOf(sid).map(({ type, trigger }) => `${type} ${trigger}`);
const files = (sid: string): string[] =>
	readdirSync(join(made.store, "sessions", sid, "checkpoints")).filter((name) => name.endsWith(".json"));

async function settled(sid: string, look: () => boolean): Promise<void> {
	for (let i = 0; i < 100 && !look(); i++) await Bun.sleep(100);
	expect([files(sid).length, logged(made)]).toEqual([logOf(sid).length, ""]);
}

test("a wave of two subagents leaves one checkpoint, with what they said", async () => {
	const tasks = ["Count the files.", "Count the folders."];
	const done = new Map<string, number>();
	let main = 0;
	made = claudeSandbox((request) => {
		const task = tasks.find((one) => request.first.includes(one) && !request.first.includes("with agents"));
		if (task) {
			const turn = (done.get(task) ?? 0) + 1;
			done.set(task, turn);
			if (turn === 1 && task === tasks[1]) return { tools: [bash("sleep 1")], tokens: 5_000 };
			return { text: `Result of: ${task} There are 7.`, tokens: 5_000 };
		}
		if (main++ > 0) return { text: "All counted.", tokens: 21_000 };
		const agent = (prompt: string) => ({
			name: "Agent",
			input: { description: "count", prompt, subagent_type: "general-purpose", run_in_background: false },
		});
		return { tools: tasks.map(agent), tokens: 20_000 };
	});
	only({ waveAgents: 1 });
	const { session_id: sid } = await made.claude("Do the counting with agents.");
	await settled(sid, () => logOf(sid).length > 0);
	expect(triggers(sid)).toEqual(["wave wave_complete"]);
	const shown = JSON.parse(made.ccg("checkpoint", "show", "wave", "--session", sid, "--json"));
	expect(shown.session_state.completed_waves).toMatchObject([{ wave_number: 1, status: "complete" }]);
	expect(shown.session_state.completed_waves[0].agents_used).toEqual(["general-purpose", "general-purpose"]);
	const text = readFileSync(join(made.store, "sessions", sid, "checkpoints", files(sid)[0]!), "utf8");
	for (const task of tasks) expect(text).toContain(`Result of: ${task}`);
});

test("use above the share, a commit, time: one checkpoint each", async () => {
	let turn = 0;
	made = claudeSandbox(() => {
		turn++;
		// compaction strikes at 67,000
		if (turn === 1) return { tools: [bash("echo high")], tokens: 52_000 };
		if (turn === 2) return { tools: [bash("echo higher")], tokens: 54_000 };
		if (turn === 3) return { text: "high", tokens: 55_000 };
		if (turn === 4)
			return {
				tools: [bash("git init -q . && git -c user.name=A -c user.email=a@b.c commit --allow-empty -m 'Add the cart'")],
				tokens: 20_000,
			};
		return { text: "done", tokens: 21_000 };
	});
	only({ usageShare: 0.75 });
	const high = await made.claude("Use much.");
	await settled(high.session_id, () => logOf(high.session_id).length > 0);
	expect(triggers(high.session_id)).toEqual(["precompact high_token_usage"]);
	only({ phases: true });
	const phase = await made.claude("Commit it.");
	await settled(phase.session_id, () => logOf(phase.session_id).length > 0);
	expect(triggers(phase.session_id)).toEqual(["phase phase_transition"]);
	expect(logOf(phase.session_id)[0]!.reason).toMatch(/^commit [0-9a-f]{7,} made$/);
	only({ minutes: 0.00001 });
	const time = await made.claude("Take time.");
	await settled(time.session_id, () => logOf(time.session_id).length > 0);
	expect(triggers(time.session_id)).toEqual(["time time_based"]);
});

test("a restore reaches a running session once, and a new one once", async () => {
	made = claudeSandbox((request) => {
		const said = everything(request);
		return said.includes("echo step") || !said.includes("Go on")
			? { text: "done", tokens: 21_000 }
			: { tools: [bash("echo step")], tokens: 20_000 };
	});
	only({});
	const first = await made.claude("Never touch the ledger schema.");
	made.ccg("checkpoint", "save", "--session", first.session_id, "before the rewrite");
	expect(made.ccg("checkpoint", "restore", "manual", "--session", first.session_id)).toContain(
		"## CONTEXT RESTORED: manual_",
	);
	expect(triggers(first.session_id)).toEqual(["manual manual_request", "manual restore_request"]);
	made.api.requests.length = 0;
	await made.claude("Go on.", "--resume", first.session_id);
	const last = holding(made.api.requests, "ccg restored").at(-1)!;
	expect(times(last, "ccg restored manual_checkpoint_")).toBe(1);
	expect(everything(last)).toContain("the user restored it");
	await made.claude("Go on again.", "--resume", first.session_id);
	expect(times(made.api.requests.at(-1)!, "ccg restored manual_checkpoint_")).toBe(1);

	made.ccg("checkpoint", "restore", "--from", first.session_id, "--next");
	made.api.requests.length = 0;
	await made.claude("Something new.");
	expect(times(made.api.requests.at(-1)!, "ccg restored manual_checkpoint_")).toBe(1);
	expect(everything(made.api.requests.at(-1)!)).toContain("Never touch the ledger schema.");
	await made.claude("Something else.");
	expect(times(made.api.requests.at(-1)!, "ccg restored")).toBe(0);
	expect(logged(made)).toBe("");
});
