import { Database } from "bun:sqlite";
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { postToolBatch } from "../../src/events/post-tool-batch.ts";
import { preCompact } from "../../src/events/pre-compact.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import { sessionEnd } from "../../src/events/session-end.ts";
import { stop } from "../../src/events/stop.ts";
import { userPromptSubmit } from "../../src/events/user-prompt-submit.ts";
import { databasePath } from "../../src/store/paths.ts";
import { haltSince, noteMissed, raiseHalt } from "../../src/store/pressure/flags.ts";
import { checkpointPath, storedCheckpoints } from "../../src/store/recovery/checkpoints.ts";
import { heardIn } from "../../src/store/session/heard-prompts.ts";
import { readSessions } from "../../src/store/status/session-status.ts";
import { markerState, readCommitted, readPending } from "../kit/cycle.ts";
import { Transcript } from "../kit/events.ts";
import { inBatches } from "../kit/sandbox.ts";
import { given } from "../kit/services.ts";
import { at, DUE } from "./compaction-session.ts";

/** Takes what a table holds away. */
function forget(table: string): void {
	const database = new Database(databasePath(at.store));
	database.run(`DELETE FROM ${table}`);
	database.close();
}

describe("SessionStart after a compaction", () => {
	test("the block, once, and a new cycle; status goes from pending to committed", () => {
		const transcript = at.session();
		transcript.write(at.transcript);
		at.send(postToolBatch);
		at.send(preToolUse);
		at.compact(transcript);
		const session = at.stored;
		raiseHalt(session, at.now.toISOString());
		const block = at.start("compact")!;
		// the stop ends with it
		expect(haltSince(session)).toBeNull();
		expect(block).toMatch(/^ccg recovery precompact_checkpoint_\d{8}_\d{6}: /);
		expect(block.length).toBeLessThan(9_500);
		for (const part of ["Never touch src/legacy.", "no new dependencies", "Euro only", "Round the totals"])
			expect(block).toContain(part);
		expect(block).not.toContain("never need to test");
		expect(at.start("compact")).toBeNull();
		expect(readSessions(at.stored)[0]?.checkpoint).toMatchObject({ state: "committed" });
		expect(markerState(at.stored)).toBe("none");
		at.later(20);
		transcript.at(at.now).usage(DUE).write(at.transcript);
		at.send(postToolBatch);
		expect(at.send(preToolUse)).not.toBeNull();
		expect(at.failures).toEqual([]);
	});

	test.each([
		["the first prompt", userPromptSubmit],
		["the first call", preToolUse],
	])("the file that the block names: %s writes it anew with what came since", (_, hook) => {
		const transcript = at.session();
		at.compact(transcript);
		at.send(sessionEnd, { hook_event_name: "PreCompact", trigger: "auto" });
		const text = (): string => readFileSync(checkpointPath(at.stored, key), "utf8");
		const { key } = readPending(at.stored)!;
		expect(text()).toContain("Never touch src/legacy.");
		at.later(1);
		transcript.at(at.now).typed("Always round half to even.").write(at.transcript);
		expect(at.start("compact")).toContain(checkpointPath(at.stored, key).split("/").at(-1));
		expect(text()).not.toContain("half to even");
		at.send(hook);
		expect(text()).toContain("half to even");
		expect(at.failures).toEqual([]);
	});

	test("a doubled event stays silent when the summary took minutes", () => {
		at.later(-7);
		at.compact(at.session());
		at.later(6);
		expect(at.start("compact")).toMatch(/^ccg recovery/);
		at.later(0.1);
		expect(at.start("compact")).toBeNull();
	});

	test("of 8 processes at once one gives", async () => {
		at.compact(at.session());
		const runs = await inBatches(
			Array.from({ length: 8 }, () => () => at.launch("session-start", { source: "compact" })),
			8,
		);
		for (const { code, err } of runs) expect({ code, err }).toEqual({ code: 0, err: "" });
		expect(runs.filter(({ out }) => out !== "")).toHaveLength(1);
	});

	test("PreCompact never ran: the block is read from the transcript, once", () => {
		at.session().boundary().summary().write(at.transcript);
		const block = at.start("compact")!;
		expect(block).toMatch(/^ccg recovery/);
		for (const part of ["Never touch src/legacy.", "no new dependencies", "Euro only"]) expect(block).toContain(part);
		expect(at.start("compact")).toBeNull();
		expect(readCommitted(at.stored)).not.toBeNull();
		expect(at.failures).toEqual([]);
	});

	test("nobody was there at the compaction: the prompt behind it is no part of what was before, and is heard", () => {
		const transcript = at.session();
		at.later(1);
		transcript.at(at.now).boundary().summary();
		at.later(1);
		transcript.at(at.now).typed("Now paint the garden fence.").write(at.transcript);
		const session = at.stored;
		noteMissed(session);
		const fields = { hook_event_name: "UserPromptSubmit", source: "user", prompt: "Now paint the garden fence." };
		const block = given(at.send(userPromptSubmit, fields), "UserPromptSubmit")!;
		expect(block).toContain("Never touch src/legacy.");
		expect(block).not.toContain("garden fence");
		expect(storedCheckpoints(session)[0]).toMatchObject({ type: "precompact", trigger: "compact" });
		expect(heardIn(session)("Now paint the garden fence.")).toBe(true);
	});

	test("PreCompact was missed at the second compaction: the block is of the second", () => {
		const transcript = at.session();
		at.compact(transcript);
		expect(at.start("compact")).not.toBeNull();
		transcript.typed("From now on use pnpm.").boundary().summary().write(at.transcript);
		at.later(30);
		expect(at.start("compact")).toContain("From now on use pnpm.");
	});

	test.each([
		["gone", (): void => forget("checkpoints")],
		["without its state", (): void => at.spoil((checkpoint) => ({ ...checkpoint, state: {} }))],
		["empty", (): void => at.spoil(() => null)],
	])("the checkpoint is %s: the transcript serves, once", (_, lose) => {
		at.compact(at.session());
		lose();
		expect(at.start("compact")).toMatch(/^ccg recovery precompact_checkpoint_[\s\S]*Never touch src\/legacy\./);
		expect(at.start("compact")).toBeNull();
		expect(at.failures.length).toBeLessThanOrEqual(2);
	});

	describe("neither checkpoint nor transcript", () => {
		const file = (): string => join(at.project, ".context-checkpoint.md");
		const lose = (): void => {
			rmSync(at.store, { recursive: true, force: true });
			at.configure({ workspaceFile: { enabled: true } });
			at.compact(at.session());
			forget("checkpoints");
			rmSync(at.transcript);
		};

		test("a fresh workspace file of this session, not one of another or an old one", () => {
			lose();
			expect(at.start("compact", { session_id: "s-2" })).toBeNull();
			expect(existsSync(file())).toBe(true);
			expect(at.start("compact")).toContain("Never touch src/legacy.");
			expect(at.start("compact")).toBeNull();
			lose();
			const old = at.now.getTime() / 1000 - 11 * 60;
			utimesSync(file(), old, old);
			expect(at.start("compact")).toBeNull();
			expect(existsSync(file())).toBe(true);
		});

		test.each<[string, () => void]>([
			["changed by one letter", () => writeFileSync(file(), `${readFileSync(file(), "utf8")}.`)],
			["written by somebody else", () => writeFileSync(file(), "# Checkpoint of session s-1\n- Session: s-1\n")],
			["known to no store", () => rmSync(at.store, { recursive: true })],
			["switched off since", () => at.configure({ workspaceFile: { enabled: false } })],
		])("one that is %s is not replayed and stays", (_, change) => {
			lose();
			change();
			expect(at.start("compact")).toBeNull();
			expect(existsSync(file())).toBe(true);
		});
	});

	test.each([false, true])(
		"second and third compaction keep what was said before the first (snapshot deleted: %s)",
		(deleted) => {
			const transcript = at.session();
			for (const request of ["Now the invoices.", "Now the mails. Keep them short.", "Now the docs."]) {
				at.compact(transcript.typed(request));
				const block = at.start("compact")!;
				for (const part of [request, "Never touch src/legacy.", "no new dependencies", "Euro only"])
					expect(block, request).toContain(part);
				at.send(stop);
				if (deleted) forget("records");
				at.later(10);
				transcript.at(at.now).usage(150_000);
			}
			expect(at.failures).toEqual([]);
		},
	);

	test.each([
		["each with its PreCompact", true],
		["no PreCompact ran", false],
	])("a second compaction at once has its own block, told once by hooks of a start; %s", (_, isPrepared) => {
		const transcript = at.session();
		for (const request of ["Now the invoices.", "Now the mails."]) {
			at.later(0.3);
			transcript.at(at.now).typed(request).write(at.transcript);
			if (isPrepared) at.send(preCompact, { trigger: "manual" });
			expect(at.start("compact")).toContain(request);
			expect(at.start("compact")).toBeNull();
			at.later(0.3);
			transcript.at(at.now).boundary().summary().write(at.transcript);
		}
		expect(at.failures).toEqual([]);
	});

	describe("a version that does not mark a subagent's compaction", () => {
		const compactingOf = () => {
			const old = new Transcript(at.project, new Date(at.now.getTime() - 60_000), "claude-sonnet-4-6", "2.1.200");
			old.typed("Never push.").usage(20_000).write(at.transcript);
			at.send(postToolBatch);
			at.send(preCompact, { trigger: "auto" });
			expect(at.start("compact")).toBeNull();
			expect(readPending(at.stored)).toMatchObject({ unconfirmed: true });
			at.later(1);
			return old;
		};

		test.each([
			["PreToolUse", preToolUse],
			["UserPromptSubmit", userPromptSubmit],
		])("the main thread's, by its boundary in the transcript: %s brings the block, once", (event, handler) => {
			compactingOf().at(at.now).boundary().summary().write(at.transcript);
			const fields = { hook_event_name: event, source: "user", prompt: "Go on." };
			expect(given(at.send(handler, fields), event)).toContain("Never push.");
			expect([at.send(handler, fields), at.send(preToolUse)]).toEqual([null, null]);
			expect(existsSync(at.stored.paths.followUpMarker)).toBe(false);
		});

		test("a subagent's: the next call looks, and no later one", () => {
			compactingOf();
			expect([at.send(preToolUse), existsSync(at.stored.paths.followUpMarker)]).toEqual([null, false]);
		});
	});

	test("a compaction that failed: what was told before is not told again by who looks for the block", () => {
		const transcript = at.session();
		at.compact(transcript);
		const block = at.start("compact")!;
		transcript.given("hook_success", block).write(at.transcript);
		at.later(1);
		at.send(preCompact, { trigger: "manual" });
		expect(at.send(preToolUse)).not.toContain("ccg recovery");
		expect(at.send(preToolUse)).toBeNull();
	});
});
