import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hook, type Sandbox, sandbox } from "../kit/sandbox.ts";
import { compact } from "./kit.ts";
import { ASKED, PLANTED, put, talk } from "./limits-fixture.ts";
import { call } from "./limits-lines.ts";

const PLAN = "**Goal**: split the billing module\n1. move it\n";

function staged(): Sandbox {
	const at = sandbox("deadline");
	const work = Array.from({ length: 40 }, (_, n) => call("Edit", { file_path: `${at.project}/src/part${n}.ts` }, n));
	talk(at, work);
	put(join(at.project, ".active-plan.md"), PLAN);
	return at;
}

const checkpointOf = (at: Sandbox): string => {
	const folder = join(at.store, "sessions", at.sid, "checkpoints");
	// the readable form of the last one, which stands behind its data once it is told
	return readFileSync(join(folder, readdirSync(folder).sort().at(-1)!), "utf8");
};
const logOf = (at: Sandbox): string => {
	const path = join(at.store, "log", "ccg.log");
	return existsSync(path) ? readFileSync(path, "utf8") : "";
};

describe("a hook that has spent its time", () => {
	test("gives the user's words, and tells what it left out", async () => {
		const at = staged();
		at.env.CCG_HOOK_CPU_MS = "0";
		const { block, steering } = await compact(at);
		expect(block).toContain(PLANTED);
		expect(block).toContain(ASKED);
		expect(steering).toContain(PLANTED);
		expect(block).not.toContain("split the billing module");
		expect(checkpointOf(at)).toMatch(/Left out when this was taken .*the workspace/);
		expect(logOf(at)).toMatch(/left out for want of time: the workspace/);
	});

	test("keeps no record of what it did not read: the next one reads all", async () => {
		const at = staged();
		await hook(at, "pre-compact", { trigger: "auto" }, { env: { CCG_HOOK_CPU_MS: "0" } });
		expect(existsSync(join(at.store, "sessions", at.sid, "state.json"))).toBe(false);
		await hook(at, "pre-compact", { trigger: "auto" });
		await hook(at, "session-end", { hook_event_name: "PreCompact", trigger: "auto" });
		expect(checkpointOf(at)).toContain("src/part39.ts");
	});

	test("harmless: with time left nothing is left out, and the block is the same each time", async () => {
		const [one, two] = [staged(), staged()];
		const blocks = [await compact(one), await compact(two)].map(({ block }, i) =>
			block.replaceAll([one, two][i]!.top, "").replace(/precompact_checkpoint_\d+_\d+/g, "KEY"),
		);
		expect(blocks[0]).toBe(blocks[1]);
		expect(blocks[0]).toContain("split the billing module");
		expect(blocks[0]).toContain("src/part39.ts");
		expect(checkpointOf(one)).not.toContain("Left out when");
		expect(logOf(one)).toBe("");
	});
});
