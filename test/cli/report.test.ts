import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import pc from "picocolors";
import { expect, test } from "vitest";
import type { Io } from "../../src/cli/io.ts";
import { registerReport } from "../../src/cli/report.ts";
import { type Checkpoint, checkpointKey } from "../../src/core/recovery/checkpoint.ts";
import { claimsOf, type LossReport, lossReport } from "../../src/core/recovery/loss-report.ts";
import { fold } from "../../src/core/state/fold.ts";
import { emptyState } from "../../src/core/state/session-state.ts";
import { saveReport } from "../../src/store/compaction-record.ts";
import { scratch } from "../scratch-home.ts";

function world(env?: Record<string, string>) {
	const home = scratch("report");
	const store = join(home, ".claude-memory");
	const ccg = async (...args: string[]): Promise<string> => {
		const lines: string[] = [];
		const io: Io = {
			env: env ?? { HOME: home },
			cwd: home,
			launcher: "/opt/ccg/bin/ccg",
			interactive: false,
			colours: pc.createColors(false),
			out: (line) => lines.push(line),
			err: () => {},
			exit: () => {},
		};
		const program = new Command("ccg").exitOverride().configureOutput({ writeErr: () => {} });
		registerReport(program, io);
		await program.parseAsync(["report", ...args], { from: "user" });
		return lines.join("\n");
	};
	/** A compaction of the session at this minute. */
	const compacted = (
		sid: string,
		minute: number,
		summary: string | null,
		more: Partial<LossReport> = {},
	): LossReport & { tokensAfter: null } => {
		const now = new Date(Date.UTC(2026, 0, 2, 3, minute));
		const state = emptyState();
		for (const text of ["Never touch src/legacy.", `Request ${minute} of ${sid}.`])
			fold(state, { kind: "message", at: "", text, source: "typed" });
		state.tokens = 165_000;
		const checkpoint: Checkpoint = {
			version: 1,
			key: checkpointKey(now),
			at: now.toISOString(),
			session: sid,
			trigger: "auto",
			projectDir: "",
			transcriptPath: "",
			state,
			workspace: null,
		};
		const claims = summary === null ? [] : claimsOf(checkpoint, summary);
		const given = { ids: new Set<string>(), chars: { block: 1_234, later: 56 } };
		const report = {
			...lossReport(checkpoint, summary, given, claims),
			...more,
		};
		saveReport(store, sid, report);
		return { ...report, tokensAfter: null };
	};
	return { ccg, store, compacted };
}

test("text: numbers by kind, the lines that were lost, claims without a source", async () => {
	const { ccg, compacted } = world();
	compacted("s-1", 4, 'Request 4 of s-1. The user said "ship it tonight".');
	const text = await ccg();
	expect(text).toMatch(/^2026-01-02T03:04:00\.000Z {2}auto compaction of s-1, at 165,000 tokens$/m);
	expect(text).toMatch(
		/summary 50 characters; given back 1,234 \+ 56 characters; checkpoint precompact_checkpoint_20260102_030400/,
	);
	expect(text).toMatch(/^ {2}request +1 +1 +0 +0 +0 +0$/m);
	expect(text).toMatch(/^ {2}directive +1 +0 +0 +1 +0 +0$/m);
	expect(text).toContain('dropped  directive: - "Never touch src/legacy."');
	expect(text).toContain('no source  the summary says of the user: The user said "ship it tonight".');
});

test("oldest first over all sessions; --session, --last, --json", async () => {
	const { ccg, compacted } = world();
	const second = compacted("s-1", 20, null);
	const first = compacted("s-1", 10, "");
	const other = compacted("s-2", 15, null, { trigger: "manual" });
	expect(JSON.parse(await ccg("--json"))).toEqual([first, other, second]);
	expect(JSON.parse(await ccg("--json", "--session", "s-1"))).toEqual([first, second]);
	await expect(ccg("--session", "s-")).rejects.toThrow("'s-' is the beginning of 2 sessions");
	expect(JSON.parse(await ccg("--json", "--last"))).toEqual([second]);
	expect(JSON.parse(await ccg("--json", "--last", "--session", "s-2"))).toEqual([other]);
	const text = await ccg("--session", "s-2");
	expect(text.split("\n")[0]).toContain("manual compaction of s-2");
	expect(text).toContain("summary not seen");
	expect((await ccg()).match(/compaction of s-\d/g)).toEqual([
		"compaction of s-1",
		"compaction of s-2",
		"compaction of s-1",
	]);
});

test("names are counted, not listed", async () => {
	const { ccg, compacted } = world();
	const loss = { total: 1, verbatim: 0, reworded: 0, dropped: 1, givenBack: 0, reloaded: 0 };
	const lines = [{ text: "renderLedger", fate: "dropped" as const, givenBack: false }];
	compacted("s-1", 1, "", { kinds: { name: { ...loss, lines } } });
	expect(await ccg()).toMatch(/^ {2}name +1 +0 +0 +1 +0 +0$/m);
	expect(await ccg()).not.toContain("renderLedger");
});

test("an empty store, a session without compactions, an unknown one, no store at all", async () => {
	const { ccg, store } = world();
	expect(await ccg()).toMatch(/^No compaction was reported yet/);
	expect(await ccg("--json")).toBe("[]");
	mkdirSync(join(store, "sessions", "s-1"), { recursive: true });
	expect(await ccg("--session", "s-1")).toMatch(/^No compaction was reported yet/);
	await expect(ccg("--session", "s-9")).rejects.toThrow(
		`no session 's-9' in ${store}; 'ccg sessions list' shows those there are`,
	);
	await expect(world({}).ccg()).rejects.toThrow("neither CCG_HOME nor HOME is set");
});

test("broken reports are passed over", async () => {
	const { ccg, store, compacted } = world();
	const good = compacted("s-1", 4, "");
	for (const [i, text] of ["", "{", "[]", '{"version":2}', '{"version":1}'].entries())
		writeFileSync(join(store, "sessions", "s-1", "reports", `broken-${i}.json`), text);
	expect(JSON.parse(await ccg("--json"))).toEqual([good]);
});
