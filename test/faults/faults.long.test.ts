import { join } from "node:path";
import { expect, test } from "vitest";
import { scratch } from "../scratch-home.ts";
import { enumerate } from "./enumerate.ts";
import { whyNoStrace } from "./strace.ts";
import { IN_PLACE, WRITE_PATHS } from "./write-paths.ts";

const why = whyNoStrace();
if (why) console.error(`\n!!! The fault tests were NOT RUN: ${why}\n`);
const faultTest = why ? test.fails : test;

/**
 * A kill at every third call of the hooks, every eighth of the long commands, every 16th where the next run waits for the lock of
 * the one that was killed, or where the search index is filled as well; errors at a third of those. `npm run test:faults` does them all.
 */
const every = (name: string): number =>
	/MCP|beside|restore|SubagentStop/.test(name) ? 16 : /settings|gc/.test(name) ? 8 : 3;

faultTest.each(WRITE_PATHS.map((path) => [path.name, path] as const))(
	"%s: killed or failing at its calls, nothing is torn and nothing lost",
	async (name, path) => {
		if (why) throw new Error(why);
		const tallies = [
			...(await enumerate(path, join(scratch("faults"), "w"), { faults: ["KILL"], every: every(name) })),
			...(await enumerate(path, join(scratch("faults"), "w"), {
				faults: ["ENOSPC", "EACCES"],
				every: 3 * every(name),
				offset: 1,
			})),
		];
		for (const { points, fired, torn, lost, rude } of tallies) {
			expect({ torn, lost, rude }).toEqual({ torn: [], lost: [], rude: [] });
			expect(fired).toBeGreaterThanOrEqual(points - 1);
			expect(points).toBeGreaterThan(0);
		}
	},
	60_000,
);

faultTest(
	"a writer in place is caught",
	async () => {
		if (why) throw new Error(why);
		const [kill, full] = await enumerate(IN_PLACE, join(scratch("faults"), "w"), { faults: ["KILL", "ENOSPC"] });
		expect(kill!.torn.length).toBeGreaterThan(0);
		expect(full!.torn.length).toBeGreaterThan(0);
	},
	60_000,
);
