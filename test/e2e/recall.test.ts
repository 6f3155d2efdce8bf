import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bash, type ClaudeSandbox, claudeSandbox, everything, logged } from "./claude-sandbox.ts";
import { type ApiRequest, playing, type Reply } from "./loopback-api.ts";

let made: ClaudeSandbox;

/** Of a result nobody repeats: neither the summary nor the recovery block holds it. */
const FACT = "flux gap of rotor 7 is 4.271 millimetres";
const PAUSE = { delayMs: 400 };

/** The command that the recovery block names. */
const named = (request: ApiRequest): string | undefined => /ask first: `(\S[^`]* recall) WORDS`/.exec(request.all)?.[1];

test("what neither summary nor block holds is found with the call that the block names, here and in another session of the project", async () => {
	const steps: Reply[] = [
		{ tools: [bash("cat rotor.txt")], tokens: 20_000 },
		{ text: "I measured the rotor.", tokens: 22_000 },
	];
	const after: Reply[] = [
		{ tools: [bash("echo on")], tokens: 90_000, ...PAUSE },
		{ tools: [bash("echo compacted")], tokens: 30_000, ...PAUSE },
	];
	let asked: string | undefined;
	const play = playing([...steps, ...after]);
	made = claudeSandbox((request, index) => {
		const command = request.kind === "main" ? named(request) : undefined;
		if (command && !asked) {
			asked = command;
			return { tools: [bash(`${command} what was the gap of the rotor`)], tokens: 31_000 };
		}
		if (asked) return { text: "found", tokens: 32_000 };
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
