import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Command } from "commander";
import { expect, test } from "vitest";
import { registerReport } from "../../../src/cli/commands/report.ts";
import type { Checkpoint } from "../../../src/core/recovery/checkpoint.ts";
import { checkpointKey } from "../../../src/core/recovery/checkpoint-key.ts";
import { claimsOf, type LossReport, lossReport } from "../../../src/core/recovery/loss-report.ts";
import { applyToState } from "../../../src/core/state/apply.ts";
import { emptyState } from "../../../src/core/state/session-state.ts";
import { saveCheckpoint } from "../../../src/store/recovery/checkpoints.ts";
import { saveReport } from "../../../src/store/recovery/compaction-record.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { recordedIo } from "../../kit/recorded-io.ts";
import { storeAt } from "../../kit/store.ts";
import { scratch } from "../../scratch-home.ts";

function world(env?: Record<string, string>, columns?: number) {
	const home = scratch("report");
	const store = join(home, ".claude-memory");
	const ccg = async (...args: string[]): Promise<string> => {
		const { io, out } = recordedIo({ env: env ?? { HOME: home }, cwd: home, launcher: "/opt/ccg/bin/ccg", columns });
		const program = new Command("ccg").exitOverride().configureOutput({ writeErr: () => {} });
		registerReport(program, io);
		await program.parseAsync(["report", ...args], { from: "user" });
		return out.join("\n");
	};
	/** A compaction of the session at this minute. */
	const compacted = (
		sid: string,
		minute: number,
		summary: string | null,
		{ projectDir = "", ...more }: Partial<LossReport> & { projectDir?: string } = {},
	): { session_id: string; at: string } => {
		const now = new Date(Date.UTC(2026, 0, 2, 3, minute));
		const state = emptyState();
		for (const text of ["Never touch src/legacy.", `Request ${minute} of ${sid}.`])
			applyToState(state, { kind: "message", at: "", text, source: "typed" });
		state.tokens = 165_000;
		const checkpoint: Checkpoint = {
			version: 1,
			key: checkpointKey(now),
			at: now.toISOString(),
			session: sid,
			trigger: "auto",
			projectDir,
			transcriptPath: "",
			state,
			workspace: null,
		};
		const claims = summary === null ? [] : claimsOf(checkpoint, summary);
		const given = { ids: new Set<string>(), chars: { block: 1_234, followUp: 56 } };
		const report = {
			...lossReport(checkpoint, summary, given, claims),
			...more,
		};
		saveReport(sessionAt(storeAt(store), sid), report);
		if (projectDir) {
			const { trigger, transcriptPath, workspace } = checkpoint;
			saveCheckpoint(sessionAt(storeAt(store), sid), now, { trigger, projectDir, transcriptPath, state, workspace });
		}
		return { session_id: sid, at: report.at };
	};
	return { ccg, store, compacted };
}

test("text: what came of it in one sentence, then what was said and claims, then the table", async () => {
	const { ccg, compacted } = world();
	compacted("s-1", 4, 'Request 4 of s-1. The user said "ship it tonight".');
	const lines = (await ccg()).split("\n");
	expect(lines[0]).toBe(
		"The summary kept 1 of 2 things the user said; the other is lost; 1 claim about you has no source.",
	);
	const at = (part: string | RegExp): number => lines.findIndex((line) => line.search(part) >= 0);
	const places = [
		/^\d{4}-\d\d-\d\d \d\d:\d\d, auto compaction of session s-1$/,
		/^ {2}165,000 tokens before it; summary 50 characters; injected 1,234 \+ 56 characters$/,
		/^ {2}lost +"Never touch src\/legacy\."$/,
		/^ {2}no source +the summary says of the user: The user said "ship it tonight"\.$/,
		/^ +all +word for word +reworded +back +to come +lost$/,
		/^ {2}message +2 +1 +0 +0 +0 +1$/,
	].map(at);
	expect(places.every((place) => place > 0)).toBe(true);
	expect(places.toSorted((a, b) => a - b)).toEqual(places);
});

test("the table's columns add up: word for word, reworded, back, to come and lost are all", async () => {
	const { ccg, compacted } = world();
	const kinds = {
		directive: {
			total: 8,
			verbatim: 3,
			reworded: 3,
			dropped: 2,
			reloaded: 0,
			injected: 0,
			droppedBack: 0,
			later: 0,
			lines: [],
		},
	};
	compacted("s-1", 4, "A summary.", { kinds } as unknown as Partial<LossReport>);
	const row = /^ {2}directive +(\d+) +(\d+) +(\d+) +0 +0 +(\d+)/m
		.exec(await ccg())!
		.slice(1)
		.map(Number);
	expect(row).toEqual([8, 3, 3, 2]);
});

test("oldest first over all sessions; --session, --last, --json", async () => {
	const { ccg, compacted } = world();
	const second = compacted("s-1", 20, null);
	const first = compacted("s-1", 10, "");
	const other = compacted("s-2", 15, null, { trigger: "manual" });
	const json = async (...args: string[]) => JSON.parse(await ccg("--json", ...args));
	expect(await json()).toMatchObject([first, other, second]);
	expect(await json("--session", "s-1")).toMatchObject([first, second]);
	await expect(ccg("--session", "s-")).rejects.toThrow("'s-' is the beginning of 2 sessions");
	expect(await json("--last")).toMatchObject([second]);
	expect(await json("--last", "--session", "s-2")).toMatchObject([other]);
	const text = await ccg("--session", "s-2");
	expect(text.split("\n")[0]).toBe("No summary was seen, so nothing could be compared.");
	expect(text).toContain("manual compaction of session s-2");
	const all = await ccg();
	expect(all.split("\n")[0]).toBe(
		"3 compactions of 2 sessions: The summary kept none of 2 things the user said; all 2 are lost; of 2 compactions no summary was seen.",
	);
	expect(all.match(/compaction of session s-\d/g)).toEqual([
		"compaction of session s-1",
		"compaction of session s-2",
		"compaction of session s-1",
	]);
});

test("--project and --since; the project by its name", async () => {
	const { ccg, compacted } = world();
	const [here, there] = [scratch("ledger"), scratch("mails")];
	const one = compacted("s-1", 10, "", { projectDir: here });
	const two = compacted("s-2", 20, "", { projectDir: there });
	const json = async (...args: string[]) => JSON.parse(await ccg("--json", ...args));
	expect(await json("--project", here)).toMatchObject([{ ...one, project: basename(here), cwd: here }]);
	expect(await json("--project", basename(there))).toMatchObject([two]);
	expect(await json("--project")).toEqual([]);
	expect(await ccg("--project")).toMatch(/^No compaction fits; without --session, --project and --since/);
	expect(await json("--since", "2026-01-02T03:15:00Z")).toMatchObject([two]);
	expect(await json("--since", "1h")).toEqual([]);
	for (const wrong of ["yesterday", "3x", "", "2026-13-45"])
		await expect(ccg("--since", wrong)).rejects.toThrow("since");
	expect((await ccg("--last")).split("\n")[2]).toMatch(new RegExp(`^${basename(there)}, `));
});

test("JSON: keys in snake_case, times in ISO 8601, kept in own words counted as kept", async () => {
	const { ccg, compacted } = world();
	compacted("s-1", 4, "Files below src/legacy must never be touched. Request 4 of s-1.");
	const [one] = JSON.parse(await ccg("--json"));
	expect(one).toMatchObject({
		session_id: "s-1",
		at: "2026-01-02T03:04:00.000Z",
		said: { total: 2, verbatim: 1, own_words: 1, lost: 0, back: 0, later: 0 },
		verdict: "All 2 things the user said were kept.",
		tokens_before: 165_000,
		injected_chars: { block: 1_234, follow_up: 56 },
		kinds: { message: { reworded: 1, injected: 0 } },
	});
	expect(JSON.stringify(one)).not.toMatch(/"[a-z]+[A-Z]\w*":/);
});

test.each([40, 60, 80, 120, 200])("fits %d columns, and what is cut ends in …", async (columns) => {
	const { ccg, compacted } = world(undefined, columns);
	const text =
		"Never touch the payments folder, not even to format it, until the audit of the third quarter is over and signed.";
	const lines = [{ text: `- "${text}"`, fate: "dropped" as const, injected: true }];
	const loss = {
		total: 1,
		verbatim: 0,
		reworded: 0,
		dropped: 1,
		injected: 1,
		droppedBack: 1,
		reloaded: 0,
		later: 0,
		lines,
	};
	compacted("s-1", 1, "", { kinds: { directive: loss } });
	const shown = (await ccg()).split("\n");
	for (const line of shown) expect(Bun.stringWidth(line), line).toBeLessThanOrEqual(columns);
	const directive = shown.find((line) => line.includes("directive: "))!;
	expect(directive.endsWith("…") || directive.includes(text)).toBe(true);
	expect(shown.join(" ")).toContain("it is back.");
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
	expect(JSON.parse(await ccg("--json"))).toMatchObject([good]);
});
