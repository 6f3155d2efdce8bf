import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { bash, type ClaudeSandbox, claudeSandbox, everything, logged } from "./claude-sandbox.ts";

let made: ClaudeSandbox;
afterEach(() => made?.close());

const save = (): string => `${made.store}/ccg memory save --target memory "The user prefers tabs."`;

for (const { allow, args } of [
	{ allow: true, args: ["install", "--yes", "--allow-memory"] },
	{ allow: false, args: ["install", "--yes"] },
])
	test(`the command the nudge names ${allow ? "runs without a question after --allow-memory" : "needs permission otherwise"}; the next session starts with what was saved`, async () => {
		made = claudeSandbox(
			(_, index) => (index === 0 ? { tools: [bash(save())], tokens: 9_000 } : { text: "saved", tokens: 9_500 }),
			{ install: args },
		);
		await made.strict("Remember that I prefer tabs.");
		expect(existsSync(join(made.store, "projects"))).toBe(allow);
		if (allow) expect(made.ccg("memory", "show")).toContain("The user prefers tabs.");
		await made.strict("Hello again.");
		const first = made.api.requests.at(-1)!;
		expect(everything(first).includes("ccg memory")).toBe(allow);
		if (allow) expect(everything(first)).toContain("The user prefers tabs.");
	});

test("a nudge names a command that works as it stands", async () => {
	made = claudeSandbox(
		(request, index) => {
			const named = /\n {2}(\S.*memory save\b.* --target memory) "TEXT"/.exec(
				JSON.parse(JSON.stringify(request.all)),
			)?.[1];
			if (named)
				return index > 8
					? { text: "end", tokens: 46_000 }
					: { tools: [bash(`${named} "Found the leak in ring.c"`)], tokens: 46_000 };
			return index > 6 ? { text: "end", tokens: 46_000 } : { tools: [bash("echo on")], tokens: 45_000, delayMs: 300 };
		},
		{ install: ["install", "--yes"] },
	);
	await made.claude("Find the leak.");
	expect(made.ccg("memory", "show")).toContain("Found the leak in ring.c");
	expect(logged(made)).toBe("");
});
