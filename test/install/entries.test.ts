import { copyFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, test } from "vitest";
import { parseCcgCommand } from "../../src/install/entries.ts";
import { scratch } from "../scratch-home.ts";

const AT = "/opt/ccg/bin/ccg";
const HOME = process.env.HOME;
const lines = (text: string): string[] => text.trim().split("\n");

test.each([
	[`${AT} hook stop; exit 0`, {}],
	[`'${AT}' hook stop`, {}],
	[`unset -f '['; [ -e "$x" ] || ${AT} hook stop; exit 0`, {}],
	[`"${AT}" statusline`, { part: "statusline" }],
	// a part that is no more
	[`${AT} hook context`, { part: "context" }],
	["'/opt/my ccg/bin/ccg' hook stop; exit 0", { launcher: "/opt/my ccg/bin/ccg" }],
	["/opt/my\\ ccg/bin/ccg hook stop", { launcher: "/opt/my ccg/bin/ccg" }],
	["~/.claude-memory/ccg hook stop", { launcher: `${HOME}/.claude-memory/ccg` }],
	['"$HOME"/.claude-memory/ccg hook stop', { launcher: `${HOME}/.claude-memory/ccg` }],
])("an entry of ccg: %j, %j", (command, more) => {
	expect(parseCcgCommand(command)).toEqual({ launcher: AT, part: "stop", ...more });
});

it("knows a launcher by what it is, through links too; another program may bear the name", () => {
	const folder = scratch("launchers");
	const own = join(import.meta.dirname, "../../bin/ccg");
	const at = join(folder, "ccg");
	const found = () => parseCcgCommand(`${at} hook stop`);
	expect(found()).toMatchObject({ launcher: at });
	writeFileSync(at, "#!/bin/sh\n", { mode: 0o755 });
	expect(found()).toBeNull();
	copyFileSync(own, at);
	expect(found()).toMatchObject({ launcher: at });
	symlinkSync(folder, join(folder, "link"));
	expect(parseCcgCommand(`${folder}/link/ccg hook stop`)).toMatchObject({ launcher: `${folder}/link/ccg` });
});

test.each([
	"",
	...lines(`
echo hook session-start
cat ${AT}
env
sh -c 'my-own-thing --quiet'
${AT} memory list
ccg hook stop
/opt/tool/bin/tool hook stop; exit 0`),
])("leaves %j to its owner", (command) => {
	expect(parseCcgCommand(command)).toBeNull();
});

test.each(
	lines(`
${AT} hook stop && my-own-thing
${AT} hook stop || true
unset -f '['; [ -e "$x" ] || ${AT} hook stop; exit 0; my-own-thing
for f in "$HOME"/x/*; do [ -f "$f" ] && { ${AT} hook stop; exit 0; }; done
CCG_HOME=/s '${AT}' hook stop
my-own-thing; ${AT} hook stop
[ -x '${AT}' ] && '${AT}' hook stop; exit 0; rm x
my-wrapper ${AT} hook stop
# ${AT} hook stop
true > ${AT} hook stop
${AT} hook stop | my-colours
printf 'me | '; ${AT} hook stop
x="$(my-tool)"; ${AT} hook stop
x="\`my-tool\`"; ${AT} hook stop
: "\${x:-$(my-tool)}"; ${AT} hook stop
echo hi >> ~/my.log; ${AT} hook stop
: > ~/my.log; ${AT} hook stop
${AT} hook stop < <(my-tool)
trap 'my-cleanup' EXIT; ${AT} hook stop
eval my-own-thing; ${AT} hook stop
$TOOL; ${AT} hook stop
timeout 10 ${AT} hook stop
env A=1 my-wrapper ${AT} hook stop
(${AT} hook stop)
${AT} hook stop &
${"my-own 'a b'; ".repeat(25)}${AT} hook stop`),
)("leaves %j to its owner, though ccg is called in it", (command) => {
	expect(parseCcgCommand(command)).toBeNull();
});

it("takes time in proportion to the command, and gives up on one that is too long", () => {
	for (const text of [
		"'a b' ".repeat(1_300),
		"a\\ b".repeat(2_000),
		`${"\\".repeat(8_000)} ${AT} hook stop`,
		`"${"$a".repeat(4_000)}`,
		"a=$a$a;".repeat(1_100),
		"('".repeat(4_000),
		`${"A=1 ".repeat(20_000)}${AT} hook stop`,
	]) {
		const from = performance.now();
		expect(parseCcgCommand(text)).toBeNull();
		expect(performance.now() - from).toBeLessThan(500);
	}
});
