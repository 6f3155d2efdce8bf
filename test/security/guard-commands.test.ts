import { expect, test } from "vitest";
import { LAUNCHER, type Sandbox } from "../kit/sandbox.ts";
import { PROGRAM_ATTACKS } from "./guard-attacks.ts";
import { SHELL_ATTACKS } from "./guard-attacks-shell.ts";
import { CHANGES } from "./guard-changes.ts";
import { isCommandHeld, stopped } from "./guard-fixture.ts";
import { HARMLESS } from "./guard-harmless.ts";

let at: Sandbox;
const staged = (): Sandbox => (at ??= stopped());
const typed = (command: string): string => command.replaceAll("@CCG@", LAUNCHER).replaceAll("@SID@", staged().sid);

for (const [kind, commands] of Object.entries({ ...PROGRAM_ATTACKS, ...SHELL_ATTACKS }))
	test.concurrent.each(commands)(`${kind}: %j is held back`, async (command) => {
		expect(await isCommandHeld(staged(), typed(command))).toBe(true);
	});

test.concurrent.each(CHANGES)("a plain change: %j is held back", async (command) => {
	expect(await isCommandHeld(staged(), typed(command))).toBe(true);
});

test.concurrent.each(HARMLESS)("harmless: %j goes on", async (command) => {
	expect(await isCommandHeld(staged(), typed(command))).toBe(false);
});
