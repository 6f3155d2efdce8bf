/** Attack 1: files of the working directory and of folders above it do not become code, whatever is started there. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runMeasured } from "../kit/sandbox.ts";
import { attacksOf } from "./kit.ts";
import {
	COMMANDS,
	caught,
	compiledCopy,
	fromSource,
	KINDS,
	type LaunchEntry,
	place,
	plantIn,
	REGISTERED,
} from "./launch-fixture.ts";

const ATTACKS = attacksOf("launch folders");
const ALL = ATTACKS.map(([, script]) => script);

async function attack(entry: LaunchEntry, scripts: string[], launcher?: string): Promise<void> {
	const at = place({ launcher });
	for (const folder of [at.project, at.parent, at.top]) for (const script of scripts) plantIn(at, script, folder);
	await entry.start(at);
	expect(caught(at)).toBe(false);
}

describe.concurrent("a folder becomes no code", () => {
	const copy = compiledCopy();
	const source = fromSource();
	const named = (entries: readonly LaunchEntry[]) => entries.map((entry) => [entry.name, entry] as const);

	test.each(named([...REGISTERED, ...COMMANDS]))("as installed: %s", (_, entry) => attack(entry, ALL));
	test.each(named(KINDS))("compiled: %s", async (_, entry) => attack(entry, ALL, (await copy).launcher));
	test.each(named(KINDS))("from source: %s", (_, entry) => attack(entry, ALL, source));
});

test.each(ATTACKS.slice(0, 2))("harmless: the trap works, a Bun by itself falls into %s", async (_, script) => {
	const at = place();
	plantIn(at, script);
	writeFileSync(join(at.top, "empty.ts"), "");
	await runMeasured([process.execPath, join(at.top, "empty.ts")], { cwd: at.project, env: { HOME: at.home } });
	expect(caught(at)).toBe(true);
});
