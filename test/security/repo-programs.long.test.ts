import { expect, test } from "vitest";
import { ccg } from "../kit/sandbox.ts";
import { attacksOf, plant, play } from "./kit.ts";
import { repoSandbox, withRepository } from "./repo-fixture.ts";

/** ccg starts no git, so of each way in which git would run something there is one. A script prints what the environment holds. */
test.each(attacksOf("programs"))("nothing of a repository runs: %s", async (_, script) => {
	const at = repoSandbox();
	withRepository(at);
	const variables = plant(at, script, { PROGRAM: at.program("program") });
	const env = Object.fromEntries(variables.split(" ").flatMap((one) => (one ? [one.split("=")] : [])));
	const options = { env, limitMs: 20_000 };
	const outs = await play(at, "pre-compact by hand, start compact", {}, options);
	outs.push(await ccg(at, ["status", "--machine"], options));
	for (const { code, timedOut } of outs)
		expect({ code, timedOut, ran: at.ran() }).toEqual({ code: 0, timedOut: false, ran: [] });
});
