import { readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { sessionPaths } from "../../src/store/paths.ts";
import { run } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";

const REPO = resolve(import.meta.dirname, "../..");
const ROUNDS = 200;
const STARTERS = 4;

/** Asks for each checkpoint at the same moment as the other starters, and prints which it got. */
const CLAIM = `
import { claimInjection } from ${JSON.stringify(join(REPO, "src/store/recovery/injections.ts"))};
import { sessionAt } from ${JSON.stringify(join(REPO, "src/store/session-handle.ts"))};
const [root, at, day] = process.argv.slice(2);
const won = [];
for (let i = 0; i < ${ROUNDS}; i++) {
	const start = Number(at) + i * 5;
	while (Date.now() < start);
	const now = new Date(start + Number(day) * 86_400_000);
	if (claimInjection(sessionAt({ root: root, tell() {} }, "s"), "precompact_checkpoint_" + i, "resume", { now, againAfterMs: 3_600_000 })) won.push(i);
}
console.log(JSON.stringify(won));
`;

test(`${STARTERS} starters at one moment, ${ROUNDS} checkpoints, 4 resumes of each: one gives it, few files are left`, async () => {
	const home = scratch("injections");
	const root = join(home, "store");
	const script = join(home, "claim.ts");
	writeFileSync(script, CLAIM);
	const flags = ["--config=/dev/null", "--no-env-file"];
	for (let day = 0; day < 4; day++) {
		const at = String(Date.now() + 1_000);
		const starter = () =>
			run([process.execPath, ...flags, script, root, at, String(day)], { env: { HOME: home }, cwd: home });
		const runs = await Promise.all(Array.from({ length: STARTERS }, starter));
		const won = runs.flatMap(({ out }) => JSON.parse(out) as number[]).sort((a, b) => a - b);
		expect(won, `resume ${day}`).toEqual(Array.from({ length: ROUNDS }, (_, i) => i));
	}
	expect(readdirSync(sessionPaths(root, "s").injected).length).toBeLessThanOrEqual(2 * ROUNDS);
});
