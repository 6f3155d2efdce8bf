import { expect, test } from "vitest";
import { claudeSandbox, holding, logged } from "./claude-sandbox.ts";
import { playing } from "./loopback-api.ts";
import { bash, does, says, thenDoes } from "./replies.ts";

const BLOCK = "this session before its conversation was compacted";

test("SessionStart is ended before it prints: the next tool call brings the block, once", async () => {
	const made = claudeSandbox(
		playing([
			does(60_000, bash("echo one")),
			does(95_000, bash("echo two")),
			thenDoes(5_000, bash("echo three")),
			does(6_000, bash("echo four")),
			says(7_000, "done"),
		]),
	);
	made.settings((settings) => {
		const hooks = settings.hooks as Record<string, { hooks: { command: string }[] }[]>;
		hooks.SessionStart![0]!.hooks[0]!.command = "kill -9 $$";
	});
	await made.claude("Always answer in short lines.");
	const after = made.main().slice(-3);
	expect(holding(after, BLOCK).map((one) => after.indexOf(one))).toEqual([1, 2]);
	for (const request of holding(after, BLOCK)) expect(JSON.stringify(request.body).split(BLOCK)).toHaveLength(2);
	expect(logged(made)).toBe("");
});
