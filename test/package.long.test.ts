import { cpSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { notices } from "../scripts/third-party.ts";
import { printedBy, runNow } from "./kit/process.ts";
import { scratch } from "./scratch-home.ts";

const ROOT = resolve(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const env = () => ({
	HOME: scratch("home"),
	PATH: process.env.PATH ?? "",
	npm_config_offline: "true",
	npm_config_update_notifier: "false",
});

/** What npm would ship; `to` is where it puts the archive, without one it puts none. */
function packed(to?: string, root = ROOT): { filename: string; files: { path: string }[] } {
	const where = to ? ["--pack-destination", to] : ["--dry-run"];
	const out = printedBy(["npm", "pack", "--json", "--ignore-scripts", ...where], { cwd: root, env: env() });
	const [one] = Object.values(JSON.parse(out));
	return one as ReturnType<typeof packed>;
}

test("npm ships what runs, what npm always ships, and nothing else", () => {
	const paths = packed().files.map(({ path }) => path);
	const skills = "ccg checkpoint context-guardian look-up memory recall report restore task".split(" ");
	const others = paths.filter((path) => !/^(?:dist|skills)\//.test(path)).sort();
	expect(others.join(" ")).toBe(
		"LICENSE README.md THIRD-PARTY-NOTICES agents/context-guardian.md bin/bring-bun bin/ccg bin/find-bun demo/session.jsonl package.json",
	);
	expect(paths.filter((path) => path.startsWith("skills/")).sort()).toEqual(
		skills.map((name) => `skills/${name}/SKILL.md`),
	);
	const bundles = paths.flatMap((path) => /^dist\/(.*)/.exec(path)?.[1] ?? []);
	// bytecode fits one version of Bun: it is made where ccg is installed
	const source = (path: string): string => path.replace(/\.js$/, ".ts");
	const ofCommand = (path: string): string => source(path).replace(/^src\/cli\//, "src/cli/commands/");
	const stale = bundles.filter((path) => ![source, ofCommand].some((of) => existsSync(join(ROOT, of(path)))));
	expect(stale).toEqual([]);
	expect(Object.keys(JSON.parse(read("package.json")).dependencies)).toEqual(["bun"]);
});

test("packed twice, also in another folder, the bytes are the same", () => {
	const clone = join(scratch("clone"), "elsewhere");
	printedBy(["git", "clone", "--quiet", "--shared", ROOT, clone], { env: env() });
	const changed =
		"package.json README.md LICENSE bin demo skills agents src hooks statusline scripts THIRD-PARTY-NOTICES";
	for (const name of changed.split(" ")) cpSync(join(ROOT, name), join(clone, name), { recursive: true });
	symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
	// built there, and packed by another hand at another time
	printedBy(["sh", "scripts/build"], { cwd: clone, env: env() });
	runNow(["find", clone, "-exec", "touch", "-t", "200101010101", "{}", "+"], { env: env() });
	const bytes = [ROOT, clone].map((root) => {
		const to = scratch("packed");
		return readFileSync(join(to, packed(to, root).filename));
	});
	expect(bytes[0]!.equals(bytes[1]!)).toBe(true);
}, 120_000);

test("the licences of all that is bundled go along", async () => {
	const written = read("THIRD-PARTY-NOTICES");
	expect(written, "npx bun scripts/write-notices.ts writes it").toBe(await notices());
	for (const name of ["@modelcontextprotocol/server", "ajv", "zod"]) expect(written).toContain(`${name} `);
});
