import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { run } from "./kit/sandbox.ts";
import { scratch } from "./scratch-home.ts";

const REPO = resolve(import.meta.dirname, "..");

/** A copy of the sources, and a `mv` that writes down what it moves where. */
function copyOfSources(): { clone: string; tools: string; moved: () => string[] } {
	const clone = scratch("build");
	for (const name of ["hooks", "statusline", "src", "scripts", "package.json", "tsconfig.json"])
		cpSync(join(REPO, name), join(clone, name), { recursive: true });
	symlinkSync(join(REPO, "node_modules"), join(clone, "node_modules"));
	const tools = scratch("tools");
	const log = join(tools, "moved");
	writeFileSync(join(tools, "mv"), `#!/bin/sh\necho "$3" >>'${log}'\nexec /bin/mv "$@"\n`, { mode: 0o755 });
	return { clone, tools, moved: () => readFileSync(log, "utf8").trim().split("\n") };
}

test("the build moves what entries load later before the entries, and all of it; bundles without a source go", async () => {
	const { clone, tools, moved } = copyOfSources();
	mkdirSync(join(clone, "dist", "hooks"), { recursive: true });
	writeFileSync(join(clone, "dist", "hooks", "of-before.js"), "");
	const env = { HOME: tools, PATH: `${tools}:/usr/bin:/bin` };
	const { code, err } = await run(["/bin/sh", join(clone, "scripts/build")], { env, cwd: clone });
	expect([code, err]).toEqual([0, ""]);
	const dist = join(clone, "dist");
	const bundles = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => /\.jsc?$/.test(name));
	// where it was built is nobody's business where it runs
	expect(bundles.filter((name) => readFileSync(join(dist, name)).includes(clone))).toEqual([]);
	expect(bundles.length).toBeGreaterThan(20);
	const names = moved().map((path) => path.replace("dist/./", ""));
	const isEntry = (name: string): boolean => /^(?:hooks|statusline|src\/(?:cli|mcp))\//.test(name);
	const firstEntry = names.findIndex(isEntry);
	expect(names.slice(firstEntry).filter((name) => !isEntry(name))).toEqual([]);
	expect(names.slice(0, firstEntry)).toEqual(expect.arrayContaining(["src/sync/age.js", "src/sync/age.js.jsc"]));
	expect(names).toEqual(expect.arrayContaining(["statusline/statusline.js", "src/cli/main.js"]));
	const hooks = names.flatMap((name) => /^hooks\/(.+)/.exec(name)?.[1] ?? []);
	expect(readdirSync(join(dist, "hooks")).sort()).toEqual(hooks.sort());
}, 60_000);
