import { join } from "node:path";
import { expect, test } from "vitest";
import { backgroundWork, parseHookInput } from "../../src/claude/hook-input.ts";
import { corpus } from "../kit/corpus.ts";

test.each(Object.values(corpus(join(import.meta.dirname, "hook-input.txt"))).flat())("%s", (row) => {
	const [input, expected] = row.split(" => ");
	expect(backgroundWork(parseHookInput(Buffer.from(input!), "/"))).toEqual(JSON.parse(expected!));
});

test("secrets and control characters are out, lengths bounded", () => {
	const key = `sk-ant-${"a1".repeat(20)}`;
	const command = `run ${key}\u001b[2J\n${"x".repeat(5_000)}`;
	const tasks = Array.from({ length: 500 }, (_, n) => ({ id: String(n), type: "shell", command }));
	const found = backgroundWork({ background_tasks: tasks })!;
	expect(found).toHaveLength(60);
	expect(found[0]!.description).not.toContain(key);
	expect(found[0]!.description).not.toContain("\u001b");
	expect(found[0]!.description.length).toBeLessThan(400);
});
