import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { makeCopy, readPackage } from "../../src/install/own-copy.ts";
import { appFolder } from "../../src/store/app-folder.ts";
import { scratch } from "../scratch-home.ts";
import { checksOf, makeFixture } from "./fixture.ts";

/** As scripts/bundle.ts makes them. */
const BUNDLE = "(function(exports, require, module, __filename, __dirname) {\n})\n";

test("how ccg was installed, and when what runs here is another one, or gone", async () => {
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
	const copy = await makeCopy({ from: readPackage(source)!, app: appFolder(store) });
	const told = `ccg 1.0.0 in ${copy.folder}, from ${source}`;
	for (const running of [launcher, copy.launcher]) expect(check(running)).toMatchObject({ status: "ok", detail: told });
	write("package.json", '{"version":"2.0.0"}');
	expect(check()).toMatchObject({
		status: "warn",
		detail: `${told}. What runs here is another one: 2.0.0, ${source}`,
		fix: expect.stringContaining(`\`${launcher} install\` puts it to work`),
	});
	rmSync(launcher);
	expect(checksOf({ checks: fixture.looked({ launcher }) }, "runtime.launcher")).toMatchObject([
		{ status: "fail", detail: expect.stringContaining("is gone") },
	]);
});
