/** Attack 1: files of the working directory and of folders above it do not become code, whatever is started there. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runMeasured } from "../kit/sandbox.ts";
import {
	COMMANDS,
	caught,
	compiledCopy,
	fromSource,
	KINDS,
	type LaunchEntry,
	PLANTS,
	place,
	REGISTERED,
} from "./launch-fixture.ts";

const ALL = Object.keys(PLANTS);

async function attack(entry: LaunchEntry, plants: string[], launcher?: string): Promise<void> {
	const at = place({ launcher });
	for (const folder of [at.project, at.parent, at.top]) for (const plant of plants) PLANTS[plant]!(at, folder);
	await entry.start(at);
	expect(caught(at)).toBe(false);
}

describe.concurrent("as installed", () => {
	const cases = [
		...[...REGISTERED, ...COMMANDS].map((entry) => [entry.name, "all of it", entry, ALL] as const),
		...KINDS.flatMap((entry) => ALL.map((plant) => [entry.name, plant, entry, [plant]] as const)),
	];
	test.each(cases)("%s: %s", (_, __, entry, plants) => attack(entry, [...plants]));
});

describe.concurrent("compiled", () => {
	const copy = compiledCopy();
	test.each(KINDS.map((entry) => [entry.name, entry] as const))("%s", async (_, entry) =>
		attack(entry, ALL, (await copy).launcher),
	);
});

describe.concurrent("from source", () => {
	const launcher = fromSource();
	const some = [REGISTERED[0]!, REGISTERED[9]!, COMMANDS[2]!, COMMANDS[14]!];
	test.each(some.map((entry) => [entry.name, entry] as const))("%s", (_, entry) => attack(entry, ALL, launcher));
});

test.each(ALL.slice(0, 2))(
	"harmless: the trap works, a Bun without the launcher's options falls into %s",
	async (plant) => {
		const at = place();
		PLANTS[plant]!(at, at.project);
		writeFileSync(join(at.top, "empty.ts"), "");
		await runMeasured([process.execPath, join(at.top, "empty.ts")], { cwd: at.project, env: { HOME: at.home } });
		expect(caught(at)).toBe(true);
	},
);
