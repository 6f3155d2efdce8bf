import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { makeStatusLine } from "../../../src/events/status-line/status-line.ts";
import { catalog } from "../../../src/install/catalog.ts";
import { markerState } from "../../kit/cycle.ts";
import { runNow, startBeside } from "../../kit/process.ts";
import { LAUNCHER, run } from "../../kit/sandbox.ts";
import { bytes, DUE, statusHome } from "../../kit/status-home.ts";

let at = statusHome();
beforeEach(() => {
	at = statusHome();
});

describe("a wrapped command", () => {
	const wrapped = (command: string, value: object = at.input(50_000)): Promise<string> =>
		makeStatusLine(bytes(value), at.env, command);

	const cases: [string, string, string | RegExp][] = [
		["its output stands above ours, stderr is not shown", "echo mine; echo loud >&2", "mine"],
		["several lines, colours kept", `printf 'one\\n\\033[31mtwo\\033[0m\\n\\n'`, "one\n\u001b[31mtwo\u001b[0m"],
		["failing with output", "echo before; exit 3", "before"],
		["it gets the same input", "cat", /^\{"session_id":"s-1",.*\}$/],
		["it gets the environment", 'echo "$HOME"', /status-\d+$/],
		["a pipe, quotes and several commands", `printf '%s' "a'b" | tr a c; [ 1 = 1 ] && echo d`, "c'bd"],
	];
	test.each(cases)("%s", async (_, command, above) => {
		const lines = (await wrapped(command)).split("\n");
		expect(lines.pop()).toContain("50k/167k");
		if (above instanceof RegExp) expect(lines.join("\n")).toMatch(above);
		else expect(lines.join("\n")).toBe(above);
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

	/** Killed is not yet gone: a busy kernel takes a moment. */
	async function gone(command: string): Promise<void> {
		for (let i = 0; i < 200 && alive(command).length > 0; i++) await Bun.sleep(10);
		expect(alive(command)).toEqual([]);
	}

	const alive = (mark: string): string[] => {
		const { code, out } = runNow(["pgrep", "-f", mark]);
		return code === 0 ? out.trim().split("\n") : [];
	};

	test("hanging, through the launcher: prints, ends, leaves no process, and has measured before", async () => {
		const seconds = `39.${process.pid}`;
		let ended = false;
		const running = run([LAUNCHER, "statusline", "--wrap", `sleep ${seconds}`], {
			env: at.env,
			cwd: at.home,
			input: at.input(DUE),
		});
		running.then(() => {
			ended = true;
		});
		while (!ended && (markerState(at.stored) !== "marker" || alive(`sleep ${seconds}`).length === 0))
			await Bun.sleep(10);
		expect(ended).toBe(false);
		const { code, out, err } = await running;
		expect({ code, err }).toEqual({ code: 0, err: "" });
		expect(out).toMatch(/^[^\n]*131k\/167k[^\n]*\n$/);
		await gone(`sleep ${seconds}`);
	}, 60_000);

	test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
		"a run that is cancelled with %s takes the command along",
		async (signal) => {
			const seconds = `32.${process.pid}`;
			// the group of the launcher, not the command's own
			const child = startBeside(["setsid", LAUNCHER, "statusline", "--wrap", `sleep ${seconds}`], {
				env: at.env,
				cwd: at.home,
				input: JSON.stringify(at.input(DUE)),
			});
			while (child.exitCode === null && alive(`sleep ${seconds}`).length < 2) await Bun.sleep(10);
			process.kill(-child.pid!, signal);
			await child;
			await gone(`sleep ${seconds}`);
		},
	);

	test("the registered command: a command of quotes and newlines arrives as it was", async () => {
		const command = `printf '%s\\n' "it's"\nprintf '%s\\n' "$HOME" # end`;
		const entry = catalog(LAUNCHER).statusLine(command);
		const { out } = await run(["/bin/sh", "-c", entry], { env: at.env, cwd: at.home, input: at.input(50_000) });
		expect(out.split("\n")).toEqual(["it's", at.home, expect.stringContaining("50k/167k"), ""]);
		// without ccg the user's own command goes on by itself
		const gone = catalog(join(at.home, "gone", "ccg")).statusLine(command);
		expect((await run(["/bin/sh", "-c", gone], { env: at.env, cwd: at.home, input: at.input(50_000) })).out).toBe(
			`it's\n${at.home}\n`,
		);
	});
});
