import { expect, test } from "vitest";
import { claudeSandbox, everything, logged, times } from "./claude-sandbox.ts";
import { queuePlugin } from "./plugin-sandbox.ts";
import { bash, does, says } from "./replies.ts";

const HINT = "good moment to /compact";
const commit = (name: string) =>
	bash(
		`git init -q . 2>/dev/null; echo ${name} > ${name}.txt; git add -A; git -c user.name=t -c user.email=t@t commit -m "Add ${name}"`,
	);

test("the status line calls the end of a turn a good moment behind a commit, from 60 percent of the way on, until the next answer", async () => {
	const made = claudeSandbox();
	made.allow(["Bash"]);
	const terminal = made.terminal("--permission-mode", "default");
	await terminal.shows("not measured yet");
	made.queue.push(does(20_000, commit("first")), says(21_000, "The first one is committed."));
	await terminal.say("Add a file and commit it.", "first one is committed");
	await terminal.shows("21k/67k");
	await Bun.sleep(1_500);
	expect(terminal.screen()).not.toContain(HINT);
	made.queue.push(does(44_000, commit("second")), says(45_000, "The second one is committed."));
	await terminal.say("And one more.", "second one is committed");
	await terminal.shows(HINT);
	made.queue.push(says(46_000, "It is a text file."));
	await terminal.say("What is it?", "It is a text file");
	await terminal.shows("46k/67k");
	expect(terminal.screen()).not.toContain(HINT);
	expect(logged(made)).toBe("");
});

test('with "moment": "auto" and the queue plugin a good moment compacts: not before it is worth it, not where the agent asks', async () => {
	const made = claudeSandbox();
	made.allow(["Bash"]);
	made.configure({ moment: "auto" });
	const terminal = made.terminal("--permission-mode", "default", "--plugin-dir", queuePlugin());
	await terminal.shows("not measured yet");
	const work = async (tokens: number, name: string, last: string) => {
		made.queue.push(does(tokens, commit(name)), says(tokens + 100, last));
		await terminal.say(`Add ${name} and commit it.`, last);
		await Bun.sleep(2_000);
		return made.summaries().length;
	};
	expect(await work(20_000, "first", "The first one is committed.")).toBe(0);
	expect(await work(44_000, "second", "The second one is committed. Shall I push?")).toBe(0);
	expect(await work(45_000, "third", "The third one is committed.")).toBe(1);
	await terminal.shows("1 compaction");
	expect(made.summaries()[0]!.last).toContain("Add third and commit it.");
	expect(await work(9_000, "fourth", "The fourth one is committed.")).toBe(1);
	expect(everything(made.last())).toContain("## Request at hand");
	expect(logged(made)).toBe("");
});

test('with "moment": "agent" the next prompt tells the agent of the good moment before it, and no later one', async () => {
	const made = claudeSandbox();
	made.allow(["Bash"]);
	made.configure({ moment: "agent" });
	const terminal = made.terminal("--permission-mode", "default");
	await terminal.shows("not measured yet");
	const told = () => times(made.last(), "a good moment to compact");
	made.queue.push(does(44_000, commit("first")), says(45_000, "The first one is committed."));
	await terminal.say("Add a file and commit it.", "first one is committed");
	await terminal.shows(HINT);
	expect(told()).toBe(0);
	made.queue.push(says(46_000, "It is a text file."));
	await terminal.say("What is it?", "It is a text file");
	expect(told()).toBe(1);
	made.queue.push(says(47_000, "It is short."));
	await terminal.say("How long is it?", "It is short");
	expect(told()).toBe(1);
	expect(logged(made)).toBe("");
});
