import { expect, test } from "vitest";
import { ccg, hook } from "../kit/sandbox.ts";
import { attacksOf, plant } from "./kit.ts";
import { repoSandbox, withRepository } from "./repo-fixture.ts";

/** ccg starts no git, so of each way in which git would run something there is one. A script prints what the environment holds. */
test.each(attacksOf("programs"))("nothing of a repository runs: %s", async (_, script) => {
	const at = repoSandbox();
	withRepository(at);
	const variables = plant(at, script, { PROGRAM: at.program("program") });
	const env = Object.fromEntries(variables.split(" ").flatMap((one) => (one ? [one.split("=")] : [])));
	const options = { env, limitMs: 20_000 };
	const preCompact = await hook(at, "pre-compact", { hook_event_name: "PreCompact", trigger: "manual" }, options);
	const start = await hook(at, "session-start", { hook_event_name: "SessionStart", source: "compact" }, options);
	const status = await ccg(at, ["status", "--machine"], options);
	for (const { code, timedOut } of [preCompact, start, status])
		expect({ code, timedOut, ran: at.ran() }).toEqual({ code: 0, timedOut: false, ran: [] });
});
