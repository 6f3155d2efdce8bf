import { expect, test } from "vitest";
import { startBeside } from "../kit/process.ts";
import { claudePath, claudeSandbox, everything, times } from "./claude-sandbox.ts";
import { bash, does, says } from "./replies.ts";

test("killed right behind a compaction and resumed, the model holds one block, with the request that stands", async () => {
	const made = claudeSandbox();
	const work = [does(20_000, bash("echo one")), does(70_000, bash("echo two"))];
	const sid = await made.play([{ prompt: "The first request.", replies: [...work, says(7_000, "done")] }]);
	// the transcript is written behind: the boundary does not stand in it yet
	made.queue.push(...work, () => child.kill("SIGKILL"));
	const args = ["-p", "The second request.", "--resume", sid, "--dangerously-skip-permissions"];
	const child = startBeside([claudePath(), ...args], { cwd: made.project, env: made.env });
	await child;
	made.queue.push(does(9_000, bash("echo three")), says(9_000, "done"));
	await made.claude("The third request.", "--resume", sid);
	// (as the request at hand, or among the words before it: the third may stand in the transcript by then)
	const told = everything(made.last());
	expect(times(made.last(), "ccg recovery precompact_checkpoint_")).toBe(1);
	expect(told.slice(told.indexOf("ccg recovery ")).split("All that was saved")[0]).toContain("The second request.");
});
