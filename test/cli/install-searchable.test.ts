import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Transcript } from "../kit/events.ts";
import { ccg, sandbox } from "../kit/sandbox.ts";

test("an installation makes the sessions that are there searchable: the first recall finds something", async () => {
	const at = sandbox("full");
	const folder = join(at.home, ".claude", "projects", "-srv-shop");
	mkdirSync(folder, { recursive: true });
	const path = join(folder, "0c0ffee0-0000-4000-8000-000000000001.jsonl");
	new Transcript(at.project)
		.typed("Why was the retry limit raised?")
		.said("The upload was slow: five tries.")
		.write(path);
	const installed = await ccg(at, ["install", "--yes"]);
	expect([installed.code, installed.out]).toEqual([0, expect.stringContaining("1 of 1 past session.")]);
	expect((await ccg(at, ["recall", "retry limit"])).out).toContain("The upload was slow");
	expect((await ccg(at, ["install", "--yes"])).out).not.toContain("past session");
});
