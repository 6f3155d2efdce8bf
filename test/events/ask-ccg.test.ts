import { join } from "node:path";
import { expect, test } from "vitest";
import { userPromptSubmit } from "../../src/events/user-prompt-submit.ts";
import { makeFake } from "../doctor/fixture.ts";
import { hookOf } from "../kit/services.ts";
import { scratch } from "../scratch-home.ts";

/** A `ccg` that prints the words it is called with, each in brackets, and its session. */
const ECHO = `for word; do printf '[%s]' "$word"; done; echo " in $CLAUDE_CODE_SESSION_ID"`;

function answerTo(prompt: string, script = ECHO) {
	const home = scratch("home");
	return userPromptSubmit(hookOf(home, { prompt, cwd: home }, { launcher: makeFake(join(home, "ccg"), script) }));
}

test.each([
	["ccg", "[status][s-1] in s-1"],
	[" /ccg\n", "[status][s-1] in s-1"],
	[
		"ccg report",
		"[show][latest][--as][report][--session][s-1] in s-1\n\n[show][latest][--as][page][--session][s-1] in s-1",
	],
	[
		"/ccg:report",
		"[show][latest][--as][report][--session][s-1] in s-1\n\n[show][latest][--as][page][--session][s-1] in s-1",
	],
	["/ccg recall retry limit; touch /tmp/x $(id)\n--all", "[recall][--][retry limit; touch /tmp/x $(id)\n--all] in s-1"],
])("%j is answered by ccg, and asks no model", (prompt, reason) => {
	expect(answerTo(prompt)).toEqual({ decision: "block", reason });
});

test.each([
	"ccg recall is slow, look at src/search",
	"ccg report fails",
	"please run ccg report",
	"/ccg:recall retry limit",
	"/ccg uninstall --yes",
	"/ccg gc --yes",
	"/ccg show latest --out notes.md",
	"ccg-report",
	"/ccgx",
	"",
])("%j goes to the model", (prompt) => {
	expect(answerTo(prompt, "echo called >&2; exit 9")).toBeNull();
});

test("what ccg says of a failure is the answer, and so is that it says nothing", () => {
	expect(answerTo("ccg report", "echo 'no compaction yet' >&2; exit 1")).toEqual({
		decision: "block",
		reason: "no compaction yet",
	});
	expect(answerTo("ccg", "exit 1")).toMatchObject({ reason: expect.stringContaining("gave no answer") });
	expect(answerTo("/ccg recall a\0b")).toMatchObject({ reason: "[recall][--][a b] in s-1" });
	const home = scratch("home");
	const gone = hookOf(home, { prompt: "ccg", cwd: join(home, "gone") }, { launcher: "/nowhere/ccg", log() {} });
	expect(userPromptSubmit(gone)).toEqual({ decision: "block", reason: "ccg gave no answer; try it in a terminal." });
});
