import { expect, test } from "vitest";
import type { LoggedCheckpoint } from "../../src/core/checkpoint/checkpoint.ts";
import { listStoredCheckpoints, readCheckpointJson } from "../../src/store/recovery/checkpoints.ts";
import { sessionHandle } from "../../src/store/session-handle.ts";
import { dropMarker } from "../kit/cycle.ts";
import { storeAt } from "../kit/store.ts";
import { claudeSandbox, everything, holding, logged, times } from "./claude-sandbox.ts";
import { agent, bash, does, says } from "./replies.ts";

test("a wave of two subagents leaves one checkpoint, with what they said; they take no nudge; a restore reaches a session once", async () => {
	const tasks = ["Count the files.", "Count the folders."];
	const begun = new Set<string>();
	const made = claudeSandbox((request) => {
		const task = tasks.find((one) => request.first.includes(one) && !request.first.includes("with agents"));
		if (!task) return undefined;
		if (begun.has(task)) return says(5_000, `Result of: ${task} There are 7.`);
		begun.add(task);
		// pressure rises while they work, and a status line sees it: a subagent's own hooks measure nothing
		const session = sessionHandle(storeAt(made.store), request.session);
		dropMarker(session, { tokens: 40_000, distance: 27_000, trigger: 67_000 });
		return does(5_000, bash("sleep 1"));
	});
	made.configure({ checkpoints: { usageShare: 0, waveAgents: 1, phases: false, minutes: 0 } });
	// it goes on for a while: at its exit Claude Code ends the hooks that nobody waits for
	made.queue.push(does(20_000, ...tasks.map((one) => agent(one))), does(21_000, bash("sleep 3")));
	const { session_id: sid } = await made.claude("Do the counting with agents.");
	const taken = (): LoggedCheckpoint[] => listStoredCheckpoints(storeAt(made.store), { sid });
	await expect.poll(taken, { timeout: 10_000 }).not.toEqual([]);
	expect(logged(made)).toBe("");
	expect(taken().map(({ type, trigger }) => `${type} ${trigger}`)).toEqual(["wave wave_complete"]);
	const { completed_waves } = JSON.parse(made.ccg("show", "wave", "--session", sid, "--json")).session_state;
	expect(completed_waves).toMatchObject([{ wave_number: 1, status: "complete" }]);
	expect(completed_waves[0].agents_used).toEqual(["general-purpose", "general-purpose"]);
	const text = readCheckpointJson(sessionHandle(storeAt(made.store), sid), taken()[0]!.key);
	for (const task of tasks) expect(text).toContain(`Result of: ${task}`);
	const nudged = holding(made.api.requests, "ccg nudge");
	expect(nudged.length).toBeGreaterThan(0);
	for (const { first } of nudged) expect(first).toContain("with agents");

	const restored = async (...args: [string, ...string[]]): Promise<number> => {
		await made.claude(...args);
		return times(made.last(), "ccg restored ");
	};
	made.ccg("checkpoint", "restore", "wave", "--session", sid);
	expect(await restored("Go on.", "--resume", sid)).toBe(1);
	expect(everything(made.last())).toContain("the user restored it");
	expect(await restored("Go on again.", "--resume", sid)).toBe(1);
	made.ccg("checkpoint", "restore", "--next");
	expect([await restored("Something new."), await restored("Something else.")]).toEqual([1, 0]);
});
