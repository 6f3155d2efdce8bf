import { expect, test } from "vitest";
import type { TranscriptEvent } from "../../../src/core/transcript/event.ts";
import { isOwnCall, isOwnMessage } from "../../../src/core/transcript/own-calls.ts";
import { sessionOf } from "../../kit/applied.ts";
import { at } from "../../kit/session-events.ts";

const runs = (command: string): boolean => isOwnCall("Bash", { command, description: "Look it up" });

test.each([
	"ccg recall why was it raised",
	"~/.claude-memory/ccg memory save 'Use port 4711; no other && no more'",
	"'/opt/my tools/bin/ccg' recall port",
	'"$HOME/.claude-memory/app/current/bin/ccg" status',
	"/opt/my\\ tools/ccg recall port",
	"/opt/ccg/bin/ccg recall --all port | head -40",
	"CCG_HOME='/my store' CLAUDE_CODE_SESSION_ID=5 ccg checkpoint save -- 'a > b' 2>/dev/null",
	'cd "/my work" && CCG_HOME=/s "/opt/my tools/ccg" recall -- \'this; or & that\' 2>&1 | grep -E "a|b" | head -9',
	"ccg task bundle; ccg recall x\nccg recall y",
	"ccg",
	`ccg recall port${";".repeat(40_000)}`,
])("ccg alone: %#", (command) => {
	expect([runs(command), isOwnMessage(`! ${command}`)]).toEqual([true, true]);
	expect(isOwnCall("mcp__acp__Bash", { command })).toBe(true);
});

test.each([
	"git status && ccg memory save x",
	"ccg recall port; make",
	"make && ccg recall port",
	"ccg recall port\nmake",
	"ccg recall port & make",
	"ccg recall port | python3 build.py",
	"ccg recall port | head && make",
	"ccg recall port | head; grep x y",
	"ccg recall port > notes.md",
	"ccg recall port | grep x >> notes.md 2>&1",
	"ccg recall port | sed -i s/a/b/ app.ts",
	"ccg memory save $(git log -1)",
	'ccg memory save "`git log -1`"',
	"echo $(ccg recall port | xargs cat config.yaml)",
	'rg "ccg recall" docs/',
	'git commit -m "document ccg recall"',
	"npm test -- ccg recall.test",
	"ccg.test recall",
	"myccg recall",
	"cd /opt/ccg",
	"",
])("more than ccg: %s", (command) => {
	expect([runs(command), isOwnMessage(`! ${command}`), isOwnMessage(command)]).toEqual([false, false, false]);
});

test("tools of ccg's server and its skills are its own; those of others, and of a like name, are not", () => {
	for (const tool of ["mcp__ccg__recall", "mcp__plugin_ccg_ccg__save_memory"]) expect(isOwnCall(tool, {})).toBe(true);
	expect(isOwnCall("Skill", { skill: "ccg:look-up" })).toBe(true);
	for (const tool of ["mcp__ccgx__recall", "mcp__my_ccg__recall", "Read", "ccg"])
		expect(isOwnCall(tool, {})).toBe(false);
	expect(isOwnCall("Skill", { skill: "review" })).toBe(false);
	expect(isOwnCall("Read", { file_path: "ccg recall", command: 7 })).toBe(false);
});

test.each<[string, boolean]>([
	["/ccg:recall port", true],
	["/ccg:report", true],
	["/ccg is broken, mend the parser", false],
	["/ccgx", false],
	["/review /ccg:report", false],
	["ccg recall does not find it, why?", false],
	["what does /ccg:report say?", false],
])("%s is ccg's own command: %s", (text, isOwn) => expect(isOwnMessage(text)).toBe(isOwn));

test("a command of ccg's is not told as unclear either: 2.1.332 signs no shell line", () => {
	const unclear = (text: string): TranscriptEvent => ({ kind: "unclear", at, text });
	const { unclear: told } = sessionOf(unclear("! ccg show latest --as report"), unclear("! make")).snapshot.state;
	expect(told?.map(({ text }) => text)).toEqual(["! make"]);
});
