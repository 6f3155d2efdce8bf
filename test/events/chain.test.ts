import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readPending } from "../kit/cycle.ts";
import { at } from "./compaction-session.ts";

test("the whole chain through the launcher: nothing is printed but the three answers", async () => {
	const hook = async (name: string, fields: object): Promise<string> => {
		const { code, out, err } = await at.launch(name, fields);
		expect({ name, code, err }).toEqual({ name, code: 0, err: "" });
		return out;
	};
	const transcript = at.session();
	transcript.write(at.transcript);
	expect(await hook("session-start", { source: "startup" })).toBe("");
	expect(await hook("pre-tool-use", {})).toBe("");
	expect(await hook("post-tool-batch", {})).toBe("");
	expect(await hook("pre-tool-use", {})).toContain('"additionalContext":"ccg nudge');
	expect(await hook("pre-tool-use", {})).toBe("");
	expect(await hook("pre-compact", { trigger: "auto", agent_id: "a1" })).toBe("");
	expect(await hook("session-start", { source: "compact", agent_id: "a1" })).toBe("");
	expect(readPending(at.stored)).toBeNull();
	expect(await hook("pre-compact", { trigger: "auto" })).toMatch(/^ccg: /);
	transcript.at(new Date()).boundary().summary().write(at.transcript);
	expect(await hook("session-start", { source: "compact" })).toContain('"additionalContext":"ccg recovery');
	expect(await hook("session-start", { source: "compact" })).toBe("");
	expect(existsSync(join(at.store, "log", "ccg.log"))).toBe(false);
});
