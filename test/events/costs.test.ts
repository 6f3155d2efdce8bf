/** What one event costs, counted and not timed: syncs, by which a network home or an old disk waits for a second each, and bytes of the transcript. */
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { bytesIn, linesIn } from "../../bench/latency/once.ts";
import { sessionFields } from "../../src/doctor/sandbox.ts";
import { isOnLocalDisk } from "../../src/files/quietly.ts";
import { Transcript } from "../kit/events.ts";
import { ccg, LAUNCHER, run, type Sandbox, sandbox } from "../kit/sandbox.ts";

let at: Sandbox;
let path: string;
let transcript: Transcript;
beforeEach(() => {
	at = sandbox("costs");
	path = join(at.home, "s.jsonl");
	transcript = new Transcript(at.project).typed("Build the cart.").said("The cart is built.").usage(131_000);
	// far more than is read at once
	for (let i = 0; i < 2_000; i++) transcript.said(`Step ${i}: ${"words of the agent ".repeat(12)}`);
	transcript.write(path);
});

/** Runs ccg; gives how often it synced, and the KB it read of the transcript. */
async function costOf(args: string[], fields: object = {}): Promise<{ syncs: number; readKb: number; out: string }> {
	const trace = join(at.home, "trace");
	const calls = "trace=fsync,fdatasync,read,pread64";
	const command = ["strace", "-f", "-qq", "-y", "-e", calls, "-o", trace, LAUNCHER, ...args];
	const input = { ...sessionFields(at), cwd: at.project, transcript_path: path, ...fields };
	const { code, out, err } = await run(command, { cwd: at.project, env: at.env, input });
	expect([code, err]).toEqual([0, ""]);
	const traced = readFileSync(trace, "utf8");
	const readKb = bytesIn(traced, (line) => line.includes(`<${path}>`))!;
	return { syncs: linesIn(traced, /^\d+ +f(?:data)?sync\(/)!, readKb, out };
}
const hook = (name: string, fields: object = {}) => costOf(["hook", name], fields);
const syncsOf = async (name: string, fields: object = {}) => (await hook(name, fields)).syncs;

/** On a network home the rollback journal needs more. */
const hasLog = isOnLocalDisk(tmpdir());

test.skipIf(!hasLog)("of all that a session waits for, a checkpoint alone is synced, once", async () => {
	expect(await syncsOf("session-start", { source: "startup" })).toBeLessThanOrEqual(2);
	expect(await syncsOf("session-start", { source: "startup" })).toBe(0);
	expect(await syncsOf("user-prompt-submit", { prompt: "Build the cart." })).toBe(0);
	expect(await syncsOf("stop")).toBeLessThanOrEqual(2);
	expect(await syncsOf("pre-compact", { trigger: "auto" })).toBe(1);
	transcript.boundary().summary().write(path);
	const { syncs, out } = await hook("session-start", { source: "compact" });
	expect([syncs, out]).toEqual([0, expect.stringContaining("ccg recovery precompact_checkpoint_")]);
	expect(await syncsOf("user-prompt-submit", { prompt: "Go on." })).toBe(0);
	expect(await syncsOf("stop")).toBeLessThanOrEqual(2);
	const recalled = await costOf(["recall", "cart"]);
	expect([recalled.syncs, recalled.out]).toEqual([0, expect.stringContaining("The cart is built.")]);
	expect((await ccg(at, ["checkpoint", "list"])).out).toContain("precompact_checkpoint_");
});

test("a request that more than 5 MB of steps follow is read all the same", async () => {
	for (let i = 0; i < 130; i++) transcript.said(`Step ${i}: ${"words of the agent ".repeat(2_600)}`);
	transcript.write(path);
	const { out, readKb } = await hook("pre-compact", { trigger: "auto" });
	expect(readKb).toBeGreaterThan(6_000);
	expect(out).toContain("Build the cart.");
});

test("of a transcript that is known only what is new is read", async () => {
	await hook("session-start", { source: "startup" });
	await hook("stop");
	for (const name of ["stop", "pre-tool-use", "user-prompt-submit", "pre-compact"]) {
		transcript.said("A new line.").write(path);
		const { readKb } = await hook(name, { trigger: "auto", prompt: "x", tool_name: "Bash", tool_input: {} });
		expect(readKb, name).toBeLessThanOrEqual(192);
	}
});
