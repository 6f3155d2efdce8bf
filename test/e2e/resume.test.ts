import { afterEach, expect, test } from "vitest";
import { playFacts } from "./planted-facts.ts";
import { type Stage, times } from "./stage.ts";

let made: Stage;
afterEach(() => made?.close());

test("resumed, continued and forked, the model holds both parts, each once", async () => {
	const played = await playFacts();
	made = played.made;
	for (const args of [
		["--resume", played.sid],
		["--continue"],
		["--resume", played.sid, "--fork-session"],
		["--resume", played.sid],
	]) {
		await made.claude("go on", ...args);
		const last = made.api.requests.filter(({ kind }) => kind === "main").at(-1)!;
		expect([times(last, "ccg recovery precompact_checkpoint_"), times(last, ", continued:")], args.join(" ")).toEqual([
			2, 1,
		]);
	}
});
