import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { printedBy } from "../kit/process.ts";
import { LAUNCHER } from "../kit/sandbox.ts";
import { bash, claudeSandbox, everything, logged } from "./claude-sandbox.ts";
import { playing } from "./loopback-api.ts";

test("a note saved on one machine is told on the other at the next start, and what an agent saves there comes back", async () => {
	const made = claudeSandbox(
		playing([
			{ text: "I know.", tokens: 20_000 },
			{ tools: [bash(`${LAUNCHER} memory save "deploys need the staging key"`)], tokens: 21_000 },
			{ text: "Saved.", tokens: 22_000 },
			{ text: "I know that too.", tokens: 23_000 },
		]),
	);
	const base = dirname(made.home);
	const [shared, home, project] = ["shared", "bob", "bob/app"].map((name) => join(base, name)) as [
		string,
		string,
		string,
	];
	for (const folder of [shared, project]) mkdirSync(folder, { recursive: true });
	const bob = (...args: string[]): string =>
		printedBy([LAUNCHER, ...args], { cwd: project, env: { HOME: home, PATH: "/usr/bin:/bin", USER: "bob" } });
	made.ccg("sync", "init", shared, "--project", "new", "--yes");
	const { projects } = JSON.parse(made.ccg("sync", "status", "--json"));
	const code = /ccg sync join ([0-9a-f-]{23})/.exec(bob("sync", "join", shared))![1]!;
	made.ccg("sync", "join", code);
	bob("sync", "now");
	bob("sync", "init", "--project", projects[0].id, "--yes");
	bob("memory", "save", "the relay listens on port 4711");
	bob("sync", "now");
	made.ccg("sync", "now");

	await made.claude("Which port?");
	const first = everything(made.main()[0]!);
	expect(first).toMatch(/bob on [^\n]*: the relay listens on port 4711/);
	expect(first).toContain("From other machines");

	// the end of the turn sends what the agent saved, in a process that nobody waits for
	await made.claude("Save what deploys need.");
	const told = (): string => {
		bob("sync", "now");
		const [key = ""] = readdirSync(join(home, ".claude-memory", "projects"));
		const path = join(home, ".claude-memory", "projects", key, "shared.md");
		return existsSync(path) ? readFileSync(path, "utf8") : "";
	};
	for (let tries = 0; tries < 40 && !told().includes("staging key"); tries++) await sleep(250);
	expect(told()).toContain("deploys need the staging key");

	// a pull that this start began is told with a later prompt at the latest
	bob("memory", "save", "the cache lives in Redis");
	bob("sync", "now");
	made.ccg("sync", "now");
	await made.claude("And the cache?");
	expect(everything(made.main().at(-1)!)).toMatch(/bob on [^\n]*: the cache lives in Redis/);
	expect(logged(made)).toBe("");
});
