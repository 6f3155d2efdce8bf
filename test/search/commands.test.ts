import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { logPath } from "../../src/store/paths.ts";
import { failed } from "../kit/ccg.ts";
import { embeddingServer, honest, type Received, vectorsOf } from "../kit/embedding-server.ts";
import { Transcript } from "../kit/events.ts";
import { ccg, hook, LAUNCHER, linesOf, run, type Sandbox, sandbox } from "../kit/sandbox.ts";
import { connect } from "../mcp/client.ts";

/** Two subjects, each told in several words; no text is without a direction. */
const SUBJECTS = [/deadlock|transactions/, /kettle|cups/, /^/];
const model = (text: string): number[] => SUBJECTS.map((subject, i) => (subject.test(text) ? [1, 1, 0.1][i]! : 0));
const SID = "0c0ffee0-0000-4000-8000-000000000001";
let at: Sandbox;
beforeEach(() => {
	at = sandbox("semantic");
});

const configure = (embeddings: object): void => {
	mkdirSync(at.store, { recursive: true, mode: 0o700 });
	writeFileSync(join(at.store, "config.json"), JSON.stringify({ embeddings }));
};

/** A session that spoke of both subjects, without the words that are asked for; its turn has ended. */
async function spoken(): Promise<void> {
	const transcript = join(at.home, ".claude", "projects", "p", `${SID}.jsonl`);
	mkdirSync(join(transcript, ".."), { recursive: true });
	new Transcript(at.project)
		.typed("Why does the import hang?")
		.said("Both transactions wait forever, each in the wrong order.")
		.said("The cups are filled.")
		.typed("The relay password is hunter2hunter2, keep it.")
		.write(transcript);
	const fields = { session_id: SID, transcript_path: transcript, hook_event_name: "Stop" };
	expect(await hook(at, "stop", fields)).toMatchObject({ code: 0, out: "", err: "" });
}

const textsIn = (received: Received[]): string[] => received.flatMap(({ body }) => JSON.parse(body).input as string[]);
const first = (out: string): string => out.split("\n").slice(0, 4).join("\n");

test("a turn's end makes its vectors; what is asked in other words is then found, by the MCP server too", async () => {
	const server = embeddingServer(honest(model));
	configure({ url: server.url, model: "tiny" });
	await spoken();
	const sent = textsIn(server.received);
	expect(sent).toHaveLength(4);
	expect(sent.join("\n")).not.toContain("hunter2");
	const { out } = await ccg(at, ["recall", "deadlock"]);
	expect(first(out)).toMatch(
		/^No passage holds: deadlock\. Near in meaning:\nFound in .*\n\[.*agent.*\n\| Both transactions wait/,
	);
	const search = await ccg(at, ["recall", "--json", "kettle"]);
	expect(JSON.parse(search.out)[0].text).toContain("cups");
	expect(search.err).toBe("");
	const client = await connect(at);
	expect((await client.call("recall", { query: "deadlock of hunter2hunter2" })).text).toContain(
		"Both transactions wait",
	);
	const status = await ccg(at, ["index"]);
	expect(status.out).toMatch(/semantic search: tiny at 127\.0\.0\.1:\d+, 4 of 4 passages have a vector\n/);
	expect(status.out).not.toContain("leaves this machine");
});

test("without it nothing is asked, whatever a project or a profile says", async () => {
	const server = embeddingServer(honest(model));
	const embeddings = { url: server.url, model: "tiny" };
	writeFileSync(join(at.project, "config.json"), JSON.stringify({ embeddings }));
	for (const folder of [".claude-memory", ".claude"]) {
		mkdirSync(join(at.project, folder), { mode: 0o700 });
		writeFileSync(join(at.project, folder, "config.json"), JSON.stringify({ embeddings }));
	}
	await spoken();
	const profiles = join(at.store, "profiles");
	mkdirSync(profiles, { recursive: true, mode: 0o700 });
	writeFileSync(join(profiles, "far.json"), JSON.stringify({ embeddings: { url: server.url, model: "tiny" } }));
	expect(await ccg(at, ["config", "use", "far"])).toMatchObject(failed("only config.json may say where text is sent"));
	expect((await ccg(at, ["recall", "import"])).out).toContain("Why does the import hang?");
	expect((await ccg(at, ["index"])).out).toContain("semantic search: off");
	expect(await ccg(at, ["index", "--embed"])).toMatchObject(failed("semantic search is off"));
	expect(server.received).toEqual([]);
});

test.each<[string, (url: string) => object, RegExp]>([
	["dead", () => ({ url: "http://127.0.0.1:1/v1" }), /semantic search could not be reached \(\w+\): text alone/],
	["silent", (url) => ({ url }), /semantic search did not answer within 300 ms: text alone/],
	["without vectors yet", (url) => ({ url }), /no passage has a vector of tiny yet, text alone: .*ccg index --embed/],
])("an endpoint that is %s: the words alone, and one line", async (name, config, line) => {
	const server = embeddingServer((texts) => (name === "silent" ? new Promise(() => {}) : vectorsOf(texts.map(model))));
	await spoken();
	configure({ model: "tiny", ...config(server.url) });
	const { code, out, err } = await ccg(at, ["recall", "import"]);
	expect([code, err]).toEqual([0, ""]);
	expect(out).toContain("Why does the import hang?");
	expect(out.trimEnd().split("\n").at(-1)).toMatch(line);
	// looked for twice, said once
	const none = await ccg(at, ["recall", "--json", "zeppelin"]);
	expect(JSON.parse(none.out)).toEqual([]);
	expect(none.err.trim().split("\n")).toEqual([expect.stringMatching(line)]);
});

test("ccg index --embed makes what is missing, goes on after a failure, and passes over what the model refuses", async () => {
	let answers = 0;
	const server = embeddingServer((texts) => {
		if (answers++ === 0) return new Response("", { status: 503 });
		if (texts.some((text) => text.includes("cups"))) return new Response("", { status: 400 });
		return vectorsOf(texts.map(model));
	});
	await spoken();
	configure({ url: server.url, model: "tiny", keyEnv: "TINY_KEY" });
	const env = { TINY_KEY: "key-of-the-endpoint-4711" };
	const failed = await ccg(at, ["index", "--embed"], { env });
	expect(failed).toMatchObject({
		code: 1,
		err: expect.stringMatching(/127\.0\.0\.1:\d+ answered HTTP 503; the vectors made so far stay/),
	});
	const onTerminal = ["/usr/bin/script", "-qec", `${LAUNCHER} index --embed < /dev/null`, "/dev/null"];
	const done = await run(onTerminal, { cwd: at.project, env: { ...at.env, ...env, TERM: "xterm" } });
	expect(done.out).toContain("\r\u001b[Kmaking vectors: 4 of 4\r\u001b[K");
	expect(done.out).toContain("tiny refused 1 passages");
	expect(done.out).toContain("3 vectors made; 3 of 4 passages have one");
	expect(JSON.parse((await ccg(at, ["index", "--embed", "--json"], { env })).out)).toEqual({
		made: 0,
		refused: 1,
		vectors: 3,
		passages: 4,
	});
	const rebuilt = await ccg(at, ["index", "--rebuild"], { env });
	expect(rebuilt.out).toMatch(/0 of 4 passages have a vector; \S*ccg index --embed makes the others/);
	expect([...new Set(server.received.map(({ headers }) => headers.authorization))]).toEqual([`Bearer ${env.TINY_KEY}`]);
	const all = [failed, done, rebuilt].flatMap(({ out, err }) => [out, err]).join("\n");
	expect(all + server.received.map(({ body }) => body).join("")).not.toContain(env.TINY_KEY);
});

test("text that would leave the machine is said plainly; what is refused, is off", async () => {
	await spoken();
	configure({ url: "https://embeddings.example/v1", model: "tiny" });
	expect((await ccg(at, ["index"])).out).toContain(
		"redacted text of your sessions leaves this machine to embeddings.example",
	);
	configure({ url: "http://embeddings.example/v1", model: "tiny" });
	expect((await ccg(at, ["index"])).out).toContain("semantic search: off");
	expect((await ccg(at, ["doctor"])).out).toMatch(/embeddings\.url: http to embeddings\.example would send/);
	expect((await ccg(at, ["index", "--embed"])).err).toContain("unencrypted");
	expect(linesOf(logPath(at.store))).toEqual([]);
});
