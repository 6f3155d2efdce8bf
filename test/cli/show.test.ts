import { join } from "node:path";
import { expect, test } from "vitest";
import { auditCompaction, type LossReport } from "../../src/core/audit/audit.ts";
import type { Checkpoint } from "../../src/core/checkpoint/checkpoint.ts";
import { checkpointKey } from "../../src/core/checkpoint/checkpoint-key.ts";
import { applyToState } from "../../src/core/state/apply.ts";
import { emptyState } from "../../src/core/state/session-state.ts";
import { findProject } from "../../src/store/project.ts";
import { addCheckpoint, saveReport } from "../../src/store/recovery/checkpoints.ts";
import { keepSessionFolder } from "../../src/store/session/place.ts";
import { sessionHandle } from "../../src/store/session-handle.ts";
import { runCcg } from "../kit/ccg.ts";
import { storeAt } from "../kit/store.ts";
import { scratch } from "../scratch-home.ts";

/** A store in which compactions of sessions are made, one a minute. */
function world() {
	const home = scratch("report");
	const cwd = scratch("ledger");
	const store = join(home, ".claude-memory");
	const report = async (...args: string[]) => runCcg(["show", ...args, "--as", "report"], { env: { HOME: home }, cwd });
	const compacted = (
		sid: string,
		minute: number,
		summary: string | null,
		{ folder = cwd, ...more }: Partial<LossReport> & { folder?: string } = {},
	): { session_id: string; at: string } => {
		const now = new Date(Date.UTC(2026, 0, 2, 3, minute));
		const state = emptyState();
		for (const text of ["Never touch src/legacy.", `Request ${minute} of ${sid}.`])
			applyToState(state, { kind: "message", at: "", text, source: "typed" });
		state.tokens = 165_000;
		const rest = { transcriptPath: "", state, workspace: null };
		const content = { trigger: "auto", projectDir: folder, project: findProject(folder).key, ...rest };
		const at = now.toISOString();
		const checkpoint: Checkpoint = { version: 1, key: checkpointKey(now), at, session: sid, ...content };
		const block = { text: "x".repeat(1_234), messages: new Map([[2, "whole" as const]]) };
		const handle = sessionHandle(storeAt(store), sid);
		keepSessionFolder(handle, folder);
		addCheckpoint(handle, now, content);
		saveReport(handle, { ...auditCompaction(checkpoint, summary, block), ...more });
		return { session_id: sid, at };
	};
	return { report, compacted, store, home, cwd };
}

test("what came of it in one sentence, then the sizes, then the messages that the summary does not hold", async () => {
	const { report, compacted } = world();
	compacted("s-1", 4, "It was asked to spare src/legacy.");
	const { out } = await report();
	const places = [
		/^\*\*The summary holds 0 of the user's 2 messages word for word; the block gave back 1 whole; 1 is in neither\.\*\*$/m,
		/^### `ledger\S*`, \d{4}-\d\d-\d\d \d\d:\d\d, auto compaction of session s-1$/m,
		/^165,000 tokens before it; summary 33 characters; injected 1,234 characters$/m,
		/^- in neither: `Never touch src\/legacy\.`$/m,
		/^- back whole: `Request 4 of s-1\.`$/m,
		/^Of the user's numbers, names and paths not in either: `s-1`$/m,
	].map((part) => out.search(part));
	expect(places).toEqual(places.toSorted((a, b) => a - b));
	expect(places[0]).toBe(0);
});

test("of this project, the oldest first; one by its key, the newest, one session, from a time on, all projects", async () => {
	const { report, compacted } = world();
	const second = compacted("s-1", 20, null);
	const first = compacted("s-1", 10, "");
	const other = compacted("s-2", 15, null, { trigger: "manual" });
	compacted("s-1", 5, "", { version: 1 as 2, messages: undefined as never });
	const elsewhere = compacted("s-3", 30, "", { folder: scratch("mails") });
	const json = async (...args: string[]) => (await report(...args, "--json")).json;
	expect(await json()).toMatchObject([first, other, second]);
	expect(await json("s-1")).toMatchObject([first, second]);
	expect(await json("latest")).toMatchObject([second]);
	expect(await json(checkpointKey(new Date(first.at)))).toMatchObject([first]);
	expect(await json("--since", "2026-01-02T03:15:00Z")).toMatchObject([other, second]);
	expect(await json("--all")).toMatchObject([first, other, second, elsewhere]);
	expect((await report("s-2")).out).toMatch(/^\*\*No summary was seen, so nothing could be compared\.\*\*\n/);
	expect((await report()).out).toContain("3 compactions of 2 sessions: The summary holds 0 of the user's 2 messages");
	expect((await report("s-")).err).toContain("'s-' is the beginning of 3 sessions");
});
