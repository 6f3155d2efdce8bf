/** What is no regular file in the place of a project's settings: Claude Code takes nothing from it, and ccg works. */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ccg, hook, type Sandbox, sandbox } from "../kit/sandbox.ts";

const PLACES: Record<string, (path: string, at: Sandbox) => unknown> = {
	"a pipe": (path) => execFileSync("mkfifo", [path]),
	"a folder": (path) => mkdirSync(path),
	"a link to the null device": (path) => symlinkSync("/dev/null", path),
	"a link to a device without end": (path) => symlinkSync("/dev/zero", path),
	"a link to a pipe": (path, { top }) => {
		execFileSync("mkfifo", [join(top, "pipe")]);
		symlinkSync(join(top, "pipe"), path);
	},
	"a link to a folder": (path, { top }) => symlinkSync(top, path),
	"a link to nowhere": (path) => symlinkSync("nowhere", path),
	"a link to itself": (path) => symlinkSync("settings.json", path),
	"an empty file": (path) => writeFileSync(path, ""),
};

test.each(Object.entries(PLACES))("%s", async (_, make) => {
	const at = sandbox("irregular");
	for (const name of ["settings.json", "settings.local.json"]) {
		mkdirSync(join(at.project, ".claude"), { recursive: true });
		make(join(at.project, ".claude", name), name === "settings.json" ? at : { ...at, top: at.home });
	}
	const limitMs = 10_000;
	expect((await ccg(at, ["memory", "save", "EURO only"], { limitMs })).err).toBe("");
	const start = { hook_event_name: "SessionStart", source: "startup" };
	expect((await hook(at, "session-start", start, { limitMs })).out).toContain("EURO only");
	const { code, timedOut } = await ccg(at, ["status"], { limitMs });
	expect({ code, timedOut }).toEqual({ code: 0, timedOut: false });
});
