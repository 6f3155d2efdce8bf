import { copyFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callIn, recognise } from "../../src/install/recognise.ts";
import { scratch } from "../scratch-home.ts";

describe("an entry of ccg", () => {
	const AT = "/opt/ccg/bin/ccg";
	it.each([
		[`${AT} hook session-start`],
		[`${AT} hook stop; exit 0`, "stop"],
		[`'${AT}' hook stop 2>/dev/null || true`, "stop"],
		[`"${AT}" statusline`, "statusline"],
		[`\\${AT} hook stop`, "stop"],
		["'/opt/my ccg/bin/ccg' hook post-tool-batch; exit 0", "post-tool-batch", "/opt/my ccg/bin/ccg"],
		// registered by earlier versions, parts included that are no more
		[`[ -x '${AT}' ] && '${AT}' hook context; exit 0`, "context"],
		[
			`unset -f '['; [ -e "$HOME/x/\${CLAUDE_CODE_SESSION_ID:--}" ] || { [ -x ${AT} ] && ${AT} hook usage; }; exit 0`,
			"usage",
		],
		[
			`unset -f '['; case $CCG_MOD in on) exit 0;; esac; [ -e "$x" ] || ${AT} hook post-tool-batch; exit 0`,
			"post-tool-batch",
		],
		[`for f in "$HOME/"*; do [ -f "$f" ] && [ -x ${AT} ] && { ${AT} hook give; exit 0; }; done; exit 0`, "give"],
		// by hand
		[`CCG_HOME=/s ${AT} hook stop`, "stop", AT, "/s"],
		[`env -i CCG_HOME=/s '${AT}' hook stop`, "stop", AT, "/s"],
		[`export CCG_HOME="/s"; exec ${AT} hook stop`, "stop", AT, "/s"],
		[`sh -c '${AT} hook stop'`, "stop"],
		[`/bin/bash -lc "exec '${AT}' hook stop"`, "stop"],
		[`sh ${AT} hook stop`, "stop"],
		[`timeout -k 1 10 nice -n 5 ${AT} hook stop`, "stop"],
		[`cd /tmp && (${AT} hook stop) >/dev/null 2>&1 &`, "stop"],
		[`if command -v ${AT} >/dev/null; then ${AT} hook stop; fi`, "stop"],
		[`at=/opt/ccg; run="$at/bin/ccg hook stop"; $run`, "stop"],
		[`eval "${AT} hook stop"`, "stop"],
		[
			"~/.claude-memory/app/current/bin/ccg hook stop",
			"stop",
			`${process.env.HOME}/.claude-memory/app/current/bin/ccg`,
		],
		['"$HOME/.claude-memory/ccg" hook stop', "stop", `${process.env.HOME}/.claude-memory/ccg`],
		["ccg hook session-start", "session-start", "ccg"],
	])("knows the call in %j", (command, part = "session-start", launcher = AT, home = undefined) => {
		expect(recognise(command)).toEqual({ launcher, part, ...(home && { home }) });
	});

	it("knows a call that no shell takes apart", () => {
		const known = { launcher: AT, part: "stop" };
		expect(recognise(AT, ["hook", "stop"])).toEqual(known);
		expect(recognise("/bin/sh", ["-c", `'${AT}' hook stop; exit 0`])).toEqual(known);
		expect(recognise("/usr/bin/env", ["CCG_HOME=/s", AT, "hook", "stop"])).toEqual({ ...known, home: "/s" });
		for (const args of [[], ["stop"], [AT, "hook", "stop"]]) expect(recognise("/opt/own-wrapper", args)).toBeNull();
	});

	it("knows a launcher by what it is: through links, and a copy under another name", () => {
		const folder = scratch("launchers");
		const own = join(import.meta.dirname, "../../bin/ccg");
		symlinkSync(own, join(folder, "guard"));
		copyFileSync(own, join(folder, "copied"));
		writeFileSync(join(folder, "other"), "#!/bin/sh\n", { mode: 0o755 });
		for (const name of ["guard", "copied"])
			expect(recognise(`${folder}/${name} hook stop`)).toEqual({ launcher: join(folder, name), part: "stop" });
		expect(recognise(`${folder}/other hook stop`)).toBeNull();
	});

	it.each([
		"",
		"echo hook session-start",
		"cat /opt/ccg/bin/ccg",
		"cat /opt/ccg/bin/ccg hook stop",
		"echo '/opt/ccg/bin/ccg hook stop'",
		"my-wrapper /opt/ccg/bin/ccg hook stop",
		"/opt/ccg/bin/ccg memory list",
		"# /opt/ccg/bin/ccg hook stop",
		"true > /opt/ccg/bin/ccg hook stop",
		"/opt/tool/bin/tool hook session-start",
		"/opt/tool/bin/tool hook stop; exit 0",
	])("leaves %j to its owner", (command) => {
		expect(callIn(command)).toBeNull();
	});

	it.each([
		"/opt/ccg/bin/ccg hook session-start && my-own-thing",
		"my-own-thing; /opt/ccg/bin/ccg hook session-start",
		"[ -x '/a/bin/ccg' ] && '/a/bin/ccg' hook session-start; exit 0; rm x",
		"/opt/ccg/bin/ccg statusline | my-colours",
		"sh -c 'my-own-thing; /opt/ccg/bin/ccg hook stop'",
		"printf 'me | '; /opt/ccg/bin/ccg statusline",
		'echo "$(my-tool --git)"; /opt/ccg/bin/ccg statusline',
		'x="$(my-tool)"; /opt/ccg/bin/ccg statusline',
		'x="`my-tool`"; /opt/ccg/bin/ccg statusline',
		`: "\${x:-$(my-tool)}"; /opt/ccg/bin/ccg statusline`,
		"echo hi >> ~/my.log; /opt/ccg/bin/ccg hook stop",
		": > ~/my.log; /opt/ccg/bin/ccg hook stop",
		"/opt/ccg/bin/ccg hook stop < <(my-tool)",
		"trap 'my-cleanup' EXIT; /opt/ccg/bin/ccg hook stop",
	])("leaves %j to its owner, and sees ccg in it", (command) => {
		expect(recognise(command)).toBeNull();
		expect(callIn(command)).toMatchObject({ isShared: true });
	});

	it("takes time in proportion to the command, and gives up on one that is too long or too deep", () => {
		let nested = "/x/ccg hook stop";
		for (let i = 0; i < 40; i++) nested = `eval "${nested.replaceAll(/["\\$]/g, "\\$&").slice(0, 20_000)}"`;
		for (const text of [
			nested,
			"$a".repeat(50_000),
			`"${"\\".repeat(100_000)}`,
			"a='$a$a';".repeat(20_000),
			"(".repeat(100_000),
			`${"env ".repeat(12_000)}/x/ccg hook session-start`,
			`${"env ".repeat(20_000)}/x/ccg hook session-start`,
			`${"sh ".repeat(20_000)}/x/ccg hook session-start`,
			`${"env ".repeat(30)}/x/ccg hook session-start`,
			`A=/x/ccg;${"A=$A$A$A$A;".repeat(13)}/x/ccg hook session-start`,
			`${"A=1 ".repeat(1_990)}/x/ccg hook session-start; ${"x ".repeat(4_000)}`,
		]) {
			const from = performance.now();
			expect(callIn(text)).toBeNull();
			expect(performance.now() - from).toBeLessThan(500);
		}
		for (const args of [Array(20_000).fill("env"), Array(20_000).fill("sh")])
			expect(callIn("env", [...args, "/x/ccg", "hook", "stop"])).toBeNull();
		expect(recognise(`${"env ".repeat(19)}/x/ccg hook stop`)).toEqual({ launcher: "/x/ccg", part: "stop" });
	});
});
