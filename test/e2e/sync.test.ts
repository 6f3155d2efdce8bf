import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { gitIn } from "../kit/git.ts";
import { LAUNCHER } from "../kit/sandbox.ts";
import { homeAt, joins } from "../kit/sync-commands.ts";
import { type ClaudeSandbox, claudeSandbox, everything, logged } from "./claude-sandbox.ts";
import { bash, does, says } from "./replies.ts";

const until = (isSo: () => Promise<boolean>) => expect.poll(isSo, { timeout: 15_000, interval: 250 }).toBe(true);
const homeOf = ({ home, project }: ClaudeSandbox, user?: string) =>
	homeAt(dirname(home), basename(home), project, user);

// (by a folder and by PostgreSQL hooks share as well: test/security/sync-environment.test.ts)
test("a note of one machine is told on the other, a session left on one goes on there, what comes later is told", async () => {
	const save = `${LAUNCHER} memory save "deploys need the staging key" && ${LAUNCHER} checkpoint save`;
	const answers = [says(20_000, "I know."), does(21_000, bash(save)), says(22_000, "Saved.")];
	answers.push(says(23_000, "What about it?"), says(24_000, "I know that too."));
	const made = claudeSandbox(answers, { name: "app" });
	const bobs = claudeSandbox([says(20_000, "I go on with it.")], { name: "app" });
	const base = dirname(made.home);
	const [here, bob, cid] = [homeOf(made), homeOf(bobs, "bob"), homeAt(base, "cid")];
	const far = join(base, "far.git");
	gitIn(base, base, ["init", "-q", "--bare", far]);
	await here.init(`git:${far}`);
	for (const other of [bob, cid]) await joins(here, other);
	await bob.must("memory", "save", "the relay listens on port 4711");
	for (const one of [bob, here]) await one.must("sync", "now");

	await made.claude("Which port?");
	const start = everything(made.main()[0]!);
	expect(start).toMatch(/bob on [^\n]*: the relay listens on port 4711/);
	expect(start).toContain("From other machines");

	// the end of the turn sends what the agent saved, in a process that nobody waits for
	await made.claude("Save what deploys need.");
	for (const other of [bob, cid])
		await until(async () => {
			await other.ccg("sync", "now");
			return /: deploys need the staging key/.test(other.shared());
		});
	// the session that was left here goes on there
	await until(async () => {
		await bob.ccg("sync", "now");
		return (await bob.ccg("checkpoint", "restore", "--next")).code === 0;
	});
	await bobs.claude("Go on.");
	const there = everything(bobs.main()[0]!);
	expect(there).toMatch(/home on [^\n]*: deploys need the staging key/);
	expect(there).toContain("Save what deploys need.");

	// what the pull brings that the start began, the next prompt tells at the latest
	await cid.must("memory", "save", "the cache lives in Redis");
	await cid.must("sync", "now");
	const terminal = made.terminal();
	await terminal.shows("not measured yet");
	await terminal.say("Is there a cache?", "What about it?");
	await until(async () => here.shared().includes("the cache lives in Redis"));
	await terminal.say("And what is it?", "I know that too.");
	const last = everything(made.last());
	expect(last).toMatch(/cid on [^\n]*: the cache lives in Redis/);
	expect(last.split("lives in Redis")).toHaveLength(2);
	expect(logged(made) + logged(bobs)).toBe("");
});
