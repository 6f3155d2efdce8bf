/** What is no regular file in the place of a project's settings: Claude Code takes nothing from it, and ccg works. */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { printedBy } from "../../kit/process.ts";
import { ccg, hook, sandbox } from "../../kit/sandbox.ts";

test.each([
	"mkfifo $0",
	"mkdir $0",
	"ln -s /dev/null $0",
	"ln -s /dev/zero $0",
	"mkfifo $0.pipe; ln -s $0.pipe $0",
	"ln -s / $0",
	"ln -s nowhere $0",
	"ln -s $0 $0",
	": >$0",
])("%s", async (script) => {
	const at = sandbox("irregular");
	for (const name of ["settings.json", "settings.local.json"]) {
		const path = join(at.project, ".claude", name);
		mkdirSync(dirname(path), { recursive: true });
		printedBy(["sh", "-c", script, path]);
	}
	const limitMs = 10_000;
	expect((await ccg(at, ["memory", "save", "EURO only"], { limitMs })).err).toBe("");
	const start = { hook_event_name: "SessionStart", source: "startup" };
	expect((await hook(at, "session-start", start, { limitMs })).out).toContain("EURO only");
	expect(await ccg(at, ["status"], { limitMs })).toMatchObject({ code: 0, timedOut: false });
});
