import { expect, test } from "vitest";
import { startBeside } from "../kit/process.ts";
import { type ClaudeSandbox, claudePath, claudeSandbox, times } from "./claude-sandbox.ts";
import { SUMMARY } from "./loopback-api.ts";
import { bash, does, says } from "./replies.ts";

let made: ClaudeSandbox;

test("killed right behind a compaction and resumed, the model holds one block, with the request that stands", async () => {
	let run = 1;
	let turn = 0;
	let kill = (): void => {};
	made = claudeSandbox(({ kind }) => {
		if (kind === "summary") return says(5_000, SUMMARY);
		if (kind !== "main") return { text: "x" };
		turn++;
		if (run === 3) return turn === 1 ? does(9_000, bash("echo three")) : says(9_000, "done");
		if (turn <= 2) return does(turn === 2 ? 70_000 : 20_000, bash(`echo ${turn}`));
		// the transcript is written behind: the boundary does not stand in it yet
		if (run === 2) kill();
		return says(7_000, "done");
	});
	const { session_id: sid } = await made.claude("The first request.");
	[run, turn] = [2, 0];
	const args = ["-p", "The second request.", "--resume", sid, "--dangerously-skip-permissions"];
	const child = startBeside([claudePath(), ...args], { cwd: made.project, env: made.env });
	kill = () => child.kill("SIGKILL");
	await child;
	[run, turn] = [3, 0];
	await made.claude("The third request.", "--resume", sid);
	const last = made.main().at(-1)!;
	expect(times(last, "Request at hand")).toBe(1);
});
