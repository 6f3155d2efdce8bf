import { beforeAll, expect, test } from "vitest";
import type { Sandbox } from "../kit/sandbox.ts";
import { corpus, isCommandHeld, isDenied, isHeld, repository, stopped } from "./guard-fixture.ts";

const ATTACKS = corpus("guard-attacks.txt");
const HARMLESS = corpus("guard-harmless.txt");

let at: Sandbox;
beforeAll(() => {
	at = repository();
});
const held = (command: string): boolean => isCommandHeld(at, command);

test("none of the attacks gets through", () => {
	const all = [...ATTACKS.values()].flat();
	expect(all.length).toBeGreaterThan(590);
	expect(all.filter((command) => !held(command))).toEqual([]);
});

test("of harmless commands at most one in ten is held back, and these are known", () => {
	const [through = [], known = []] = HARMLESS.values();
	expect(through.filter(held)).toEqual([]);
	expect(known.filter((command) => !held(command))).toEqual([]);
	expect(known.length / (through.length + known.length)).toBeLessThan(0.1);
});

test("a command that is empty, no text or runs in the background is held back", () => {
	for (const command of ["", " ", "# ls"]) expect(held(command)).toBe(true);
	for (const more of [{ command: ["ls"] }, { run_in_background: true }, { run_in_background: "true" }])
		expect(isHeld(at, "Bash", { command: "ls", ...more })).toBe(true);
});

test("the entry says the same", async () => {
	const here = stopped();
	for (const [command, isAttack] of [
		["ls | head", false],
		["ls | xargs rm", true],
	] as const)
		expect(await isDenied(here, "Bash", { command })).toBe(isAttack);
});

test.each(["(", "$(", "{ ", "`", "<<A ", "ls;", "a ", "${a:-", "1+", "[", "'\"", "((", "\\\n", "$a", "do ", "A=1 "])(
	"a megabyte of one piece costs no time, %#",
	(piece) => {
		const start = performance.now();
		for (const size of [2_000, 32_000, 1_000_000]) held(`ls ${piece.repeat(size / piece.length)}`);
		expect(performance.now() - start).toBeLessThan(1_500);
	},
);
