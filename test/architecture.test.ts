import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import { HOOK_PARTS } from "../src/install/catalog.ts";
import { printedBy } from "./kit/process.ts";

const ROOT = resolve(import.meta.dirname, "..");

/** Rooms from the bottom up. A file imports from its own room and from rooms below it. */
const LEVELS = [
	["core"],
	["files"],
	["git"],
	["store"],
	["memory"],
	["search"],
	["guard"],
	["claude"],
	["sync"],
	["install"],
	["doctor"],
	["events", "cli", "mcp"],
	["entries"],
];

/** The same within a room: what is more than a file deep. "." are the files of the room itself. */
const INNER: Record<string, string[][]> = {
	core: [
		["redact"],
		["text"],
		["transcript", "pressure", "."],
		["task"],
		["state"],
		["context", "checkpoint"],
		["block"],
		["config"],
		["audit"],
		["session"],
	],
	store: [["."], ["pressure"], ["session", "task"], ["recovery"], ["upkeep", "status"]],
	claude: [["."], ["machine"], ["transcript"], ["recovery"]],
	events: [["run"], ["steps"], ["status-line"], ["."]],
	cli: [["support"], ["demo"], ["commands"], ["."]],
};

/** One owner per dependency, or the few files that share it for one reason. */
const OWNERS: Record<string, RegExp> = {
	"@modelcontextprotocol/server": /^src\/mcp\//,
	"@modelcontextprotocol/server/stdio": /^src\/mcp\/server\.ts$/,
	commander: /^src\/cli\//,
	"jsonc-parser": /^src\/install\/json-text\.ts$/,
	execa: /^src\/install\/execa\.ts$/,
	diff: /^src\/install\/plan\.ts$/,
	// types alone elsewhere
	"bun:sqlite":
		/^src\/(store\/(database|lock)|store\/session\/(cycles|records)|store\/recovery\/checkpoints|search\/(database|search-index))\.ts$/,
	// types alone elsewhere in core
	"zod/mini": /^src\/(core|store|claude|install|sync)\//,
	"proper-lockfile": /^src\/store\/lock\.ts$/,
	"age-encryption": /^src\/sync\/age\.ts$/,
	pg: /^src\/sync\/postgres-connection\.ts$/,
	pgpass: /^src\/sync\/postgres-connection\.ts$/,
};

const files = ["src", "hooks", "statusline"].flatMap((folder) =>
	readdirSync(join(ROOT, folder), { recursive: true })
		.map((name) => join(folder, String(name)))
		.filter((name) => name.endsWith(".ts")),
);

const imports = new Map(
	files.map((file) => {
		const text = readFileSync(join(ROOT, file), "utf8");
		const found = [
			...text.matchAll(
				/(?:^|\n)(?:import|export)\s(?:[^;]*?\sfrom\s+)?"([^"]+)"(?: with [^;]+)?;|import\("([^"]+)"\)/g,
			),
		];
		return [file, found.map((match) => match[1] ?? match[2]!)];
	}),
);

/** What a file loads: types cost nothing, and what is required later is another bundle. */
const loads = (file: string): string[] =>
	[...readFileSync(join(ROOT, file), "utf8").matchAll(/^(?:import|export) (?!type )(?:[^;]*? from )?"([^"]+)"/gm)].map(
		(match) => match[1]!,
	);

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
	const foreign = [...imports].flatMap(([file, targets]) =>
		room(file) === "core"
			? targets
					.filter((target) => target !== "zod/mini")
					.filter((target) => !target.startsWith(".") || room(local(file, target)) !== "core")
					.map((target) => `${file} -> ${target}`)
			: [],
	);
	const loading = files
		.filter((file) => room(file) === "core" && !SHAPES.test(file))
		.filter((file) => loads(file).some((target) => target === "zod/mini" || SHAPES.test(target)));
	expect([foreign, loading]).toEqual([[], []]);
});

/** What starts on every refresh, tool call or prompt, what they load later, and what a start reads of saved notes. */
const HOT = [
	"statusline/statusline.ts",
	"hooks/pre-tool-use.ts",
	"hooks/post-tool-batch.ts",
	"hooks/user-prompt-submit.ts",
	"hooks/stop.ts",
	"hooks/subagent-stop.ts",
	"hooks/session-end.ts",
	"hooks/pre-compact.ts",
	"hooks/session-start.ts",
	"src/core/redact/rules.ts",
	"src/guard/judge.ts",
	"src/events/steps/behind-compaction.ts",
	"src/events/steps/measure.ts",
	"src/events/steps/update-index.ts",
	"src/install/plugin/plugin-folders.ts",
	"src/memory/start.ts",
	"src/memory/notes-file.ts",
];

test("every registered part is one of them", () => {
	const entries = HOOK_PARTS.map((part) => `hooks/${part}.ts`);
	expect(HOT.filter((entry) => entry.startsWith("hooks/")).sort()).toEqual(entries.sort());
});

/** What starting a file loads: files and packages. */
function loaded(entry: string, seen = new Set<string>()): Set<string> {
	if (seen.has(entry)) return seen;
	seen.add(entry);
	if (existsSync(join(ROOT, entry)))
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
	const strays: string[] = [];
	for (const [file, targets] of imports)
		for (const target of targets) {
			if (target.startsWith(".") || target.startsWith("node:")) continue;
			if (!OWNERS[target]?.test(file)) strays.push(`${file} -> ${target}`);
		}
	expect(strays).toEqual([]);
	const declared = Object.keys(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).dependencies);
	expect(declared.filter((name) => name !== "bun" && !OWNERS[name] && !OWNERS[`${name}/mini`])).toEqual([]);
});

test("execa is loaded when a program is run: no file imports it, one requires its bundle", () => {
	const eager = files.filter((file) => loads(file).some((target) => target.endsWith("/execa.ts")));
	const lazy = files.filter((file) => readFileSync(join(ROOT, file), "utf8").includes("/execa`): "));
	expect([eager, lazy]).toEqual([[], ["src/install/run-process.ts"]]);
});

test("what encrypts, and what speaks to PostgreSQL, is loaded when it is needed: no file imports it", () => {
	const isLate = (file: string): boolean => /^src\/sync\/(?:age|postgres)\.ts$/.test(file);
	expect(files.filter((file) => !isLate(file) && [...loaded(file)].some(isLate))).toEqual([]);
});

test("entries hold no logic", () => {
	for (const file of files.filter((one) => room(one) === "entries"))
		expect(readFileSync(join(ROOT, file), "utf8").split("\n").length, file).toBeLessThan(12);
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
		.filter((path) => path.endsWith(".test.ts"));
	expect(tests.length).toBeGreaterThan(100);
	const long = tests.filter((path) => readFileSync(join(ROOT, path), "utf8").split("\n").length > 300);
	expect(long).toEqual([]);
});
