import { expect, test } from "vitest";
import { checkpointJson, type LoggedCheckpoint, storedCheckpoints } from "../../src/store/recovery/checkpoints.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { dropMarker } from "../kit/cycle.ts";
import { storeAt } from "../kit/store.ts";
import { type ClaudeSandbox, claudeSandbox, everything, holding, logged, times } from "./claude-sandbox.ts";
import { playing } from "./loopback-api.ts";
import { agent, bash, does, says } from "./replies.ts";

let made: ClaudeSandbox;

/** What takes a checkpoint by itself, but for one. */
const only = (setting: object): void => {
	const off = { usageShare: 0, waveAgents: 0, phases: false, minutes: 0 };
	made.configure({ checkpoints: { ...off, ...setting } });
};

const logOf = (sid: string): LoggedCheckpoint[] => storedCheckpoints(storeAt(made.store), { sid }).reverse();
const triggers = (sid: string): string[] => logOf(sid).map(({ type, trigger }) => `${type} ${trigger}`);

async function settled(look: () => boolean): Promise<void> {
	for (let i = 0; i < 100 && !look(); i++) await Bun.sleep(100);
	expect(logged(made)).toBe("");
}

test("a wave of two subagents leaves one checkpoint, with what they said; they take no nudge, the main thread gets it", async () => {
	const tasks = ["Count the files.", "Count the folders."];
	const done = new Map<string, number>();
	let main = 0;
	made = claudeSandbox((request) => {
		const task = tasks.find((one) => request.first.includes(one) && !request.first.includes("with agents"));
		if (task) {
			const turn = (done.get(task) ?? 0) + 1;
			done.set(task, turn);
			// pressure rises while they work, and a status line sees it: a subagent's own hooks measure nothing
			const session = sessionAt(storeAt(made.store), request.session);
			if (turn === 1) dropMarker(session, { tokens: 40_000, distance: 27_000, trigger: 67_000 });
			if (turn === 1) return does(5_000, bash("sleep 1"));
			return says(5_000, `Result of: ${task} There are 7.`);
		}
		// it goes on for a while: at its exit Claude Code ends the hooks that nobody waits for
		if (main > 0) return main++ === 1 ? does(21_000, bash("sleep 3")) : { text: "All counted." };
		main++;
		return does(20_000, ...tasks.map((one) => agent(one)));
	});
	only({ waveAgents: 1 });
	const { session_id: sid } = await made.claude("Do the counting with agents.");
	await settled(() => logOf(sid).length > 0);
	expect(triggers(sid)).toEqual(["wave wave_complete"]);
	const shown = JSON.parse(made.ccg("show", "wave", "--session", sid, "--json"));
	expect(shown.session_state.completed_waves).toMatchObject([{ wave_number: 1, status: "complete" }]);
	expect(shown.session_state.completed_waves[0].agents_used).toEqual(["general-purpose", "general-purpose"]);
	const text = checkpointJson(sessionAt(storeAt(made.store), sid), logOf(sid)[0]!.key);
	for (const task of tasks) expect(text).toContain(`Result of: ${task}`);
	const nudged = holding(made.api.requests, "ccg nudge");
	expect(nudged.length).toBeGreaterThan(0);
	for (const { first } of nudged) expect(first).toContain("with agents");
});

test("use above the share, a commit, time: one checkpoint each", async () => {
	const commit = "git init -q . && git -c user.name=A -c user.email=a@b.c commit --allow-empty -m 'Add the cart'";
	// compaction strikes at 67,000
	made = claudeSandbox(
		playing([
			does(52_000, bash("echo high")),
			does(54_000, bash("echo higher")),
			says(55_000, "high"),
			does(20_000, bash(commit)),
			says(21_000, "done"),
		]),
	);
	for (const [setting, prompt, expected, reason] of [
		[{ usageShare: 0.75 }, "Use much.", "precompact high_token_usage", /^/],
		[{ phases: true }, "Commit it.", "phase phase_transition", /^commit [0-9a-f]{7,} made$/],
		[{ minutes: 0.00001 }, "Take time.", "time time_based", /^/],
	] as const) {
		only(setting);
		const { session_id: sid } = await made.claude(prompt);
		await settled(() => logOf(sid).length > 0);
		expect(triggers(sid)).toEqual([expected]);
		expect(logOf(sid)[0]!.reason).toMatch(reason);
	}
});

test("a restore reaches a running session once, and a new one once", async () => {
	made = claudeSandbox((request) => {
		const said = everything(request);
		return said.includes("echo step") || !said.includes("Go on")
			? says(21_000, "done")
			: does(20_000, bash("echo step"));
	});
	only({});
	const first = await made.claude("Never touch the ledger schema.");
	made.ccg("checkpoint", "save", "--session", first.session_id, "before the rewrite");
	expect(made.ccg("checkpoint", "restore", "manual", "--session", first.session_id)).toContain("restored manual_");
	expect(triggers(first.session_id)).toEqual(["manual manual_request", "manual restore_request"]);
	made.api.requests.length = 0;
	await made.claude("Go on.", "--resume", first.session_id);
	const last = holding(made.api.requests, "ccg restored").at(-1)!;
	expect(times(last, "ccg restored manual_checkpoint_")).toBe(1);
	expect(everything(last)).toContain("the user restored it");
	await made.claude("Go on again.", "--resume", first.session_id);
	expect(times(made.api.requests.at(-1)!, "ccg restored manual_checkpoint_")).toBe(1);

	made.ccg("checkpoint", "restore", "--next");
	made.api.requests.length = 0;
	await made.claude("Something new.");
	expect(times(made.api.requests.at(-1)!, "ccg restored manual_checkpoint_")).toBe(1);
	expect(everything(made.api.requests.at(-1)!)).toContain("Never touch the ledger schema.");
	await made.claude("Something else.");
	expect(times(made.api.requests.at(-1)!, "ccg restored")).toBe(0);
	expect(logged(made)).toBe("");
});
