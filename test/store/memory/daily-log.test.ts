import { readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { appendLog } from "../../../src/store/memory/daily-log.ts";
import { NOW, place } from "./memory-fixture.ts";

describe("appendLog", () => {
	test("one line each, also after a line cut short; secrets and line breaks out", () => {
		const { root, cwd, log, write } = place();
		expect(appendLog(root, cwd, "first\nline", NOW)).toBe(log);
		appendLog(root, cwd, "API_KEY=hunter2hunter", NOW);
		appendLog(root, cwd, " \n", NOW);
		const two =
			"# ccg log of 2026-01-31, yours to read and edit\n\n- 09:05 first line\n- 09:05 API_KEY=[REDACTED:secret]\n";
		expect(readFileSync(log, "utf8")).toBe(two);
		write(log, `${two}- 09:0`);
		appendLog(root, cwd, "next", NOW);
		expect(readFileSync(log, "utf8")).toBe(`${two}- 09:0\n- 09:05 next\n`);
		expect(statSync(log).mode & 0o077).toBe(0);
	});
});
