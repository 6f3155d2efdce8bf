import { expect, test } from "vitest";
import { bash, claudeSandbox, holding, logged } from "./claude-sandbox.ts";
import { playing } from "./loopback-api.ts";

const BLOCK = "this session before its conversation was compacted";

test("SessionStart is ended before it prints: the next tool call brings the block, once", async () => {
	const made = claudeSandbox(
		playing([
			{ tools: [bash("echo one")], tokens: 60_000 },
			{ tools: [bash("echo two")], tokens: 95_000 },
			{ tools: [bash("echo three")], tokens: 5_000, delayMs: 500 },
			{ tools: [bash("echo four")], tokens: 6_000 },
			{ text: "done", tokens: 7_000 },
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
