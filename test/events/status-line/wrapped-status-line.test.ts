import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { catalog } from "../../../src/install/catalog.ts";
import { markerState } from "../../kit/cycle.ts";
import { runNow, startBeside } from "../../kit/process.ts";
import { LAUNCHER, run } from "../../kit/sandbox.ts";
import { DUE, statusHome } from "../../kit/status-home.ts";

let at = statusHome();
beforeEach(() => {
	at = statusHome();
});

const wrapped = (command: string, value: object = at.input(50_000)): Promise<string> => at.line(value, {}, command);

test.each<[string, string, RegExp]>([
	["its output stands above ours, stderr is not shown", "echo mine; echo loud >&2", /^mine$/],
	["several lines, colours kept", `printf 'one\\n\\033[31mtwo\\033[0m\\n\\n'`, /^one\n\u001b\[31mtwo\u001b\[0m$/],
	["failing with output", "echo before; exit 3", /^before$/],
	["it gets the same input", "cat", /^\{"session_id":"s-1",.*\}$/],
	["a pipe, quotes and several commands", `printf '%s' "a'b" | tr a c; [ 1 = 1 ] && echo d`, /^c'bd$/],
])("a wrapped command: %s", async (_, command, above) => {
	const lines = (await wrapped(command)).split("\n");
	expect(lines.pop()).toContain("50k/167k");
	expect(lines.join("\n")).toMatch(above);
});

test("not reading a large input", async () => {
	const value = { ...at.input(50_000), padding: "x".repeat(3 * 1024 * 1024) };
	expect((await wrapped("echo mine", value)).split("\n")).toEqual(["mine", expect.stringContaining("50k/167k")]);
	expect((await wrapped("exec <&-; echo mine", value)).split("\n")).toHaveLength(2);
});

test("endless output is cut", async () => {
	const text = await wrapped("yes");
	expect(text.length).toBeLessThan(66 * 1024);
	expect(text).toMatch(/50k\/167k[^\n]*$/);
});

const alive = (mark: string): string[] => runNow(["pgrep", "-f", mark]).out.trim().split("\n").filter(Boolean);

/** It has measured before the command ends; killed is not yet gone: a busy kernel takes a moment. */
test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
	"one that hangs has been measured, and a run that is cancelled with %s takes the command along",
	async (signal) => {
		const command = `sleep 32.${process.pid}`;
		// the group of the launcher, not the command's own
		const child = startBeside(["setsid", LAUNCHER, "statusline", "--wrap", command], {
			env: at.env,
			cwd: at.home,
			input: JSON.stringify(at.input(DUE)),
		});
		const isUnderWay = () => markerState(at.stored) === "marker" && alive(command).length > 1;
		while (child.exitCode === null && !isUnderWay()) await Bun.sleep(10);
		expect(child.exitCode).toBeNull();
		process.kill(-child.pid!, signal);
		await child;
		await expect.poll(() => alive(command), { timeout: 10_000 }).toEqual([]);
	},
);

test("the registered command: a command of quotes and newlines arrives as it was", async () => {
	const command = `printf '%s\\n' "it's"\nprintf '%s\\n' "$HOME" # end`;
	const registered = (launcher: string) =>
		run(["/bin/sh", "-c", catalog(launcher).statusLine(command)], {
			env: at.env,
			cwd: at.home,
			input: at.input(50_000),
		});
	const { out } = await registered(LAUNCHER);
	expect(out.split("\n")).toEqual(["it's", at.home, expect.stringContaining("50k/167k"), ""]);
	// without ccg the user's own command goes on by itself
	expect((await registered(join(at.home, "gone", "ccg"))).out).toBe(`it's\n${at.home}\n`);
});
