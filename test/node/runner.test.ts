/** Bundles on a real Node, by the runner that was built. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { realNode } from "../kit/node.ts";
import { runNow } from "../kit/process.ts";
import { scratch } from "../scratch-home.ts";

const DIST = resolve(import.meta.dirname, "../../dist");
const NODE = realNode();
const onNode = (bundle: string, ...args: string[]) =>
	runNow([NODE!, "--no-warnings", join(DIST, "node.cjs"), bundle, ...args], { env: { HOME: scratch("home") } });

/** A bundle as Bun makes it. */
function bundle(folder: string, name: string, code: string): string {
	mkdirSync(folder, { recursive: true });
	const path = join(folder, `${name}.js`);
	writeFileSync(path, `// @bun @bun-cjs\n(function(exports, require, module, __filename, __dirname) {${code}\n})`);
	return path;
}

describe.skipIf(!NODE)("on Node", () => {
	test("a bundle has its name, its arguments and the bundles it loads later", () => {
		expect(existsSync(join(DIST, "node.cjs")), "npm run build makes it").toBe(true);
		const folder = scratch("runner");
		bundle(join(folder, "steps"), "late", "exports.say = () => 'late'; exports.at = __filename;");
		const path = bundle(
			join(folder, "hooks"),
			"a",
			`const late = require("../steps/late");
			let missing; try { require("../steps/none"); } catch (error) { missing = error.message.split("\\n")[0]; }
			const of = { main: Bun.main, argv: process.argv.slice(1), say: late.say(), at: late.at, missing };
			of.same = require("../steps/late.js") === late;
			of.groups = [...Map.groupBy([1, 2, 3].values().map((one) => one + 1), (one) => one % 2)];
			console.log(JSON.stringify(of));`,
		);
		const { code, out, err } = onNode(path, "x", "--y");
		expect([code, err]).toEqual([0, ""]);
		expect(JSON.parse(out)).toEqual({
			main: path,
			argv: [path, "x", "--y"],
			say: "late",
			at: join(folder, "steps/late.js"),
			missing: `Cannot find module '../steps/none' from '${path}'`,
			same: true,
			groups: [
				[0, [2, 4]],
				[1, [3]],
			],
		});
	});

	test("what hooks load later is loaded and works: what judges commands, what finds secrets", () => {
		const path = bundle(
			scratch("runner"),
			"a",
			`const { mayChange } = require(${JSON.stringify(join(DIST, "src/guard/judge"))});
			const { redactByRules } = require(${JSON.stringify(join(DIST, "src/core/redact/rules"))});
			const at = { root: "/none", env: {}, launcher: "/none/ccg" };
			const may = (command) => mayChange({ session_id: "s", tool_name: "Bash", tool_input: { command }, cwd: "/" }, at);
			console.log(may("/none/ccg status"), may("rm -rf x"), redactByRules("password=hunter2hunter2", () => {}));`,
		);
		expect(onNode(path)).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/^false true (?!.*hunter2)/) });
	});

	test("a store begins to share, and leaves again", () => {
		const [home, shared, cwd] = [scratch("home"), scratch("shared"), scratch("app")];
		const ccg = (...words: string[]) =>
			runNow([NODE!, "--no-warnings", join(DIST, "node.cjs"), join(DIST, "src/cli/main.js"), ...words], {
				cwd,
				env: { HOME: home, PATH: process.env.PATH ?? "" },
			});
		expect(ccg("memory", "save", "tests run with bun")).toMatchObject({ code: 0 });
		const shares = ccg("sync", "init", shared, "--project", "new", "--yes");
		expect(shares).toMatchObject({ code: 0, out: expect.stringContaining("Shared 1 item"), err: "" });
		expect(ccg("sync", "leave", "--yes")).toMatchObject({ code: 0, err: "" });
	});
});
