/** Attack 1: files of the working directory and of folders above it do not become code, whatever is started there. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runMeasured } from "../kit/sandbox.ts";
import {
	COMMANDS,
	caught,
	fromSource,
	KINDS,
	type LaunchEntry,
	type LaunchPlace,
	PLANTS,
	place,
	REGISTERED,
} from "./launch-fixture.ts";

type Where = "the folder itself" | "its parent" | "a folder far above" | "two of them";
const FOLDERS: Record<Where, (at: LaunchPlace) => string[]> = {
	"the folder itself": ({ project }) => [project],
	"its parent": ({ parent }) => [parent],
	"a folder far above": ({ top }) => [top],
	"two of them": ({ parent, project }) => [parent, project],
};

function cases(entries: LaunchEntry[], plants: string[], folders: Where[]) {
	return entries.flatMap((entry) =>
		plants.flatMap((plant) =>
			folders.map((where) => ({ entry, plant, where, name: `${entry.name}: ${plant} in ${where}` })),
		),
	);
}

const named = <T extends { name: string }>(list: T[]): [string, T][] => list.map((one) => [one.name, one]);

async function attack({ entry, plant, where }: ReturnType<typeof cases>[number], launcher?: string): Promise<void> {
	const at = place({ launcher });
	for (const folder of FOLDERS[where](at)) PLANTS[plant]!(at, folder);
	await entry.start(at);
	expect(caught(at)).toBe(false);
}

const TSCONFIG = "tsconfig.json with paths";
const ALL = Object.keys(PLANTS);

describe.concurrent("as installed", () => {
	const everyEntry = cases(
		[...REGISTERED, ...COMMANDS],
		[TSCONFIG, "jsconfig.json with paths"],
		["the folder itself", "its parent"],
	);
	const everyPlant = cases(
		KINDS,
		ALL.filter((plant) => plant !== TSCONFIG),
		["the folder itself", "a folder far above"],
	);
	const both = cases([REGISTERED[0]!, COMMANDS[2]!], ALL, ["two of them"]);
	test.each(named([...everyEntry, ...everyPlant, ...both]))("%s", (_, one) => attack(one));
});

describe.concurrent("from source", () => {
	const launcher = fromSource();
	const some = [REGISTERED[0]!, REGISTERED[9]!, COMMANDS[2]!, COMMANDS[14]!];
	test.each(named(cases(some, ALL, ["the folder itself"])))("%s", (_, one) => attack(one, launcher));
});

test("harmless: the trap works, a Bun without the launcher's options falls into it", async () => {
	const at = place();
	PLANTS[TSCONFIG]!(at, at.project);
	writeFileSync(join(at.top, "empty.ts"), "");
	await runMeasured([process.execPath, join(at.top, "empty.ts")], { cwd: at.project, env: { HOME: at.home } });
	expect(caught(at)).toBe(true);
});
