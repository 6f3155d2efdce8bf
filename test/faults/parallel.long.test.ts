import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { loadCheckpoint } from "../../src/store/recovery/checkpoints.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { dropMarker, loadSnapshot, markerState, readCheckpointLog, readPending } from "../kit/cycle.ts";
import { Transcript } from "../kit/events.ts";
import { inBatches, linesOf, listing, run } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";
import { scratch } from "../scratch-home.ts";

const REPO = resolve(import.meta.dirname, "../..");
/** `CCG_TEST_SESSIONS=1000` is the full number; the quick check takes 96. */
const SESSIONS = Number(process.env.CCG_TEST_SESSIONS ?? 96);
const AT_ONCE = 32;

function world() {
	const home = scratch("parallel");
	const project = join(home, "project");
	mkdirSync(project);
	const transcript = new Transcript(project).typed("Never push.").usage(150_000).write(join(home, "t.jsonl"));
	const store = join(home, ".claude-memory");
	const hook = (name: string, sid: string, fields: object) => () =>
		run([process.execPath, "--config=/dev/null", "--no-env-file", join(REPO, `dist/hooks/${name}.js`)], {
			env: { HOME: home, TZ: "UTC" },
			cwd: project,
			input: { session_id: sid, transcript_path: transcript, cwd: project, ...fields },
		});
	return { home, store, project, hook };
}

/** Every JSON file of the store parses, every line of its logs is whole, nothing was found damaged. */
function tornFiles(store: string): string[] {
	return listing(store, "").filter((path) => {
		if (path.includes(".damaged-") || path.endsWith(".tmp")) return true;
		if (!/\.jsonl?$/.test(path)) return false;
		const text = readFileSync(path, "utf8");
		try {
			for (const line of path.endsWith("l") ? text.split("\n").filter(Boolean) : [text]) JSON.parse(line);
			return !text.endsWith("\n");
		} catch {
			return true;
		}
	});
}

test("64 hooks on one session at once: one nudge, no lost line, no torn file", async () => {
	const { store, hook } = world();
	dropMarker(sessionAt(storeAt(store), "s"), { at: new Date().toISOString(), tokens: 1, distance: 1, trigger: 2 });
	const jobs = Array.from(
		{ length: 64 },
		(_, i) =>
			[
				hook("pre-tool-use", "s", { tool_name: "Bash" }),
				hook("post-tool-batch", "s", {}),
				hook("pre-compact", "s", { trigger: "manual" }),
				hook("pre-tool-use", "s", { tool_name: "Read" }),
			][i % 4]!,
	);
	const runs = await Promise.all(jobs.map((job) => job()));
	expect(runs.filter(({ code, err }) => code !== 0 || err !== "")).toEqual([]);
	expect(linesOf(join(store, "log", "ccg.log"))).toEqual([]);
	expect(runs.filter(({ out }) => out.includes('"PreToolUse"')).length).toBeLessThanOrEqual(1);
	// what a hook started beside itself may write yet
	await expect.poll(() => tornFiles(store), { timeout: 20_000 }).toEqual([]);
	const compactions = runs.filter(({ out }) => out.includes("Never push.")).length;
	expect(compactions).toBe(16);
	const session = sessionAt(storeAt(store), "s");
	const keys = readCheckpointLog(session).map(({ key }) => key);
	expect(keys.filter((key) => !loadCheckpoint(session, key))).toEqual([]);
	expect(
		loadCheckpoint(sessionAt(storeAt(store), "s"), readPending(sessionAt(storeAt(store), "s"))!.key),
	).not.toBeNull();
}, 60_000);

test("64 tool calls at once on a fresh marker: exactly one nudge", async () => {
	const { store, hook } = world();
	const session = sessionAt(storeAt(store), "s");
	dropMarker(session, { at: new Date().toISOString(), tokens: 1, distance: 1, trigger: 2 });
	const runs = await Promise.all(Array.from({ length: 64 }, hook("pre-tool-use", "s", { tool_name: "Bash" })));
	expect(runs.filter(({ out }) => out !== "")).toHaveLength(1);
	expect(runs.filter(({ code, err }) => code !== 0 || err !== "")).toEqual([]);
	expect(markerState(session)).toBe("nudged");
}, 60_000);

test(`${SESSIONS} sessions writing, ${AT_ONCE} processes at a time: no lost line, no torn file`, async () => {
	const { store, hook } = world();
	const sids = Array.from({ length: SESSIONS }, (_, i) => `s-${i}`);
	const jobs = sids.flatMap((sid) => [hook("pre-compact", sid, { trigger: "manual" }), hook("stop", sid, {})]);
	const runs = await inBatches(jobs, AT_ONCE);
	expect(runs.filter(({ code, err }) => code !== 0 || err !== "")).toEqual([]);
	expect(runs.filter(({ out }) => out.includes("Never push."))).toHaveLength(SESSIONS);
	expect(
		sids.filter((sid) => loadSnapshot(sessionAt(storeAt(store), sid), new Date()).state.messages.length !== 1),
	).toEqual([]);
	expect(linesOf(join(store, "log", "ccg.log"))).toEqual([]);
	expect(
		sids.filter(
			(sid) => !loadCheckpoint(sessionAt(storeAt(store), sid), readPending(sessionAt(storeAt(store), sid))?.key ?? ""),
		),
	).toEqual([]);
	// Stop may take one of its own beside it
	const ofCompaction = (sid: string) =>
		readCheckpointLog(sessionAt(storeAt(store), sid)).filter(({ trigger }) => trigger === "manual");
	expect(sids.filter((sid) => ofCompaction(sid).length !== 1)).toEqual([]);
	expect(tornFiles(store)).toEqual([]);
}, 600_000);
