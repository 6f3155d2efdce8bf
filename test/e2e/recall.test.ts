import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ClaudeSandbox, claudeSandbox, everything, logged } from "./claude-sandbox.ts";
import { type ApiRequest, playing, type Reply } from "./loopback-api.ts";
import { bash, does, says, thenDoes } from "./replies.ts";

let made: ClaudeSandbox;

/** Of a result nobody repeats: neither the summary nor the recovery block holds it. */
const FACT = "flux gap of rotor 7 is 4.271 millimetres";

/** The command that the recovery block names. */
const named = (request: ApiRequest): string | undefined => /ask first: `(\S[^`]* recall) WORDS`/.exec(request.all)?.[1];

test("what neither summary nor block holds is found with the call that the block names, here and in another session of the project", async () => {
	const steps: Reply[] = [does(20_000, bash("cat rotor.txt")), says(22_000, "I measured the rotor.")];
	const after: Reply[] = [thenDoes(90_000, bash("echo on")), thenDoes(30_000, bash("echo compacted"))];
	let asked: string | undefined;
	const play = playing([...steps, ...after]);
	made = claudeSandbox((request, index) => {
		const command = request.kind === "main" ? named(request) : undefined;
		if (command && !asked) {
			asked = command;
			return does(31_000, bash(`${command} what was the gap of the rotor`));
		}
		if (asked) return says(32_000, "found");
		return play(request, index);
	});
	writeFileSync(
		join(made.project, "rotor.txt"),
		`readings of today\nthe ${FACT}\n${"another reading of no use\n".repeat(40)}`,
	);
	await made.claude("Measure the rotor. Say nothing about numbers.");
	await made.claude("Go on with the housing.", "--continue");
	expect(asked).toBeDefined();
	const main = made.main();
	const before = main.find((request) => named(request) !== undefined)!;
	expect(everything(before)).not.toContain(FACT);
	expect(everything(main.at(-1)!)).toContain(FACT);
	expect(everything(main.at(-1)!)).toContain("quoted as data");

	expect(logged(made)).toBe("");
	expect(readFileSync(join(made.store, "index.sqlite")).length).toBeGreaterThan(4_096);
});
