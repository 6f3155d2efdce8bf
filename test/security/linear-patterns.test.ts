import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TARGET } from "../kit/sandbox.ts";
import WORST from "./linear-parsers.json";
import FILES from "./linear-patterns.json";
import { type Pattern, patternsIn } from "./linear-patterns.ts";
import { worstTexts } from "./linear-worst.ts";

/**
 * Every regular expression in the sources, found by a scanner: a new one is tried without being named here. Each is timed on
 * texts made from its own parts; the slowest of them then on half a megabyte and on a whole one. On the processor's time, so
 * that a busy machine changes nothing.
 */
const SMALL = 2_048;
const STEPS = [8 * 1024, 32 * 1024, 128 * 1024];
const HALF = 512 * 1024;

/** Applied to no more than so many characters, by the lines around it: its worst is timed at that length. */
const BOUNDED = FILES.bounded;
/** What redaction asks of an end is asked of a name, a value or what stands before one in its line. */
const VALUE = { most: 400 };

const sources = readdirSync(join(TARGET, "src"), { recursive: true, encoding: "utf8" }).filter((name) =>
	name.endsWith(".ts"),
);
const all = sources
	.sort()
	.map((name) => ({ file: `src/${name}`, ...patternsIn(readFileSync(join(TARGET, "src", name), "utf8")) }));

/** Replaces all matches: every place is tried, also behind a match. */
function msOf(pattern: Pattern, text: string): number {
	// a sticky one is applied at one place only
	const every = new RegExp(pattern.source, `${pattern.flags.replace("g", "")}g`);
	return cpuMs(() => text.replace(every, ""));
}

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

const best = (pattern: Pattern, text: string, times = 3): number =>
	Math.min(...Array.from({ length: times }, () => msOf(pattern, text)));

/** The slowest text's number and its time. */
function slowest(pattern: Pattern, length: number): { n: number; ms: number } {
	let worst = { n: 0, ms: -1 };
	let n = 0;
	for (const text of worstTexts(pattern.source, pattern.flags, length)) {
		let ms = msOf(pattern, text);
		if (ms > 50) return { n, ms };
		if (ms > worst.ms && ms > 0.3) ms = Math.min(ms, best(pattern, text));
		if (ms > worst.ms) worst = { n, ms };
		n++;
	}
	return worst;
}

function nth(pattern: Pattern, n: number, length: number): string {
	let i = 0;
	for (const text of worstTexts(pattern.source, pattern.flags, length)) if (i++ === n) return text;
	throw new Error("no such text");
}

/** A machine that is busy for a moment is no square. */
const BUSY = { retry: 2 };
/** Less may be the machine: a square of so little at 0.5 MB does no harm. */
const BUSY_MS = 100;

function judge(file: string, pattern: Pattern): void {
	const bound =
		BOUNDED.find((one) => one.file === file && pattern.source.startsWith(one.source)) ??
		(file.startsWith("src/core/redact/") && pattern.source.endsWith("$") ? VALUE : undefined);
	const { n, ms } = slowest(pattern, bound?.most ?? SMALL);
	const where = `line ${pattern.line}, ${JSON.stringify(nth(pattern, n, 40))}`;
	// what is bounded may be a square, of a few milliseconds
	expect(ms, where).toBeLessThan(bound?.most === 4_096 ? 100 : 20);
	if (bound) return;
	for (const length of STEPS) expect(best(pattern, nth(pattern, n, length)), `${where}, ${length}`).toBeLessThan(100);
	const half = best(pattern, nth(pattern, n, HALF));
	const whole = best(pattern, nth(pattern, n, 2 * HALF));
	expect(whole, where).toBeLessThan(1_000);
	expect(whole, `${where}: 1 MB against 0.5 MB`).toBeLessThan(3 * Math.max(BUSY_MS, half));
}

describe.each(all.filter(({ literals }) => literals.length > 0))("$file", (module) => {
	const named = module.literals.map((pattern) => [`/${pattern.source.slice(0, 100)}/`, pattern] as const);
	test.each(named)("%s", BUSY, (_, pattern) => judge(module.file, pattern));
});

test("patterns that are put together are known by their files", () => {
	expect(all.filter(({ made }) => made > 0).map(({ file }) => file)).toEqual(FILES.made);
});

test("the probe finds a square and an exponent", () => {
	const bad = ["<!--[\\s\\S]*?-->", "^\\s*\\d+\\.\\s.+", "git(?:\\s+-[cC]\\s+\\S+|\\s+--?[\\w-]+)*\\s+commit"];
	const isSlow = (source: string): boolean => {
		const pattern = { line: 1, source, flags: "m" };
		const { n, ms } = slowest(pattern, SMALL);
		return ms > 20 || STEPS.some((length) => msOf(pattern, nth(pattern, n, length)) > 100);
	};
	expect(bad.map(isSlow)).toEqual([true, true, true]);
});

/** Every reader of foreign text: `linear-parsers.json` has for each what is worst for it, repeated, some behind a head. */
const READERS = Object.entries(WORST).flatMap(([reader, units]) =>
	units.map((one) => {
		const [module = "", name = ""] = reader.split(" ");
		const [head, unit] = typeof one === "string" ? ["", one] : (one as [string, string]);
		const text = (length: number): string => head + unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
		return [`${name}: ${JSON.stringify(text(24))}`, module, name, text] as const;
	}),
);
/** What a reader is given behind the text. */
const MORE: Record<string, unknown[]> = { excerpt: [6_000] };

test.each(READERS)("%s", { timeout: 20_000, retry: 2 }, async (_, module, name, text) => {
	const reads = (await import(join(TARGET, module)))[name] as (...given: unknown[]) => unknown;
	const msFor = (length: number): number => cpuMs(() => reads(text(length), ...(MORE[name] ?? [])));
	// a square is told before it is waited for
	for (const length of [16 * 1024, 64 * 1024]) expect(msFor(length)).toBeLessThan(300);
	const [half, whole] = [HALF, 2 * HALF].map((length) => Math.min(...[1, 2, 3].map(() => msFor(length))));
	expect(whole).toBeLessThan(2_000);
	expect(whole, "1 MB against 0.5 MB").toBeLessThan(3 * Math.max(BUSY_MS, half!));
});
