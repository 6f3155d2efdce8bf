import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { databasePath } from "../../src/store/paths.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { dropMarker } from "../kit/cycle.ts";
import { Transcript } from "../kit/events.ts";
import { LAUNCHER, listing, REPO, run } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";
import { scratch } from "../scratch-home.ts";

function prepare(top: string, project: string) {
	const home = join(top, "home");
	const store = join(home, ".claude-memory");
	mkdirSync(home, { recursive: true });
	const transcript = new Transcript(project).typed("Never push.").usage(150_000).write(join(top, "t.jsonl"));
	dropMarker(sessionAt(storeAt(store), "s-1"), { at: new Date().toISOString(), tokens: 1, distance: 1, trigger: 2 });
	const input = (fields: object) => ({
		session_id: "s-1",
		transcript_path: transcript,
		cwd: project,
		...fields,
	});
	return { home, store, input };
}

describe("found from anywhere", () => {
	const linkTo = (target: string, ...parts: string[]): string => {
		mkdirSync(join(...parts, ".."), { recursive: true });
		symlinkSync(target, join(...parts));
		return join(...parts);
	};
	const STRANGE = `it's a "folder" $HOME \`x\` ; & é`;
	const places: [string, (top: string) => { launcher: string; cwd?: string }][] = [
		["through npm's bin link", (top) => ({ launcher: linkTo(LAUNCHER, top, "node_modules", ".bin", "ccg") })],
		[
			"through a relative link to a link",
			(top) => {
				linkTo(LAUNCHER, top, "lib", "real");
				return { launcher: linkTo("../lib/real", top, "bin", "ccg") };
			},
		],
		["by a relative path", () => ({ launcher: "bin/ccg", cwd: REPO })],
	];
	test.each(places)("%s", async (_, place) => {
		const top = scratch("place");
		const { home, store, input } = prepare(top, top);
		const { launcher, cwd = top } = place(top);
		const env = { HOME: home };
		const nudge = await run([launcher, "hook", "pre-tool-use"], { env, cwd, input: input({}) });
		expect(nudge).toMatchObject({ code: 0, err: "" });
		expect(JSON.parse(nudge.out).hookSpecificOutput.additionalContext).toContain(" memory save ");
		expect(existsSync(databasePath(store))).toBe(true);
		const version = await run([launcher, "--version"], { env, cwd });
		expect(version).toMatchObject({ code: 0, err: "" });
		expect(version.out).toMatch(/^\d+\.\d+\.\d+\n$/);
	});

	test("the save command of the nudge can be typed into a shell, from a strange folder too", async () => {
		const top = scratch("typed");
		const { home, store, input } = prepare(top, top);
		const launcher = join(linkTo(REPO, top, STRANGE), "bin", "ccg");
		const env = { HOME: home };
		const nudge = await run([launcher, "hook", "pre-tool-use"], { env, cwd: top, input: input({}) });
		const text: string = JSON.parse(nudge.out).hookSpecificOutput.additionalContext;
		const command = /^ {2}(.+ memory save\b.*) --target memory "TEXT"$/m.exec(text)![1]!;
		const saved = await run(["/bin/sh", "-c", `${command} --target memory "Ports are in config."`], { env, cwd: top });
		expect(saved).toMatchObject({ code: 0, err: "" });
		expect(listing(join(store, "projects"), "").some((path) => path.endsWith("MEMORY.md"))).toBe(true);
	});
});

test("a hook or part that does not exist ends 0 in silence", async () => {
	const top = scratch("unknown");
	for (const args of [["hook", "no-such-hook"], ["hook", ""], ["hook"]]) {
		const { code, out, err } = await run([LAUNCHER, ...args], { env: { HOME: top }, cwd: top });
		expect({ args, code, out, err }).toEqual({ args, code: 0, out: "", err: "" });
	}
});
