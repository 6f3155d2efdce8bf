import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { catalog } from "../../../src/install/catalog.ts";
import { logPath, sessionPaths } from "../../../src/store/paths.ts";
import { grantPass } from "../../../src/store/session/halt.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { dropMarker } from "../../kit/cycle.ts";
import { inBatches, LAUNCHER, linesOf, run } from "../../kit/sandbox.ts";
import { storeAt } from "../../kit/store.ts";
import { at } from "./halt-session.ts";

describe("as installed", () => {
	const preCheck = (): string => catalog(LAUNCHER).hooks.find(({ part }) => part === "pre-tool-use")!.handler.command;
	const asHook =
		(tool_name: string, more: object = {}) =>
		() =>
			run(["/bin/sh", "-c", preCheck()], {
				env: { HOME: at.home, CLAUDE_CODE_SESSION_ID: "s-1" },
				cwd: at.project,
				input: { session_id: "s-1", cwd: at.project, tool_name, tool_input: { file_path: "/x" }, ...more },
			});

	test("of many changes at once, one gets through on one checkpoint", async () => {
		at.mode("enforce");
		at.tokens(150_000);
		grantPass(sessionAt(storeAt(at.store), "s-1"), at.now);
		const runs = await inBatches(
			Array.from({ length: 24 }, () => asHook("Edit")),
			12,
		);
		expect(new Set(runs.map(({ code, err }) => `${code}${err}`))).toEqual(new Set(["0"]));
		expect(runs.filter(({ out }) => out.includes('"deny"'))).toHaveLength(23);
		expect(runs.filter(({ out }) => out.includes("systemMessage"))).toHaveLength(1);
		expect(linesOf(logPath(at.store))).toEqual([]);
	});

	test("in warn, one of many tells the user", async () => {
		at.tokens(150_000);
		mkdirSync(sessionPaths(at.store, "s-1").folder, { recursive: true });
		writeFileSync(join(sessionPaths(at.store, "s-1").folder, "task-state.json"), "{}");
		dropMarker(sessionAt(storeAt(at.store), "s-1"), { at: at.now.toISOString(), tokens: 1, distance: 1, trigger: 2 });
		const runs = await inBatches(
			Array.from({ length: 12 }, () => asHook("Edit")),
			12,
		);
		expect(runs.filter(({ out }) => out.includes("systemMessage"))).toHaveLength(1);
		expect(runs.filter(({ out }) => out.includes("permissionDecision"))).toHaveLength(0);
	});

	test("a subagent is passed over", async () => {
		at.mode("enforce");
		at.tokens(150_000);
		expect(await asHook("Edit", { agent_id: "a1" })()).toMatchObject({ code: 0, out: "" });
	});

	test.each([["not json"], [""], ["[]"]])("input %j denies nothing", async (input) => {
		at.mode("enforce");
		at.tokens(150_000);
		const ran = await run(["/bin/sh", "-c", preCheck()], {
			env: { HOME: at.home, CLAUDE_CODE_SESSION_ID: "s-1" },
			cwd: at.project,
			input,
		});
		expect(ran).toMatchObject({ code: 0, out: "", err: "" });
	});
});
