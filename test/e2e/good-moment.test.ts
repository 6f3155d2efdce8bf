import { expect, test } from "vitest";
import { claudeSandbox, logged } from "./claude-sandbox.ts";
import { bash, does, says } from "./replies.ts";

const HINT = "good moment to /compact";

test("the status line calls the end of a turn a good moment behind a commit, from 60 percent of the way on, until the next answer", async () => {
	const made = claudeSandbox();
	made.allow(["Bash"]);
	const terminal = made.terminal("--permission-mode", "default");
	await terminal.shows("not measured yet");
	const commit = (name: string) =>
		bash(
			`git init -q . 2>/dev/null; echo ${name} > ${name}.txt; git add -A; git -c user.name=t -c user.email=t@t commit -m "Add ${name}"`,
		);
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
