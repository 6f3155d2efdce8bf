import { join } from "node:path";
import { putEvilProgram } from "./launch-fixture.ts";
import HOSTILE from "./sync-hostile.json";

/** A folder with a program that leaves a trace, for what `sync-hostile.json` has: BASE and PROGRAM are these. */
export function hostileIn(base: string) {
	const [canary, program] = [join(base, "trace"), join(base, "program")];
	putEvilProgram({ canary }, program);
	const filled = (text: string): string => text.replaceAll("BASE", base).replaceAll("PROGRAM", program);
	const lines = (name: Exclude<keyof typeof HOSTILE, "environment">): string => filled(`${HOSTILE[name].join("\n")}\n`);
	return { base, canary, program, filled, lines };
}
