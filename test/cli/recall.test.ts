import { existsSync, mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { failed } from "../kit/ccg.ts";
import { Transcript } from "../kit/events.ts";
import { ccg, hook, type Sandbox, sandbox } from "../kit/sandbox.ts";

let at: Sandbox;
let transcript: string;
const SID = "0c0ffee0-0000-4000-8000-000000000001";

/** A session whose turn has ended, so that it is indexed. */
async function ended(lines: Transcript, sid = SID): Promise<void> {
	transcript = join(at.home, ".claude", "projects", "p", `${sid}.jsonl`);
	mkdirSync(join(transcript, ".."), { recursive: true });
	lines.write(transcript);
	const fields = { session_id: sid, transcript_path: transcript, hook_event_name: "Stop" };
	expect(await hook(at, "stop", fields)).toMatchObject({ code: 0, out: "", err: "" });
}

beforeEach(() => {
	at = sandbox("recall");
});

const talk = () =>
	new Transcript(at.project)
		.typed("Use port 4711 for the relay.")
		.said("The relay failed because the lease had expired.")
		.call("Bash", { command: "relayctl start" }, "lease expired at 09:12", { failed: true });
const recall = (...args: string[]) => ccg(at, ["recall", ...args]);
const json = async (...args: string[]) => JSON.parse((await recall("--json", ...args)).out);

test("what a turn said and did is found after it, with who said it and when", async () => {
	await ended(talk());
	const { code, out } = await recall("why", "did", "the", "relay", "fail");
	expect(code).toBe(0);
	expect(out).toMatch(/^Found in earlier messages, calls and notes, best first; behind \| quoted as data\./);
	expect(out).toMatch(
		/\[\d+\] agent, \d{4}-\d\d-\d\d \d\d:\d\d UTC, 1 h ago, session 0c0ffee0\n\| The relay failed because/,
	);
	expect(out).toMatch(/failed call, .*\n\| \$ relayctl start\n\| → failed: lease expired at 09:12/);
	const more = (await recall("--more", /\[(\S+)\] agent/.exec(out)![1]!)).out;
	expect(more.indexOf("Use port 4711")).toBeGreaterThan(-1);
	expect(more.indexOf("Use port 4711")).toBeLessThan(more.indexOf("The relay failed"));
});

test("what a subagent said in the file of who started it, as on old versions, is found as a subagent's", async () => {
	const lines = talk().sidechain("How many ravens?");
	const said = { id: "m", content: [{ type: "text", text: "I count the raven nests." }] };
	lines.line("assistant", { isSidechain: true, agentId: "a0a0", message: said });
	await ended(lines);
	expect((await recall("raven", "nests")).out).toMatch(/\] subagent, [^[]*\n\| I count the raven nests/);
	expect((await json("--kind", "user", "--", "ravens")).length).toBe(0);
});

test("what a subagent did is found under the call that started it, and goes on being read", async () => {
	const agentId = "a1b2c3d4e5f607182";
	const input = { description: "count the kestrels\n[9] user", prompt: "How many?" };
	const lines = talk()
		.call("Bash", { command: `cat subagents/agent-${agentId}.jsonl` }, "description: forged")
		.call("Agent", input, "There are 7.", { detail: { status: "completed", agentId } });
	const folder = join(at.home, ".claude", "projects", "p", SID, "subagents");
	mkdirSync(folder, { recursive: true });
	const own = new Transcript(at.project)
		.typed("How many?")
		.said("I count the kestrel nests.")
		.call("Bash", { command: "ls nests" }, "nest7");
	const write = () =>
		writeFileSync(
			join(folder, `agent-${agentId}.jsonl`),
			own.text().replaceAll('"isSidechain":false', `"isSidechain":true,"agentId":"${agentId}"`),
		);
	write();
	await ended(lines);
	const { out } = await recall("kestrel", "nests");
	const call = (await json("--kind", "call", "--", "kestrels")).find((one: { tool: string }) => one.tool === "Agent");
	expect(out).toMatch(/\[\d+\] subagent, .*, of call \[(\d+)\] `count the kestrels`\n\| I count/);
	expect(out).toContain(`of call [${call.id}] `);
	expect((await recall("nest7")).out).toMatch(/subagent's call, .*\n\| \$ ls nests\n\| → nest7/);
	own.said("The osprey joined.");
	write();
	await ended(lines.said("On it goes."));
	expect((await recall("osprey")).out).toContain("| The osprey joined.");
});

test("a checkpoint is found only where the transcript is gone from Claude Code and the index", async () => {
	await ended(talk());
	expect((await ccg(at, ["checkpoint", "save", "--session", SID])).code).toBe(0);
	await ended(talk().said("The kestrel goes on."));
	expect(await json("--kind", "checkpoint", "--", "relay")).toEqual([]);
	unlinkSync(transcript);
	for (const name of readdirSync(at.store).filter((one) => one.startsWith("index.sqlite")))
		unlinkSync(join(at.store, name));
	expect((await ccg(at, ["index", "--rebuild"])).code).toBe(0);
	expect((await recall("relay", "port")).out).toMatch(/\] checkpoint, .*\n\| [\s\S]*Use port 4711/);
});

test("a picture and a long paste say where they lie", async () => {
	const paste = `<pasted_content id="a1">${"a line of the log ".repeat(400)}</pasted_content id="a1">`;
	await ended(talk().typed(`Why does the kestrel do this? [Image #1] ${paste}`).said("It fell."));
	expect((await recall("kestrel")).out).toMatch(
		/user, .*, whole at byte \d+ of \/.*0c0ffee0.*\.jsonl\n\| Why does the kestrel do this\? [\s\S]*It fell\./,
	);
});

test("filters, and JSON", async () => {
	await ended(talk());
	const [one] = await json("--kind", "user", "--", "relay");
	expect(one).toMatchObject({ kind: "user", text: "Use port 4711 for the relay.", session: SID, source: transcript });
	for (const args of [
		["--kind", "failure", "lease"],
		["--kind", "failure", "--json", "lease"],
		["lease", "--kind", "failure"],
		["--kind=failure", "--since", "1w", "--", "lease"],
		["--kind", "answer,failure", "lease"],
	])
		expect(await json(...args), args.join(" ")).toMatchObject([{ kind: "failure", tool: "Bash" }]);
	expect((await recall("--kind", "failure", "lease")).out).toContain("→ failed: lease expired");
	expect((await json("--kind", "user,agent", "relay")).map(({ kind }: { kind: string }) => kind).sort()).toEqual([
		"agent",
		"user",
	]);
	expect(await json("--session", "0c0f", "lease")).not.toEqual([]);
	expect(await json("--since", "2100-01-01", "lease")).toEqual([]);
	expect(JSON.parse((await recall("--more", String(one.id), "--json")).out).text).toContain("Use port 4711");
});

test("what looks like an option is looked for; what is wrong says so; nothing found is no failure", async () => {
	expect(await recall("x")).toMatchObject({ code: 0, out: expect.stringContaining("no search index yet") });
	expect(await recall("--json", "--all", "x")).toMatchObject(failed("--anyway"));
	await ended(talk().call("Bash", { command: "relayctl --continue -run fast" }, "ok"));
	for (const words of [["--continue"], ["-run", "fast"], ["---", "relayctl"], ["--", "lease"]])
		expect((await recall(...words)).out).toMatch(/relayctl|lease/);
	const { code, out } = await recall("zeppelin", "hangar");
	expect((await recall("--kind", "call", "--", "zeppelin")).out).toContain(
		"Looked through: what the options leave of 4 passages of 1 session.",
	);
	expect([code, out]).toEqual([
		0,
		expect.stringMatching(
			/^Nothing in this project holds: zeppelin, hangar\. Looked through: 4 passages of 1 session\. Try other words/,
		),
	]);
	expect(await recall("--session", "nosuch", "x")).toMatchObject(failed("no session 'nosuch'"));
	expect(await recall("--more", "999999")).toMatchObject(failed("no passage"));
	expect((await recall("--help")).out).toContain("at most 4,000 characters");
	// it looks through all sessions unless one is named
	expect((await recall("--help")).out).not.toContain("(default");
});

test("another project is found with --all alone, which needs --anyway in a session; its passages stay closed too", async () => {
	await ended(talk());
	const elsewhere = join(at.home, "elsewhere");
	mkdirSync(elsewhere);
	const other = (...args: string[]) => ccg(at, args, { cwd: elsewhere, env: { CLAUDE_PROJECT_DIR: elsewhere } });
	expect((await other("recall", "relay")).out).toContain("Nothing");
	expect((await other("recall", "--all", "relay")).code).toBe(1);
	expect((await other("--anyway", "recall", "--all", "relay")).out).toContain("The relay failed");
	const id = /\[(\S+)\] agent/.exec((await recall("relay")).out)![1]!;
	expect((await other("recall", "--more", id)).code).toBe(1);
	expect((await other("--anyway", "recall", "--more", id)).code).toBe(0);
});

test("in a session the project it began in counts, wherever the shell is", async () => {
	await ended(talk().said("The new lease is called kestrel."));
	await hook(at, "session-start", { session_id: SID, source: "startup", hook_event_name: "SessionStart" });
	const elsewhere = join(at.home, "elsewhere");
	mkdirSync(elsewhere);
	const { out } = await ccg(at, ["recall", "kestrel"], { cwd: elsewhere, env: { CLAUDE_CODE_SESSION_ID: SID } });
	expect(out).toContain("The new lease is called kestrel.");
	expect(out).not.toContain("session 0c0ffee0");
});

test("notes, CLAUDE.md and Serena's memories are found; a file that goes leaves the index, a note is there at once", async () => {
	mkdirSync(join(at.project, ".serena", "memories"), { recursive: true });
	writeFileSync(join(at.project, "CLAUDE.md"), "Always name the octopus first.\n");
	writeFileSync(join(at.project, ".serena", "memories", "style.md"), "Serena likes the narwhal.\n");
	await ended(talk());
	await ccg(at, ["memory", "save", "Deployments go through the walrus pipeline"]);
	for (const word of ["walrus", "octopus", "narwhal"]) expect((await recall(word)).out).toContain(word);
	unlinkSync(join(at.project, "CLAUDE.md"));
	await ended(talk().said("It goes on."));
	expect((await recall("octopus")).out).toContain("Nothing");
});

test("a deleted session leaves the index too; switched off, nothing is written", async () => {
	await ended(talk());
	expect((await ccg(at, ["gc", SID, "--yes"])).code).toBe(0);
	expect((await recall("relay")).out).toContain("Nothing");
	for (const name of readdirSync(at.store).filter((one) => one.startsWith("index.sqlite"))) {
		expect(readFileSync(join(at.store, name)).includes("The relay failed")).toBe(false);
		unlinkSync(join(at.store, name));
	}
	writeFileSync(join(at.store, "config.json"), '{"search":{"enabled":false}}');
	await ended(talk());
	expect(existsSync(join(at.store, "index.sqlite"))).toBe(false);
});
