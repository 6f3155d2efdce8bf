import { existsSync, mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { SearchIndex } from "../../../src/store/search/search-index.ts";
import { Transcript } from "../../kit/events.ts";
import { ccg, hook, type Sandbox, sandbox } from "../../kit/sandbox.ts";

let at: Sandbox;
let transcript: string;
const SID = "0c0ffee0-0000-4000-8000-000000000001";

/** A session whose turn has ended, so that it is indexed. */
async function ended(lines: Transcript, sid = SID, cwd = at.project): Promise<void> {
	transcript = join(at.home, ".claude", "projects", "p", `${sid}.jsonl`);
	mkdirSync(join(transcript, ".."), { recursive: true });
	lines.write(transcript);
	const fields = { session_id: sid, transcript_path: transcript, hook_event_name: "Stop" };
	expect(await hook(at, "stop", fields, { cwd })).toMatchObject({ code: 0, out: "", err: "" });
}

beforeEach(() => {
	at = sandbox("recall");
});

const talk = () =>
	new Transcript(at.project)
		.typed("Use port 4711 for the relay.")
		.said("The relay failed because the lease had expired.")
		.call("Bash", { command: "relayctl start" }, "lease expired at 09:12", { failed: true });

test("what a turn said and did is found after it, with who said it and when", async () => {
	await ended(talk());
	const { code, out } = await ccg(at, ["recall", "why", "did", "the", "relay", "fail"]);
	expect(code).toBe(0);
	expect(out).toMatch(/^Found in earlier messages, calls and notes, best first; behind \| quoted as data\./);
	expect(out).toMatch(
		/\[\w{5}\.\w+\] agent, \d{4}-\d\d-\d\d \d\d:\d\d UTC, session 0c0ffee0\n\| The relay failed because/,
	);
	expect(out).toMatch(/failed call, .*\n\| \$ relayctl start\n\| → failed: lease expired at 09:12/);
	const id = /\[(\S+)\] agent/.exec(out)![1]!;
	const more = await ccg(at, ["recall", "--more", id]);
	expect(more.out.indexOf("Use port 4711")).toBeGreaterThan(-1);
	expect(more.out.indexOf("Use port 4711")).toBeLessThan(more.out.indexOf("The relay failed"));
});

test("what looks like an option is looked for", async () => {
	await ended(talk().call("Bash", { command: "relayctl --continue -run fast" }, "ok"));
	for (const words of [["--continue"], ["-run", "fast"], ["---", "relayctl"], ["--", "lease"]])
		expect((await ccg(at, ["recall", ...words])).out).toMatch(/relayctl|lease/);
	expect(await ccg(at, ["recall", "--more"])).toMatchObject({ code: 2, err: expect.stringContaining("needs the id") });
	expect((await ccg(at, ["recall", "--help"])).out).toContain("at most 4,000 characters");
	expect(JSON.parse((await ccg(at, ["recall", "--json", "lease"])).out).text).toContain("lease");
});

test("nothing found, no index, no words: a clear answer each", async () => {
	expect(await ccg(at, ["recall", "x"])).toMatchObject({
		code: 1,
		err: expect.stringContaining("no search index yet"),
	});
	await ended(talk());
	const { code, out } = await ccg(at, ["recall", "zeppelin", "hangar"]);
	expect([code, out.trim()]).toEqual([
		0,
		expect.stringMatching(/^Nothing .* holds: zeppelin, hangar\. Try other words/),
	]);
	expect(await ccg(at, ["recall"])).toMatchObject({ code: 2, err: expect.stringContaining("name what to look for") });
	expect(await ccg(at, ["recall", "--more", "zzzzz.1"])).toMatchObject({
		code: 1,
		err: expect.stringContaining("no passage"),
	});
});

test("another project is found with --all alone, and recall has no such option", async () => {
	await ended(talk());
	const elsewhere = join(at.home, "elsewhere");
	mkdirSync(elsewhere);
	const other = (args: string[]) => ccg(at, args, { cwd: elsewhere, env: { CLAUDE_PROJECT_DIR: elsewhere } });
	expect((await other(["recall", "relay"])).out).toContain("Nothing");
	expect((await other(["search", "relay"])).out).toContain("--all searches all of them");
	expect((await other(["search", "--all", "relay"])).out).toContain("The relay failed");
	expect((await other(["search", "--project", at.project, "relay"])).out).toContain("The relay failed");
	expect((await other(["recall", "--all", "relay"])).code).toBe(2);
	expect(await other(["search", "--project", join(at.home, "mistyped"), "relay"])).toMatchObject({
		code: 1,
		err: expect.stringContaining("there is no folder"),
	});
	const id = /\[(\S+)\] agent/.exec((await ccg(at, ["recall", "relay"])).out)![1]!;
	expect((await other(["recall", "--more", id])).code).toBe(1);
});

test("in a session the project it began in counts, wherever the agent's shell is", async () => {
	await ended(talk());
	await hook(at, "session-start", { session_id: SID, source: "startup", hook_event_name: "SessionStart" });
	const elsewhere = join(at.home, "elsewhere");
	mkdirSync(elsewhere);
	const { out } = await ccg(at, ["recall", "relay"], { cwd: elsewhere, env: { CLAUDE_CODE_SESSION_ID: SID } });
	expect(out).toContain("The relay failed");
	expect(out).not.toContain("session 0c0ffee0");
});

test("what the running turn has said is found too", async () => {
	await ended(talk());
	talk().said("The new lease is called kestrel.").write(transcript);
	const { out } = await ccg(at, ["recall", "kestrel"], { env: { CLAUDE_CODE_SESSION_ID: SID } });
	expect(out).toContain("The new lease is called kestrel.");
});

test("a note is found as soon as it is saved, and a rebuild reads notes of a project without a transcript", async () => {
	await ended(talk());
	await ccg(at, ["memory", "save", "The wombat port is 4712."]);
	expect((await ccg(at, ["recall", "wombat"])).out).toContain("4712");
	await ccg(at, ["memory", "save", "The quokka queue has no retries at all."]);
	expect((await ccg(at, ["search", "quokka"])).out).toContain("no retries");
	unlinkSync(transcript);
	unlinkSync(join(at.store, "index.sqlite"));
	expect((await ccg(at, ["index", "rebuild"])).code).toBe(0);
	expect((await ccg(at, ["search", "quokka"])).out).toContain("no retries");
});

test("search: filters, context, JSON with the line of the transcript", async () => {
	await ended(talk());
	const found = async (...args: string[]) => JSON.parse((await ccg(at, ["search", "--json", ...args])).out);
	const [one] = await found("--kind", "user", "--", "relay");
	expect(one).toMatchObject({
		kind: "user",
		text: "Use port 4711 for the relay.",
		session: SID,
		source: transcript,
		left: false,
	});
	const line = readFileSync(transcript, "utf8").split("\n")[one.line - 1]!;
	expect(line).toContain("Use port 4711");
	expect(await found("--tool", "bash", "lease")).toHaveLength(1);
	expect(await found("--since", "2001-01-01", "--until", "2001-01-02", "lease")).toEqual([]);
	expect((await found("--context", "1", "lease had expired"))[0].around.length).toBeGreaterThan(1);
	expect(await found("--session", "0c0f", "lease")).not.toEqual([]);
	for (const [args, why] of [
		[["--session", "nosuch", "x"], "no session 'nosuch'"],
		[["--since", "soon", "x"], "it must be a day"],
		[["--kind", "dream", "x"], "Allowed choices"],
	] as const) {
		const { code, err } = await ccg(at, ["search", ...args]);
		expect([code !== 0, err]).toEqual([true, expect.stringContaining(why)]);
	}
});

test("notes, daily logs, CLAUDE.md, Claude Code's memory and Serena's are found; a file that goes leaves the index", async () => {
	await ccg(at, ["memory", "save", "Deployments go through the walrus pipeline"]);
	mkdirSync(join(at.project, ".serena", "memories"), { recursive: true });
	writeFileSync(join(at.project, "CLAUDE.md"), "Always name the octopus first.\n");
	writeFileSync(join(at.project, ".serena", "memories", "style.md"), "Serena likes the narwhal.\n");
	await ended(talk());
	for (const word of ["walrus", "octopus", "narwhal"]) expect((await ccg(at, ["recall", word])).out).toContain(word);
	unlinkSync(join(at.project, "CLAUDE.md"));
	await ended(talk());
	expect((await ccg(at, ["recall", "octopus"])).out).toContain("Nothing");
});

test("the index is derived: deleted or damaged it is made again, by the next turn and whole by rebuild", async () => {
	await ended(talk());
	const index = join(at.store, "index.sqlite");
	unlinkSync(index);
	expect((await ccg(at, ["recall", "relay"])).code).toBe(1);
	await ended(talk());
	expect((await ccg(at, ["recall", "relay"])).out).toContain("The relay failed");
	writeFileSync(index, "spoiled ".repeat(2_000));
	for (const end of ["-wal", "-shm"]) if (existsSync(index + end)) unlinkSync(index + end);
	const { code, out } = await ccg(at, ["index", "rebuild"]);
	expect([code, out]).toEqual([0, expect.stringContaining("3 passages of 1 sessions")]);
	expect((await ccg(at, ["recall", "relay"])).out).toContain("The relay failed");
	expect(readdirSync(at.store).some((name) => /^index\.sqlite\.damaged-\d{14}$/.test(name))).toBe(true);
	expect(JSON.parse((await ccg(at, ["index", "--json"])).out)).toMatchObject({ sessions: 1, path: index });
});

test("a rebuild keeps the project of a session whose folder is gone, as a worktree's", async () => {
	await ended(new Transcript(join(at.home, "gone")).typed("Use port 4711 for the relay."));
	SearchIndex.use(at.store, {}, (index) => index.drop({ session: SID }));
	SearchIndex.use(at.store, {}, (index) => index.list([{ path: transcript, session: SID, project: "repo-12345678" }]));
	expect((await ccg(at, ["index", "rebuild"])).code).toBe(0);
	const [found] = JSON.parse((await ccg(at, ["search", "--all", "--json", "relay"])).out);
	expect(found).toMatchObject({ project: "repo-12345678" });
});

test("a deleted session leaves the index too", async () => {
	await ended(talk());
	expect((await ccg(at, ["sessions", "delete", SID, "--yes"])).code).toBe(0);
	expect((await ccg(at, ["recall", "relay"])).out).toContain("Nothing");
	for (const name of readdirSync(at.store).filter((one) => one.startsWith("index.sqlite")))
		expect(readFileSync(join(at.store, name)).includes("The relay failed")).toBe(false);
});

test("switched off, nothing is written", async () => {
	mkdirSync(at.store, { recursive: true });
	writeFileSync(join(at.store, "config.json"), '{"version":1,"search":{"enabled":false}}');
	await ended(talk());
	expect(existsSync(join(at.store, "index.sqlite"))).toBe(false);
});
