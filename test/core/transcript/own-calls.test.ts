import { expect, test } from "vitest";
import { isOwnCall, isOwnCommand } from "../../../src/core/transcript/own-calls.ts";

const runs = (command: string): boolean => isOwnCall("Bash", { command, description: "Look it up" });

test.each([
	"ccg recall why was it raised",
	"~/.claude-memory/ccg memory save 'Use port 4711; no other && no more'",
	"'/opt/my tools/bin/ccg' recall port",
	'"$HOME/.claude-memory/app/current/bin/ccg" status',
	"/opt/my\\ tools/ccg recall port",
	"/opt/ccg/bin/ccg recall --all port | head -40",
	"CCG_HOME='/my store' CLAUDE_CODE_SESSION_ID=5 ccg checkpoint save -- x > /tmp/out 2>&1",
	'cd "/my work" && CCG_HOME=/s "/opt/my tools/ccg" recall -- \'this; or & that\' 2>&1 | grep -E "a|b" | sed -n 1,9p',
	"ccg task bundle; ccg recall x\nccg recall y",
	"ccg",
])("ccg alone: %s", (command) => {
	expect([runs(command), isOwnCommand(`! ${command}`)]).toEqual([true, true]);
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
	expect([runs(command), isOwnCommand(`! ${command}`), isOwnCommand(command)]).toEqual([false, false, false]);
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
	["/ccg status", true],
	["/ccg", true],
	["/ccgx", false],
	["/review /ccg:report", false],
	["ccg recall does not find it, why?", false],
	["what does /ccg:report say?", false],
])("%s is ccg's own command: %s", (text, isOwn) => expect(isOwnCommand(text)).toBe(isOwn));
