import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { checkInstalled, installedCopy } from "../../src/doctor/installed.ts";
import { makeCopy, packageIn } from "../../src/install/own-copy.ts";
import { appFolder, stableLauncher } from "../../src/store/app-folder.ts";
import { scratch } from "../scratch-home.ts";

test("doctor says how ccg was installed, and when what runs here is another one", () => {
	const store = scratch("store");
	const source = scratch("package");
	for (const [name, text] of Object.entries({
		"package.json": '{"version":"1.0.0"}',
		"bin/ccg": "",
		"dist/src/x.js": "",
	})) {
		mkdirSync(dirname(join(source, name)), { recursive: true });
		writeFileSync(join(source, name), text);
	}
	const launcher = join(source, "bin", "ccg");
	const check = (running = launcher) => checkInstalled(installedCopy(store), running, store);
	expect(check()).toMatchObject({ status: "info", detail: `by a folder, without a copy in the store: ${source}` });

	const copy = makeCopy({ from: packageIn(source)!, app: appFolder(store), runtime: "", way: "npx" });
	const told = `by npx, from ${source}, on ${copy.facts.at.slice(0, 10)}; ccg 1.0.0 in ${copy.folder}`;
	expect(check()).toMatchObject({ status: "ok", detail: told });
	expect(check(copy.launcher)).toMatchObject({ status: "ok", detail: told });

	writeFileSync(join(source, "package.json"), '{"version":"2.0.0"}');
	expect(check()).toMatchObject({
		status: "warn",
		detail: `${told}. What runs here is another one: 2.0.0, ${source}`,
		fix: `\`${launcher} install\` puts it to work`,
	});
	writeFileSync(join(source, "package.json"), '{"version":"0.9.0"}');
	expect(check()).toMatchObject({ status: "warn", fix: expect.stringContaining("the one here is older") });
	rmSync(join(copy.folder, "bin"), { recursive: true });
	expect(check(stableLauncher(appFolder(store)))).toMatchObject({ status: "fail" });
});
