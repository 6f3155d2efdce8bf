import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import { aboveGoal, figures, goals } from "../scripts/size.ts";
import { HOOK_PARTS } from "../src/install/catalog.ts";
import HOUSE from "./architecture.json";
import { printedBy } from "./kit/process.ts";

const ROOT = resolve(import.meta.dirname, "..");

/**
 * Rooms from the bottom up, and the same within a room: what is more than a file deep (`.`: the files of the room itself). A file imports from
 * its own room and from rooms below it.
 */
const LEVELS: string[][] = HOUSE.levels;
const INNER: Record<string, string[][]> = HOUSE.inner;
/** One owner per dependency, or the few places that share it for one reason (of zod and bun:sqlite others load types alone). */
const OWNERS: Record<string, string[]> = HOUSE.owners;

const files = ["src", "hooks", "statusline"].flatMap((folder) =>
	readdirSync(join(ROOT, folder), { recursive: true })
		.map((name) => join(folder, String(name)))
		.filter((name) => name.endsWith(".ts")),
);

const texts = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), "utf8")]));

const IMPORT = /(?:^|\n)(?:import|export)\s(?:[^;]*?\sfrom\s+)?"([^"]+)"(?: with [^;]+)?;|import\("([^"]+)"\)/g;
const imports = new Map(
	[...texts].map(([file, text]) => [file, [...text.matchAll(IMPORT)].map(([, name, late]) => name ?? late!)]),
);

/** What a file loads: types cost nothing, and what is required later is another bundle. */
const LOAD = /^(?:import|export) (?!type )(?:[^;]*? from )?"([^"]+)"/gm;
const loads = (file: string): string[] => [...(texts.get(file) ?? "").matchAll(LOAD)].map(([, name]) => name!);

const room = (file: string): string => (file.startsWith("src/") ? file.split("/")[1]! : "entries");
const inner = (file: string): string => file.split("/").slice(2, -1)[0] ?? ".";
const level = (name: string, levels = LEVELS): number => levels.findIndex((rooms) => rooms.includes(name));
const local = (file: string, target: string): string => relative(ROOT, resolve(ROOT, dirname(file), target));

test("every file stands in a known room and its imports were read", () => {
	expect(files.filter((file) => level(room(file)) < 0)).toEqual([]);
	expect(files.filter((file) => INNER[room(file)] && level(inner(file), INNER[room(file)]) < 0)).toEqual([]);
	expect([...imports.values()].flat().length).toBeGreaterThan(200);
});

test("imports go down only, within a room too", () => {
	const upward: string[] = [];
	for (const [file, targets] of imports)
		for (const target of targets.filter((one) => one.startsWith("."))) {
			const to = local(file, target);
			if (to === "package.json") continue;
			const levels = INNER[room(file)];
			const isUp =
				room(file) === room(to)
					? levels && inner(to) !== inner(file) && level(inner(to), levels) >= level(inner(file), levels)
					: level(room(to)) >= level(room(file));
			if (isUp || !existsSync(join(ROOT, to))) upward.push(`${file} -> ${to}`);
		}
	expect(upward).toEqual([]);
});

/** Where core declares with zod what stands in files. Nothing else in core loads them, so core runs nothing that is not its own. */
const SHAPES = /-shapes?\.ts$/;

test("core imports nothing outside core but, in shapes, zod, which computes only", () => {
	const core = files.filter((file) => room(file) === "core");
	const isForeign = (file: string, target: string): boolean =>
		target !== "zod/mini" && (!target.startsWith(".") || room(local(file, target)) !== "core");
	const foreign = core.filter((file) => imports.get(file)!.some((target) => isForeign(file, target)));
	const loading = core.filter(
		(file) => !SHAPES.test(file) && loads(file).some((target) => target === "zod/mini" || SHAPES.test(target)),
	);
	expect([foreign, loading]).toEqual([[], []]);
});

/** What starts on every refresh, tool call or prompt, what they load later, and what a start reads of saved notes. */
const HOT = [...HOOK_PARTS.map((part) => `hooks/${part}.ts`), ...HOUSE.hot];

/** What starting a file loads: files and packages. */
function loaded(entry: string, seen = new Set<string>()): Set<string> {
	if (seen.has(entry)) return seen;
	seen.add(entry);
	for (const target of loads(entry)) loaded(target.startsWith(".") ? local(entry, target) : target, seen);
	return seen;
}

test.each(HOT)("%s starts without a library", (entry) => {
	const seen = [...loaded(entry)];
	const packages = seen.filter((one) => !one.endsWith(".ts") && !/^node:(?:fs|path)$|^bun:ffi$|\.json$/.test(one));
	expect([seen.length > 1, packages]).toEqual([true, []]);
});

test("no import cycles", () => {
	const cycles: string[] = [];
	const done = new Set<string>();
	const walk = (file: string, path: string[]): void => {
		if (path.includes(file)) return void cycles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
		if (done.has(file)) return;
		for (const target of imports.get(file) ?? [])
			if (target.startsWith(".")) walk(local(file, target), [...path, file]);
		done.add(file);
	};
	for (const file of files) walk(file, []);
	expect(cycles).toEqual([]);
});

test("each dependency has its owner", () => {
	const packages = (targets: string[]) => targets.filter((target) => !/^(?:\.|node:)/.test(target));
	const isOwned = (file: string, target: string) => OWNERS[target]?.some((place) => file.startsWith(place));
	const strays = [...imports].filter(([file, all]) => packages(all).some((target) => !isOwned(file, target)));
	expect(strays).toEqual([]);
	const declared = Object.keys(JSON.parse(readFileSync(join(ROOT, "bundled/package.json"), "utf8")).dependencies);
	expect(declared.filter((name) => !OWNERS[name] && !OWNERS[`${name}/mini`])).toEqual([]);
});

test("what runs programs, encrypts or speaks to PostgreSQL is loaded when it is needed: no file imports it", () => {
	const isLate = (file: string): boolean => /^src\/(?:install\/execa|sync\/(?:age|postgres))\.ts$/.test(file);
	expect(files.filter((file) => !isLate(file) && [...loaded(file)].some(isLate))).toEqual([]);
});

test("entries hold no logic", () => {
	for (const file of files.filter((one) => room(one) === "entries"))
		expect(texts.get(file)!.split("\n").length, file).toBeLessThan(12);
});

test("the project speaks of itself alone: no machine path in a tracked file", () => {
	const tracked = printedBy(["git", "ls-files", "-z"], { cwd: ROOT }).split("\0").filter(Boolean);
	const places = ["wo" + "rk", "ro" + "ot", "fa" + "rm"].map((name) => new RegExp(`(^|[^\\w.])/${name}/`));
	const found = tracked.filter(
		(file) =>
			existsSync(join(ROOT, file)) && places.some((place) => place.test(readFileSync(join(ROOT, file), "utf8"))),
	);
	expect(found).toEqual([]);
});

test("a test file stays under 300 lines", () => {
	const tests = readdirSync(join(ROOT, "test"), { recursive: true })
		.map((path) => join("test", String(path)))
		.filter((path) => path.endsWith(".ts"));
	expect(tests.length).toBeGreaterThan(100);
	const long = tests.filter((path) => readFileSync(join(ROOT, path), "utf8").split("\n").length > 301);
	expect(long).toEqual([]);
});

const DEFINED =
	/^(?:export )?(?:async )?function\*? (\w+)|^(?:export )?const (\w+)(?:: [^=\n]+)? = (?:async )?(?:<[^>]+>)?(?:\w+ =>|\()/gm;

test("a function's name is defined in one file of src", () => {
	const names = files
		.filter((file) => room(file) !== "entries")
		.flatMap((file) => {
			const found = texts.get(file)!.matchAll(DEFINED);
			return [...new Set([...found].map(([, name, constant]) => name ?? constant!))];
		});
	expect(names.length).toBeGreaterThan(1_000);
	expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});

test("each room has its goal, and what is above is told", async () => {
	const goal = Object.keys(goals()).flatMap((name) => name.split(", "));
	expect(goal).toEqual(expect.arrayContaining(readdirSync(join(ROOT, "src")).filter((name) => !name.includes("."))));
	expect(aboveGoal({ ...(await figures()), commands: 35 })).toContain("commands: 35, the goal is 34");
});
