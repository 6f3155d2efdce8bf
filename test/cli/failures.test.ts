import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failed, runCcg } from "../kit/ccg.ts";
import { sessionStore } from "./session-store.ts";

const { home, folder } = sessionStore();
const ccg = (words: string[]) => runCcg(words, { env: { HOME: home }, cwd: folder });
for (const text of ["The port is 3000", "tests run with bun test", "tests need tmux"])
	await ccg(["memory", "save", text]);

const rows = readFileSync(join(import.meta.dirname, "failures.txt"), "utf8")
	.split("\n")
	.filter((line) => line.includes("\t"))
	.map((line) => line.split("\t") as [string, string, string]);

test.each(rows)("%s: ccg %s", async (code, line, said) => {
	const words = line.split(" ").map((word) => word.replace("@LONG@", "x".repeat(9_000)));
	expect(await ccg(words)).toMatchObject(failed(said, Number(code)));
});
