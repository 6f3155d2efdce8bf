import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hook } from "../kit/sandbox.ts";
import { repoSandbox, withRepository } from "./repo-fixture.ts";

describe("a git that does not end costs nothing", () => {
	const SLOW: Record<string, string> = {
		"ignores the signal to end": "trap '' TERM INT HUP\nwhile :; do sleep 1; done",
		"leaves one behind that holds its output": "(trap '' TERM; sleep 60) &\nexit 0",
		"leaves one behind in a group of its own": "setsid sh -c 'trap \"\" TERM; sleep 60' &\nsleep 60",
		"says more than fits": "yes '?? file'",
	};
	test.each(Object.entries(SLOW))(
		"one that %s",
		async (_, more) => {
			const at = repoSandbox();
			withRepository(at);
			at.program("git", `echo $$ >>'${at.top}/pids'\n${more}`);
			chmodSync(join(at.top, "programs/git"), 0o755);
			const env = { PATH: `${at.top}/programs:/usr/bin:/bin` };
			const fields = { hook_event_name: "PreCompact", trigger: "manual" };
			const { timedOut, ms } = await hook(at, "pre-compact", fields, { env, limitMs: 6_000 });
			expect({ timedOut, slow: ms > 5_000, ran: at.ran() }).toEqual({ timedOut: false, slow: false, ran: [] });
		},
		30_000,
	);
});
