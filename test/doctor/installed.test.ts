import { chmodSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { TESTED } from "../../src/core/text/version.ts";
import { makeCopy, packageIn } from "../../src/install/own-copy.ts";
import { appFolder } from "../../src/store/app-folder.ts";
import { claudeName } from "../../src/store/paths.ts";
import { scratch } from "../scratch-home.ts";
import { checksOf, makeFixture } from "./fixture.ts";

/** As scripts/bundle.ts makes them. */
const BUNDLE = "(function(exports, require, module, __filename, __dirname) {\n})\n";

test.each<[name: string, here: string, ran: string | null, found: RegExp | null]>([
	["the newest tested", TESTED.join("."), TESTED.join("."), null],
	["an older one", "2.1.100", null, null],
	["a newer one is here", "2.1.999", null, /Claude Code 2\.1\.999 is newer than 2\.1\.\d+, the newest that this ccg/],
	["a newer one ran here", "2.1.100", "3.0.0", /Claude Code 3\.0\.0 is newer/],
	["both", "2.2.0", "2.2.0", /Claude Code 2\.2\.0 is newer/],
])("what came after this ccg: %s", async (_, version, ran, found) => {
	const fixture = makeFixture();
	await fixture.install();
	const folder = join(fixture.home, ".claude", "projects", claudeName(fixture.cwd));
	mkdirSync(folder, { recursive: true });
	const line = (of: string): string =>
		`${JSON.stringify({ type: "user", version: of, timestamp: new Date().toISOString() })}\n{"type":"mode"}\n`;
	const [old, last] = [1, 2].map((n) => join(folder, `${String(n).repeat(8)}-2222-4333-8444-555555555555.jsonl`));
	writeFileSync(old!, line("9.9.9"));
	utimesSync(old!, 1_000, 1_000);
	writeFileSync(last!, line(ran ?? version));
	const checks = fixture.looked({ claude: [{ version, path: "/c" }] });
	const told = checksOf({ checks }, "runtime.tested");
	if (found) expect(told).toMatchObject([{ status: "info", detail: expect.stringMatching(found) }]);
	else expect(told).toEqual([]);
});

test("how ccg was installed, and when what runs here is another one", async () => {
	const fixture = makeFixture();
	const { store } = fixture;
	const source = scratch("package");
	const write = (name: string, text: string) => {
		mkdirSync(dirname(join(source, name)), { recursive: true });
		writeFileSync(join(source, name), text);
	};
	write("package.json", '{"version":"1.0.0"}');
	write("bin/ccg", "#!/bin/sh\n");
	write("dist/src/cli/main.js", BUNDLE);
	chmodSync(join(source, "bin", "ccg"), 0o755);
	const launcher = join(source, "bin", "ccg");
	const check = (running = launcher) =>
		checksOf({ checks: fixture.looked({ launcher: running }) }, "runtime.installed")[0];
	expect(check()).toMatchObject({ status: "info", detail: `without a copy in the store: ${source}` });
	const copy = await makeCopy({ from: packageIn(source)!, app: appFolder(store) });
	const told = `ccg 1.0.0 in ${copy.folder}, from ${source}`;
	for (const running of [launcher, copy.launcher]) expect(check(running)).toMatchObject({ status: "ok", detail: told });
	write("package.json", '{"version":"2.0.0"}');
	expect(check()).toMatchObject({
		status: "warn",
		detail: `${told}. What runs here is another one: 2.0.0, ${source}`,
		fix: expect.stringContaining(`\`${launcher} install\` puts it to work`),
	});
});
