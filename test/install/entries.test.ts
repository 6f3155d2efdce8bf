import { copyFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, test } from "vitest";
import { callIn } from "../../src/install/entries.ts";
import { scratch } from "../scratch-home.ts";

const AT = "/opt/ccg/bin/ccg";
const HOME = process.env.HOME;
const lines = (text: string): string[] => text.trim().split("\n");

test.each(
	lines(`
${AT} hook stop; exit 0
'${AT}' hook stop 2>/dev/null || true
\\${AT} hook stop
[ -x '${AT}' ] && '${AT}' hook stop; exit 0
unset -f '['; case $OFF in on) exit 0;; esac; [ -e "$x" ] || ${AT} hook stop; exit 0
cd /tmp && (${AT} hook stop) >/dev/null 2>&1 &
if command -v ${AT} >/dev/null; then ${AT} hook stop; fi
sh ${AT} hook stop
sh -c '${AT} hook stop'
/bin/bash -lc "exec '${AT}' hook stop"
bash -euo pipefail -c '${AT} hook stop; exit 0'
sh -c 'exec env A=1 ${AT} hook stop' _
timeout -k 1 -s KILL 10 nice -n 5 ${AT} hook stop
/usr/bin/env -u NODE_OPTIONS nohup ${AT} hook stop &
env -S '${AT} hook stop'
eval "${AT} hook stop"
eval '${AT} hook' stop
eval env A=1 '${AT} hook stop'
eval "sh -c "sh -c '${AT} hook stop'""
at=/opt/ccg; run="$at/bin/ccg hook stop"; $run`),
)("an entry of ccg: %j", (command) => {
	expect(callIn(command)).toEqual({ launcher: AT, part: "stop", isShared: false });
});

test.each([
	[`"${AT}" statusline`, { part: "statusline" }],
	// a part that is no more
	[`${AT} hook context`, { part: "context" }],
	["'/opt/my ccg/bin/ccg' hook stop; exit 0", { launcher: "/opt/my ccg/bin/ccg" }],
	[`CCG_HOME=/s '${AT}' hook stop`, {}],
	[`export CCG_HOME="/s"; exec ${AT} hook stop`, {}],
	[`env -i CCG_HOME=/s '${AT}' hook stop`, {}],
	[`timeout 10 sh -c 'CCG_HOME=/s exec ${AT} hook stop'`, {}],
	[
		'sh -c \'w="a  b"; ccg statusline --wrap "$w" || eval "$w"\'',
		{ launcher: "ccg", part: "statusline", wrapped: "a  b" },
	],
	["env nice '/opt/my ccg/bin/ccg' hook stop", { launcher: "/opt/my ccg/bin/ccg" }],
	["~/.claude-memory/ccg hook stop", { launcher: `${HOME}/.claude-memory/ccg` }],
	['"$HOME/.claude-memory/ccg" hook stop', { launcher: `${HOME}/.claude-memory/ccg` }],
	["ccg hook stop", { launcher: "ccg" }],
])("an entry of ccg: %j, %j", (command, more) => {
	expect(callIn(command)).toEqual({ launcher: AT, part: "stop", isShared: false, ...more });
});

it("knows a call that no shell takes apart", () => {
	const known = { launcher: AT, part: "stop", isShared: false };
	expect(callIn(AT, ["hook", "stop"])).toEqual(known);
	expect(callIn("/bin/sh", ["-c", `'${AT}' hook stop; exit 0`])).toEqual(known);
	expect(callIn("/usr/bin/env", ["CCG_HOME=/s", AT, "hook", "stop"])).toEqual(known);
	for (const args of [[], ["stop"]]) expect(callIn("/opt/own-wrapper", args)).toBeNull();
	expect(callIn("/opt/own-wrapper", [AT, "hook", "stop"])).toEqual({ ...known, isShared: true });
});

it("knows a launcher by what it is: through links, and a copy under another name", () => {
	const folder = scratch("launchers");
	const own = join(import.meta.dirname, "../../bin/ccg");
	symlinkSync(own, join(folder, "guard"));
	copyFileSync(own, join(folder, "copied"));
	writeFileSync(join(folder, "other"), "#!/bin/sh\n", { mode: 0o755 });
	for (const name of ["guard", "copied"])
		expect(callIn(`${folder}/${name} hook stop`)).toMatchObject({ launcher: join(folder, name), isShared: false });
	expect(callIn(`${folder}/other hook stop`)).toBeNull();
});

test.each([
	"",
	...lines(`
echo hook session-start
cat ${AT}
env
sh -c 'my-own-thing --quiet'
${AT} memory list
# ${AT} hook stop
true > ${AT} hook stop
/opt/tool/bin/tool hook stop; exit 0`),
])("leaves %j to its owner", (command) => {
	expect(callIn(command)).toBeNull();
});

test.each(
	lines(`
${AT} hook session-start && my-own-thing
my-own-thing; ${AT} hook session-start
[ -x '/a/bin/ccg' ] && '/a/bin/ccg' hook session-start; exit 0; rm x
${AT} statusline | my-colours
printf 'me | '; ${AT} statusline
x="$(my-tool)"; ${AT} statusline
x="\`my-tool\`"; ${AT} statusline
: "\${x:-$(my-tool)}"; ${AT} statusline
echo hi >> ~/my.log; ${AT} hook stop
: > ~/my.log; ${AT} hook stop
${AT} hook stop < <(my-tool)
trap 'my-cleanup' EXIT; ${AT} hook stop
my-wrapper ${AT} hook stop
env -i my-wrapper ${AT} hook stop
env -Smy-wrapper ${AT} hook stop
sh my-script ${AT} hook stop
sh my-script -c '${AT} hook stop'
nice '/my own/wrapper' ${AT} hook stop
flock /tmp/lock -c '${AT} hook stop'
bash --rcfile my-own -c '${AT} hook stop'
sh -c 'my-own-thing; ${AT} hook stop'
sh -c '${AT} hook stop >> ~/my.log'
sh -c 'exec "$@"' _ ${AT} hook stop
eval '${AT} hook stop' '; my-own-thing'
echo '${AT} hook stop' | sh
env; ${AT} hook stop
eval -- 'A=1 my-own'; ${AT} hook stop
bash -cx 'A=1 my-own' ${AT} hook stop
${"my-own 'a b'; ".repeat(25)}${AT} hook stop`),
)("leaves %j to its owner, and sees ccg in it", (command) => {
	expect(callIn(command)).toMatchObject({ isShared: true });
});

it("takes time in proportion to the command, and gives up on one that is too long or too deep", () => {
	let nested = "/x/ccg hook stop";
	for (let i = 0; i < 40; i++) nested = `eval "${nested.replaceAll(/["\\$]/g, "\\$&").slice(0, 20_000)}"`;
	for (const text of [
		nested,
		'a=\'eval "$a $a"\'; eval "$a $a"',
		`${"env ".repeat(20_000)}/x/ccg hook session-start`,
		"$a".repeat(50_000),
		`"${"\\".repeat(100_000)}`,
		"a='$a$a';".repeat(20_000),
		"(".repeat(100_000),
		`${"A=1 ".repeat(20_000)}/x/ccg hook session-start`,
		`A=/x/ccg;${"A=$A$A$A$A;".repeat(13)}/x/ccg hook session-start`,
		`${"A=1 ".repeat(1_990)}/x/ccg hook session-start; ${"x ".repeat(4_000)}`,
	]) {
		const from = performance.now();
		expect(callIn(text)).toBeNull();
		expect(performance.now() - from).toBeLessThan(500);
	}
	expect(callIn("env", [...Array(20_000).fill("env"), "/x/ccg", "hook", "stop"])).toBeNull();
});
