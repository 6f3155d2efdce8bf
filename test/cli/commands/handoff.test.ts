import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { Transcript } from "../../kit/events.ts";
import { ccg, hook, type Ran, sandbox } from "../../kit/sandbox.ts";

const at = sandbox("handoff");
const SECRET = `ghp_${"a1B2c3D4e5".repeat(3)}a1B2c3`;
const run = (...args: string[]): Promise<Ran> => ccg(at, ["handoff", ...args]);
let key = "";

beforeAll(async () => {
	const transcript = new Transcript(at.project, new Date(Date.now() - 60_000))
		.typed(`Build the cart. Never touch src/legacy. The token is ${SECRET}.`)
		.call("Bash", { command: "npm test" }, "Tests 2 passed")
		.usage(50_000);
	transcript.write(at.transcript);
	await hook(at, "stop", { hook_event_name: "Stop" });
	key = JSON.parse((await ccg(at, ["checkpoint", "save", "--json"])).out).key;
	transcript.typed("Always use euros.").write(at.transcript);
});

test("of the session as it is now, and of a checkpoint before it", async () => {
	const now = await run();
	expect(now.code).toBe(0);
	for (const part of [
		"> Always use euros.",
		'- "Build the cart. Never touch src/legacy. ',
		"- test: `npm test` (worked",
	])
		expect(now.out).toContain(part);
	const then = await run(key);
	expect(then.out).toContain(`checkpoint ${key} (manual)`);
	expect(then.out).not.toContain("Always use euros");
	for (const { out } of [now, then])
		expect([out.includes(SECRET), out.includes(`${at.home}/`)]).toEqual([false, false]);
});

test("--out writes a file of one's own, and none over another; --pr is for others to read", async () => {
	const path = join(at.project, "pr.md");
	const { out } = await run("--pr", "--out", "pr.md");
	expect(out).toContain(`Written to ${path}. A title for it: `);
	const text = readFileSync(path, "utf8");
	expect(text).toMatch(/^## What\n/);
	expect([text.includes(at.sid), text.includes(SECRET), text.includes("Always use euros.")]).toEqual([
		false,
		false,
		true,
	]);
	const again = await run("--pr", "--out", "pr.md");
	expect([again.code, readFileSync(path, "utf8")]).toEqual([1, text]);
	expect(again.err).toContain("is there already");
});

test("--json gives the parts; what is not there is said", async () => {
	const answer = JSON.parse((await run("latest", "--json")).out);
	expect(answer).toMatchObject({ key, session: at.sid, form: "handoff", path: null });
	expect(answer.parts.map(({ name }: { name: string }) => name)).toContain("directives");
	const none = await run("wave", "--out", "none.md");
	expect([none.code, existsSync(join(at.project, "none.md"))]).toEqual([1, false]);
	expect((await run("--session", "nobody")).code).toBe(1);
});
