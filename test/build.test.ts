import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { run } from "./kit/sandbox.ts";
import { scratch } from "./scratch-home.ts";

const REPO = resolve(import.meta.dirname, "..");

/** A copy of the sources, and a `mv` that writes down what it moves where. */
function copyOfSources(): { clone: string; tools: string; moved: () => string[] } {
	const clone = scratch("build");
	for (const name of ["hooks", "statusline", "src"]) cpSync(join(REPO, name), join(clone, name), { recursive: true });
	for (const name of ["package.json", "tsconfig.json"]) copyFileSync(join(REPO, name), join(clone, name));
	symlinkSync(join(REPO, "node_modules"), join(clone, "node_modules"));
	mkdirSync(join(clone, "scripts"));
	for (const name of ["build", "bundle.ts", "bun"])
		copyFileSync(join(REPO, "scripts", name), join(clone, "scripts", name));
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
	const isLoaded = (name: string): boolean => /^src\/(?:core|events|guard|install|sync)\//.test(name);
	expect(names.filter(isLoaded).sort()).toEqual(
		[
			"src/core/redact/rules.js",
			"src/core/redact/rules.js.jsc",
			"src/events/steps/behind-compaction.js",
			"src/events/steps/behind-compaction.js.jsc",
			"src/events/steps/measure.js",
			"src/events/steps/measure.js.jsc",
			"src/events/steps/update-index.js",
			"src/events/steps/update-index.js.jsc",
			"src/guard/judge.js",
			"src/guard/judge.js.jsc",
			"src/install/execa.js",
			"src/install/execa.js.jsc",
			"src/install/plugin/plugin-folders.js",
			"src/install/plugin/plugin-folders.js.jsc",
			"src/sync/age.js",
			"src/sync/age.js.jsc",
			"src/sync/postgres.js",
			"src/sync/postgres.js.jsc",
		].sort(),
	);
	expect(names.slice(18).filter(isLoaded)).toEqual([]);
	expect(names).toEqual(
		expect.arrayContaining(["hooks/post-tool-batch.js", "statusline/statusline.js", "src/cli/main.js"]),
	);
	expect(readdirSync(join(clone, "dist", "hooks")).sort()).toEqual(
		names.flatMap((name) => /^hooks\/(.+)/.exec(name)?.[1] ?? []).sort(),
	);
}, 60_000);
