import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { databasePath } from "../../src/store/paths.ts";
import { sessionHandle } from "../../src/store/session-handle.ts";
import { dropMarker } from "../kit/cycle.ts";
import { Transcript } from "../kit/events.ts";
import { LAUNCHER, listing, REPO, run } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";
import { scratch } from "../scratch-home.ts";

const linkTo = (target: string, ...parts: string[]): string => {
	mkdirSync(join(...parts, ".."), { recursive: true });
	symlinkSync(target, join(...parts));
	return join(...parts);
};

/** Ways to the launcher, from the folder of a project. */
const PLACES: Record<string, (top: string) => string> = {
	"through npm's bin link": (top) => linkTo(LAUNCHER, top, "node_modules", ".bin", "ccg"),
	"through a relative link to a link": (top) => {
		linkTo(LAUNCHER, top, "lib", "real");
		return linkTo("../lib/real", top, "bin", "ccg");
	},
	"by a relative path": () => "bin/ccg",
	"from a strange folder": (top) => join(linkTo(REPO, top, `it's a "folder" $HOME \`x\` ; & é`), "bin", "ccg"),
};

test.each(Object.entries(PLACES))(
	"found %s; the save command of the nudge can be typed into a shell",
	async (_, place) => {
		const top = scratch("place");
		const launcher = place(top);
		const cwd = launcher === "bin/ccg" ? REPO : top;
		const env = { HOME: join(top, "home") };
		const store = join(env.HOME, ".claude-memory");
		mkdirSync(env.HOME);
		dropMarker(sessionHandle(storeAt(store), "s-1"), {
			at: new Date().toISOString(),
			tokens: 1,
			distance: 1,
			trigger: 2,
		});
		const transcript_path = new Transcript(top).typed("Never push.").usage(150_000).write(join(top, "t.jsonl"));
		const input = { session_id: "s-1", transcript_path, cwd: top };
		const nudge = await run([launcher, "hook", "pre-tool-use"], { env, cwd, input });
		expect(nudge).toMatchObject({ code: 0, err: "" });
		expect(existsSync(databasePath(store))).toBe(true);
		const text: string = JSON.parse(nudge.out).hookSpecificOutput.additionalContext;
		const command = /^ {2}(.+ memory save\b.*) --target memory "TEXT"$/m.exec(text)![1]!;
		const saved = await run(["/bin/sh", "-c", `${command} --target memory "Ports are in config."`], { env, cwd });
		expect(saved).toMatchObject({ code: 0, err: "" });
		expect(listing(join(store, "projects"), "").some((path) => path.endsWith("MEMORY.md"))).toBe(true);
		const version = await run([launcher, "--version"], { env, cwd });
		expect(version).toEqual({ code: 0, err: "", out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
	},
);

test("a hook or part that does not exist ends 0 in silence", async () => {
	const top = scratch("unknown");
	for (const args of [["hook", "no-such-hook"], ["hook", ""], ["hook"]])
		expect(await run([LAUNCHER, ...args], { env: { HOME: top }, cwd: top })).toEqual({ code: 0, out: "", err: "" });
});
