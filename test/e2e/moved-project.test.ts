import { cpSync, renameSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { gitIn } from "../kit/git.ts";
import { claudeSandbox, headless, holding, logged } from "./claude-sandbox.ts";
import { playing } from "./loopback-api.ts";
import { says } from "./replies.ts";

const NOTE = "tests run with the odd command";

test("a folder that is moved keeps its notes; one that is copied tells the user alone", async () => {
	const made = claudeSandbox(playing(Array.from({ length: 4 }, () => says(5_000, "done"))));
	const git = (...args: string[]) => gitIn(made.project, made.home, args);
	git("init", "-q");
	git("remote", "add", "origin", "https://example.com/o/r.git");
	await made.claude("hello");
	made.ccg("memory", "save", NOTE);
	const [moved, copied] = [`${made.project}-2`, `${made.project}-3`];
	renameSync(made.project, moved);
	await headless(moved, made.env, "hello", []);
	expect(holding(made.main().slice(-1), NOTE)).toHaveLength(1);
	cpSync(moved, copied, { recursive: true });
	rmSync(moved, { recursive: true });
	await headless(copied, made.env, "hello", []);
	for (const text of [NOTE, "memory adopt", "this project was in"])
		expect(holding(made.main().slice(-1), text), text).toEqual([]);
	expect(holding(made.main(), "this project was in")).toEqual([]);
	expect(logged(made)).toBe("");
});
