import { join } from "node:path";
import { expect, test } from "vitest";
import { TARGET } from "../kit/sandbox.ts";
import WORST from "./linear-parsers.json";

/**
 * Every reader of foreign text, on half a megabyte and on a whole one of what is worst for it: `linear-parsers.json` has for each
 * module and function units that are repeated, some behind a head.
 */
const MB = 1024 * 1024;
const MORE: Record<string, unknown[]> = { excerpt: [6_000] };

const cases = Object.entries(WORST).flatMap(([reader, units]) =>
	units.map((one) => {
		const [module = "", name = ""] = reader.split(" ");
		const [head, unit] = typeof one === "string" ? ["", one] : (one as [string, string]);
		const text = (length: number): string => head + unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
		return [`${name}: ${JSON.stringify(text(24))}`, module, name, text, MORE[name] ?? []] as const;
	}),
);

function cpuMs(act: () => unknown): number {
	const before = process.cpuUsage();
	try {
		act();
	} catch {
		// what it says of such a text is tested elsewhere
	}
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

test.each(cases)("%s", { timeout: 20_000, retry: 2 }, async (_, module, name, text, more) => {
	const act = ((await import(join(TARGET, module))) as Record<string, (...given: unknown[]) => unknown>)[name]!;
	// a square is told before it is waited for
	for (const length of [16 * 1024, 64 * 1024]) expect(cpuMs(() => act(text(length), ...more))).toBeLessThan(300);
	const best = (length: number): number => {
		const given = text(length);
		return Math.min(...[1, 2, 3].map(() => cpuMs(() => act(given, ...more))));
	};
	const [half, whole] = [best(MB / 2), best(MB)];
	expect(whole).toBeLessThan(2_000);
	expect(whole, "1 MB against 0.5 MB").toBeLessThan(3 * Math.max(25, half));
});
