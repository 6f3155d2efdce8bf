import {
	closeSync,
	copyFileSync,
	existsSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sessionPaths } from "../../src/store/paths.ts";
import { sessionHandle } from "../../src/store/session-handle.ts";
import { dropMarker, markerState } from "../kit/cycle.ts";
import { Transcript } from "../kit/events.ts";
import { LAUNCHER, REPO, run } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";
import { scratch } from "../scratch-home.ts";

/**
 * What `npm ci` does to a checkout for a while: Bun is missing, then it is being written ("Text file busy"). Nothing fails,
 * the status line stays, and what a compaction should have given comes with the next call.
 */
const PLATFORM = readdirSync(join(REPO, "node_modules", "@oven"))[0]!;
const SHELLS = { sh: ["/bin/sh"], bash: ["/bin/bash", "--posix"] };

let top: string;
let clone: string;
let store: string;
let bun: string;
const open: number[] = [];

beforeEach(() => {
	top = scratch("without-bun");
	clone = join(top, "clone");
	store = join(top, "home", ".claude-memory");
	bun = join(clone, "node_modules", "@oven", PLATFORM, "bin", "bun");
	for (const folder of [join(clone, "bin"), join(top, "home"), join(bun, "..")]) mkdirSync(folder, { recursive: true });
	copyFileSync(LAUNCHER, join(clone, "bin", "ccg"));
	bringBack();
});
afterEach(() => open.splice(0).forEach(closeSync));

function bringBack(): void {
	rmSync(bun, { force: true });
	for (const name of ["hooks", "statusline", "src", "dist", "package.json", bun.slice(clone.length + 1)])
		if (existsSync(join(REPO, name)) && !existsSync(join(clone, name)))
			symlinkSync(join(REPO, name), join(clone, name));
}
const MISSING = {
	"there without ccg's code": () => {
		for (const name of ["hooks", "statusline", "dist"]) rmSync(join(clone, name), { force: true });
	},
	missing: () => rmSync(bun),
	"being written": () => {
		rmSync(bun);
		copyFileSync("/bin/true", bun);
		open.push(openSync(bun, "r+"));
	},
};

const STATUS = {
	session_id: "s-1",
	model: { id: "claude-sonnet-4-6", display_name: "Sonnet 4.6" },
	context_window: { context_window_size: 200_000, current_usage: { input_tokens: 50_000 } },
};
const ccg = (args: string[], input: object, shell: string[] = []) =>
	run([...shell, join(clone, "bin", "ccg"), ...args], {
		// no Bun on PATH either
		env: { HOME: join(top, "home"), PATH: "/nowhere", CLAUDE_CODE_SESSION_ID: "s-1" },
		cwd: top,
		input,
	});

const CASES = Object.entries(SHELLS).flatMap(([name, shell]) =>
	Object.entries(MISSING).map(([how, takeAway]) => [name, how, shell, takeAway] as const),
);

test.each(CASES)(
	"%s, Bun is %s: the status line stays, hooks print nothing, and the block comes with the next call",
	async (_, __, shell, takeAway) => {
		const hook = (name: string, fields: object = {}) => ccg(["hook", name], { session_id: "s-1", ...fields }, shell);
		const session = sessionHandle(storeAt(store), "s-1");
		const good = await ccg(["statusline"], STATUS, shell);
		expect(good.out).toContain("50k/167k");
		dropMarker(session, { at: new Date().toISOString(), tokens: 1, distance: 1, trigger: 2 });
		takeAway();
		expect(await ccg(["statusline"], STATUS, shell)).toMatchObject({ code: 0, out: good.out });
		const wrapped = await ccg(["statusline", "--wrap", "read -r line; printf 'MINE %s' \"${#line}\""], STATUS, shell);
		expect(wrapped).toMatchObject({ code: 0, out: expect.stringMatching(/^MINE \d+\n/) });
		expect(wrapped.out.endsWith(`\n${good.out}`)).toBe(true);
		for (const name of ["pre-tool-use", "post-tool-use", "stop", "session-end", "user-prompt-submit"])
			expect(await hook(name)).toMatchObject({ code: 0, out: "" });
		expect(markerState(session)).toBe("marker");
		bringBack();
		expect((await hook("pre-tool-use")).out).toContain("ccg nudge");

		const fields = { transcript_path: compacted(), cwd: top };
		takeAway();
		expect(await hook("session-start", { ...fields, source: "compact" })).toMatchObject({ code: 0, out: "" });
		// while Bun is missing, calls wait for nothing
		const call = { ...fields, hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: {} };
		const start = performance.now();
		expect(await hook("pre-tool-use", call)).toMatchObject({ code: 0, out: "" });
		expect(performance.now() - start).toBeLessThan(600);
		bringBack();
		const answers = await Promise.all(Array.from({ length: 3 }, () => hook("pre-tool-use", call)));
		const given = answers.filter(({ out }) => out.includes("this session before its conversation was compacted"));
		expect(given).toHaveLength(1);
		expect(JSON.parse(given[0]!.out).hookSpecificOutput).toMatchObject({
			hookEventName: "PreToolUse",
			additionalContext: expect.stringContaining("Never push."),
		});
	},
);

test("Bun comes back within a second: the hook of a compaction has waited for it", async () => {
	MISSING.missing();
	const answer = ccg(["hook", "session-start"], { session_id: "s-1", transcript_path: compacted(), source: "compact" });
	await Bun.sleep(300);
	bringBack();
	expect((await answer).out).toContain("Never push.");
	expect(readFileSync(sessionPaths(store, "s-1").followUpFlag, "utf8")).not.toContain("missed");
});

test("a start that is no compaction leaves no note, nor does one in a store that is a link's", async () => {
	MISSING.missing();
	await ccg(["hook", "session-start"], { session_id: "s-1", source: "startup" });
	expect(existsSync(sessionPaths(store, "s-1").followUpFlag)).toBe(false);
	mkdirSync(join(top, "elsewhere"));
	mkdirSync(store);
	symlinkSync(join(top, "elsewhere"), join(store, "run"));
	await ccg(["hook", "session-start"], { session_id: "s-1", source: "compact" });
	expect(readdirSync(join(top, "elsewhere"))).toEqual([]);
});

test("a last line of more than an hour ago is not shown, nor one of another session or behind a link", async () => {
	await ccg(["statusline"], STATUS);
	const { statusLine } = sessionPaths(store, "s-1");
	MISSING.missing();
	expect((await ccg(["statusline"], { ...STATUS, session_id: "s-2" })).out).toBe("");
	const old = Date.now() / 1_000 - 3_700;
	utimesSync(statusLine, old, old);
	expect((await ccg(["statusline"], STATUS)).out).toBe("");
	writeFileSync(join(top, "secret"), "secret\n");
	rmSync(statusLine);
	symlinkSync(join(top, "secret"), statusLine);
	expect(await ccg(["statusline"], STATUS)).toMatchObject({ code: 0, out: "" });
});

test("the command line says what is the matter", async () => {
	MISSING["being written"]();
	const { code, err } = await ccg(["status"], {});
	expect({ code, err }).toMatchObject({ code: 126, err: expect.stringContaining("try again") });
});

/** A transcript with a compaction. */
function compacted(): string {
	return new Transcript(top).typed("Never push.").usage(150_000).boundary().write(join(top, "t.jsonl"));
}
