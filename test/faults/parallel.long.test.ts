import { join } from "node:path";
import { expect, test } from "vitest";
import { tryOrUndefined } from "../../src/files/quietly.ts";
import { readCheckpoint } from "../../src/store/recovery/checkpoints.ts";
import { sessionHandle } from "../../src/store/session-handle.ts";
import { dropMarker, loadSnapshot, markerState, readCheckpointLog, readPending } from "../kit/cycle.ts";
import { Transcript } from "../kit/events.ts";
import { hook, inBatches, linesOf, type Run, sandbox } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";
import { textsBelow } from "../security/kit.ts";

/** `CCG_TEST_SESSIONS=1000` is the full number; the quick check takes 96. */
const SESSIONS = Number(process.env.CCG_TEST_SESSIONS ?? 96);
const AT_ONCE = 32;

function world() {
	const at = sandbox("parallel");
	new Transcript(at.project).typed("Never push.").usage(150_000).write(at.transcript);
	const call = (name: string, sid: string, fields: object) => () => hook({ ...at, sid }, name, fields);
	return { store: at.store, hook: call, of: (sid: string) => sessionHandle(storeAt(at.store), sid) };
}

/** Files of the store that are damaged: of JSON what does not parse, of logs a line that is not whole. */
function tornFiles(store: string): string[] {
	const isTorn = ({ path, text }: { path: string; text: string }): boolean => {
		if (path.includes(".damaged-") || path.endsWith(".tmp")) return true;
		const lines = path.endsWith(".jsonl") ? text.split("\n").filter(Boolean) : [text];
		return /\.jsonl?$/.test(path) && (!text.endsWith("\n") || lines.some((line) => !isJson(line)));
	};
	return textsBelow(store).flatMap((file) => (isTorn(file) ? [file.path] : []));
}

const isJson = (text: string): boolean => tryOrUndefined(() => JSON.parse(text)) !== undefined;

/** None failed and none told anything; gives what they said. */
function saidBy(store: string, runs: Run[]): string[] {
	expect(runs.filter(({ code, err }) => code !== 0 || err !== "")).toEqual([]);
	expect(linesOf(join(store, "log", "ccg.log"))).toEqual([]);
	return runs.map(({ out }) => out);
}

test("64 hooks on one session at once: one nudge, no lost line, no torn file", async () => {
	const { store, hook, of } = world();
	const session = of("s");
	dropMarker(session, { tokens: 1, distance: 1, trigger: 2 });
	const kinds = [
		hook("pre-tool-use", "s", { tool_name: "Bash" }),
		hook("post-tool-use", "s", {}),
		hook("pre-compact", "s", { trigger: "manual" }),
		hook("pre-tool-use", "s", { tool_name: "Read" }),
	];
	const said = saidBy(store, await Promise.all(Array.from({ length: 64 }, (_, i) => kinds[i % 4]!())));
	expect(said.filter((out) => out.includes('"PreToolUse"')).length).toBeLessThanOrEqual(1);
	// what a hook started beside itself may write yet
	await expect.poll(() => tornFiles(store), { timeout: 20_000 }).toEqual([]);
	expect(said.filter((out) => out.includes("Never push."))).toHaveLength(16);
	const keys = readCheckpointLog(session).map(({ key }) => key);
	expect([...keys, readPending(session)!.key].filter((key) => !readCheckpoint(session, key))).toEqual([]);
}, 60_000);

test("64 tool calls at once on a fresh marker: exactly one nudge", async () => {
	const { store, hook, of } = world();
	dropMarker(of("s"), { tokens: 1, distance: 1, trigger: 2 });
	const runs = await Promise.all(Array.from({ length: 64 }, hook("pre-tool-use", "s", { tool_name: "Bash" })));
	expect(saidBy(store, runs).filter((out) => out !== "")).toHaveLength(1);
	expect(markerState(of("s"))).toBe("nudged");
}, 60_000);

test(`${SESSIONS} sessions writing, ${AT_ONCE} processes at a time: no lost line, no torn file`, async () => {
	const { store, hook, of } = world();
	const sids = Array.from({ length: SESSIONS }, (_, i) => `s-${i}`);
	const jobs = sids.flatMap((sid) => [hook("pre-compact", sid, { trigger: "manual" }), hook("stop", sid, {})]);
	const said = saidBy(store, await inBatches(jobs, AT_ONCE));
	expect(said.filter((out) => out.includes("Never push."))).toHaveLength(SESSIONS);
	for (const session of sids.map(of)) {
		expect(loadSnapshot(session, new Date()).state.messages, session.id).toHaveLength(1);
		expect(readCheckpoint(session, readPending(session)?.key ?? ""), session.id).not.toBeNull();
		// Stop may take one of its own beside it
		expect(readCheckpointLog(session).filter(({ trigger }) => trigger === "manual")).toHaveLength(1);
	}
	expect(tornFiles(store)).toEqual([]);
}, 600_000);
