import { expect, test } from "vitest";
import { claudeSandbox, everything } from "./claude-sandbox.ts";
import { bash, does, says, write } from "./replies.ts";

const DATABASE = {
	...{ question: "Which database should it use?", header: "Database", multiSelect: false },
	options: ["SQLite", "Postgres"].map((label) => ({ label, description: "a store" })),
};

/** A dialog takes no key in its first moments. */
const settled = () => Bun.sleep(700);

test("what the user decided in dialogs comes back: a plan approved, a question answered, a call rejected with words", async () => {
	const replies = [
		does(6_000, { name: "ExitPlanMode", input: {} }),
		does(7_000, { name: "AskUserQuestion", input: { questions: [DATABASE] } }),
		does(7_500, bash("git fetch --all")),
		does(8_000, bash("git push --force")),
		does(90_000, bash("echo on")),
		says(6_000, "turn done"),
	];
	const made = claudeSandbox((request) => {
		if (made.main().length > 1) return undefined;
		const [planFile] = /\/[^\s"'`]+\/plans\/[^\s"'`]+\.md/.exec(everything(request))!;
		return does(5_000, write(planFile, "# Move the parser\n\n1. Tests\n2. Move\n"));
	});
	made.queue.push(...replies.map((reply) => ({ delayMs: 200, ...reply })));
	const terminal = made.terminal("--permission-mode", "plan");
	await terminal.shows("plan mode on");
	terminal.send("Plan the move of the parser.");
	for (const question of ["Would you like to proceed?", "Which database should it use?"]) {
		await terminal.shows(question);
		await settled();
		terminal.type("2");
	}
	await terminal.shows(/git fetch --all[\s\S]*Do you want to proceed\?/);
	await settled();
	terminal.press("Tab");
	await settled();
	terminal.type("and always fetch from the mirror");
	await settled();
	terminal.enter();
	await terminal.shows(/git push --force[\s\S]*Do you want to proceed\?/);
	for (const key of ["Down", "Down", "Down", "Tab"]) {
		await settled();
		terminal.press(key);
	}
	await settled();
	await terminal.say("never push to main", "turn done");

	const after = everything(made.last());
	for (const part of [
		"ccg recovery precompact_checkpoint_",
		", approved the plan `Move the parser",
		', answered `Which database should it use?`: \\"Postgres\\"',
		', refused `Bash git push --force`: \\"never push to main\\"',
		"Plan the move of the parser.",
		"and always fetch from the mirror",
	])
		expect(after).toContain(part);

	// the turn's end brings the session's context up to date
	const listed = (): { kind: string; subject: string; words: string }[] =>
		JSON.parse(made.ccg("show", "--as", "approvals", "--json"));
	for (let i = 0; i < 100 && listed().length < 4; i++) await Bun.sleep(100);
	expect(listed().map(({ kind, subject, words }) => [kind, subject, words])).toEqual([
		["plan approved", "Move the parser", ""],
		["answer", "Which database should it use?", "Postgres"],
		["allowed", "Bash git fetch --all", ""],
		["rejected", "Bash git push --force", "never push to main"],
	]);
});
