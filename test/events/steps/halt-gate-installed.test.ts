import { describe, expect, test } from "vitest";
import { catalog } from "../../../src/install/catalog.ts";
import { logPath } from "../../../src/store/paths.ts";
import { grantPass } from "../../../src/store/session/cycles.ts";
import { inBatches, LAUNCHER, linesOf, run } from "../../kit/sandbox.ts";
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
		grantPass(at.stored, at.now);
		const runs = await inBatches(
			Array.from({ length: 24 }, () => asHook("Edit")),
			12,
		);
		expect(new Set(runs.map(({ code, err }) => `${code}${err}`))).toEqual(new Set(["0"]));
		expect(runs.filter(({ out }) => out.includes('"deny"'))).toHaveLength(23);
		expect(runs.filter(({ out }) => out.includes("systemMessage"))).toHaveLength(1);
		expect(linesOf(logPath(at.store))).toEqual([]);
	});

	test("a subagent is passed over", async () => {
		at.mode("enforce");
		at.tokens(150_000);
		expect(await asHook("Edit", { agent_id: "a1" })()).toMatchObject({ code: 0, out: "" });
	});
});
