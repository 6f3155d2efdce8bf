import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { postToolBatch } from "../../src/events/post-tool-batch.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import { catalog } from "../../src/install/catalog.ts";
import { readCycle } from "../../src/store/session/cycles.ts";
import { folderOf } from "../../src/store/session/place.ts";
import { markerState } from "../kit/cycle.ts";
import { LAUNCHER, run } from "../kit/sandbox.ts";
import { given } from "../kit/services.ts";
import { anew, at, DUE } from "./compaction-session.ts";

describe("from pressure to nudge", () => {
	test("below the threshold nothing, from it on the marker, once per cycle", () => {
		const transcript = at.session(129_000);
		transcript.write(at.transcript);
		expect(at.send(postToolBatch)).toBeNull();
		expect(markerState(at.stored)).toBe("none");
		expect(at.send(preToolUse)).toBeNull();
		transcript.usage(DUE).write(at.transcript);
		expect(at.send(postToolBatch)).toBeNull();
		expect(markerState(at.stored)).toBe("marker");
		const nudge = given(at.send(preToolUse), "PreToolUse")!;
		expect(nudge).toMatch(/^ccg nudge: /);
		expect(nudge).toContain("/opt/ccg/bin/ccg memory save");
		expect(at.send(preToolUse)).toBeNull();
		// measured again and again: one nudge in a cycle
		for (const tokens of [140_000, 150_000, 166_000]) {
			transcript.usage(tokens).write(at.transcript);
			at.send(postToolBatch);
			expect(existsSync(at.markerPath())).toBe(false);
			expect(at.send(preToolUse)).toBeNull();
		}
		expect(at.failures).toEqual([]);
	});

	test("it asks for no save where the client's sandbox closes the store", () => {
		for (const isOpen of [false, true]) {
			const allowWrite = isOpen ? [at.store] : [];
			mkdirSync(join(at.project, ".claude"), { recursive: true });
			const settings = join(at.project, ".claude", "settings.local.json");
			writeFileSync(settings, JSON.stringify({ sandbox: { enabled: true, filesystem: { allowWrite } } }));
			at.session(DUE).write(at.transcript);
			at.send(postToolBatch);
			const nudge = given(at.send(preToolUse), "PreToolUse")!;
			expect(nudge).toMatch(/^ccg nudge: .*saved by ccg itself/s);
			expect(nudge.includes("memory save")).toBe(isOpen);
			anew();
		}
	});

	test("it tells the room measured last, and nothing where the trigger is past by then", () => {
		const transcript = at.session(DUE);
		transcript.write(at.transcript);
		at.send(postToolBatch);
		transcript.usage(168_000).write(at.transcript);
		at.send(postToolBatch);
		expect(at.send(preToolUse)).toBeNull();
		expect([existsSync(at.markerPath()), markerState(at.stored)]).toEqual([false, "none"]);
		// no measurement past the trigger has a call start a process
		at.send(postToolBatch);
		expect(existsSync(at.markerPath())).toBe(false);
		for (const tokens of [140_000, 155_000]) {
			transcript.usage(tokens).write(at.transcript);
			at.send(postToolBatch);
		}
		expect(given(at.send(preToolUse), "PreToolUse")).toContain("about 12,000 tokens of room");
	});

	test("the project is known to the save command also where the session began in a subfolder", () => {
		at.git("init", "-q");
		const folder = join(at.project, "packages", "cart");
		mkdirSync(folder, { recursive: true });
		at.env.CLAUDE_PROJECT_DIR = folder;
		at.session().write(at.transcript);
		at.send(postToolBatch);
		expect(at.send(preToolUse)).toContain("  /opt/ccg/bin/ccg memory save ");
		expect(folderOf(at.stored)).toBe(folder);
	});

	test("and names it where the shell has left it and knows no session", () => {
		const other = join(at.top, "other");
		mkdirSync(other);
		at.env.CLAUDE_PROJECT_DIR = at.project;
		at.session().write(at.transcript);
		at.send(postToolBatch);
		expect(at.send(preToolUse, { cwd: other })).toContain(
			`  CLAUDE_CODE_SESSION_ID=${at.sid} /opt/ccg/bin/ccg memory save `,
		);
	});

	test.each([
		["off", null],
		["directive", /^ccg nudge: STOP/],
	])("wording %s", (wording, expected) => {
		at.configure({ nudge: { wording } });
		at.session().write(at.transcript);
		at.send(postToolBatch);
		const text = given(at.send(preToolUse), "PreToolUse");
		if (expected) expect(text).toMatch(expected);
		else {
			expect(text).toBeNull();
			expect(existsSync(at.markerPath())).toBe(false);
		}
	});

	test("of 24 processes at once one nudges; a subagent's gets nothing and leaves the marker", async () => {
		at.session().write(at.transcript);
		at.send(postToolBatch);
		const hook = (fields: object) => at.launch("pre-tool-use", { hook_event_name: "PreToolUse", ...fields });
		expect(await hook({ agent_id: "a1" })).toEqual({ code: 0, out: "", err: "" });
		expect(markerState(at.stored)).toBe("marker");
		const runs = await Promise.all(Array.from({ length: 24 }, () => hook({})));
		for (const { code, err } of runs) expect({ code, err }).toEqual({ code: 0, err: "" });
		expect(runs.map(({ out }) => out).filter(Boolean)).toEqual([expect.stringMatching(/^\{.*"PreToolUse".*\}\n$/)]);
	});

	test("of eight measurements at once that see the context fall one ends the cycle", async () => {
		const transcript = at.session();
		transcript.write(at.transcript);
		at.send(postToolBatch);
		expect(at.send(preToolUse)).not.toBeNull();
		transcript.usage(20_000).write(at.transcript);
		await Promise.all(Array.from({ length: 8 }, () => at.launch("post-tool-batch", {})));
		expect(readCycle(at.stored).number).toBe(1);
	});

	test("the registered pre-check: with and without CLAUDE_CODE_SESSION_ID, never for another session", async () => {
		const preCheck = catalog(LAUNCHER).hooks.find(({ part }) => part === "pre-tool-use")!.handler.command;
		const call = (sid: string, variable?: string) =>
			run(["/bin/sh", "-c", preCheck], {
				env: { ...at.env, ...(variable && { CLAUDE_CODE_SESSION_ID: variable }) },
				cwd: at.project,
				input: { session_id: sid },
			});
		at.session().write(at.transcript);
		expect(await call("s-1")).toEqual({ code: 0, out: "", err: "" });
		expect(existsSync(at.store)).toBe(false);
		at.send(postToolBatch);
		expect(await call("s-2", "s-2")).toEqual({ code: 0, out: "", err: "" });
		expect(await call("s-2")).toEqual({ code: 0, out: "", err: "" });
		expect(markerState(at.stored)).toBe("marker");
		expect((await call("s-1")).out).toContain("ccg nudge");
		at.send(postToolBatch, { session_id: "s-2" });
		expect((await call("s-2", "s-2")).out).toContain("ccg nudge");
	});

	test("a marker that is stale or broken goes in silence", () => {
		at.session().write(at.transcript);
		at.send(postToolBatch);
		at.later(31);
		expect(at.send(preToolUse)).toBeNull();
		expect(existsSync(at.markerPath())).toBe(false);
		writeFileSync(at.markerPath(), '{"at":');
		expect(at.send(preToolUse)).toBeNull();
		expect(existsSync(at.markerPath())).toBe(false);
		expect(at.failures).toEqual([]);
		// nobody was nudged: the next measurement drops a fresh one
		at.send(postToolBatch);
		expect(at.send(preToolUse)).not.toBeNull();
	});
});
