import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { currentCopy, makeCopy, packageIn } from "../../src/install/own-copy.ts";
import { type Called, runCcg } from "../kit/ccg.ts";
import { scratch } from "../scratch-home.ts";

let home: string;
let bin: string;
let app: string;
beforeEach(() => {
	home = scratch("home");
	bin = join(scratch("machine"), "bin");
	app = join(home, ".claude-memory", "app");
	mkdirSync(bin);
});

function packageOf(version: string, folder = scratch("package")): string {
	for (const [name, text] of Object.entries({
		"package.json": JSON.stringify({ name: "claude-context-guard", version }),
		"bin/ccg": "#!/bin/sh\n",
		"dist/src/cli/main.js": `// ${version}`,
	})) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), text, { mode: 0o755 });
	}
	return folder;
}

const install = (version: string, from = packageOf(version)) =>
	makeCopy({ from: packageIn(from)!, app, runtime: "/usr/bin/bun" });
const script = (text: string) => writeFileSync(join(bin, "npm"), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
/** An npm that has one version, and writes down what it was asked. */
const npm = (version: string) =>
	script(`echo "$@" >>'${bin}/asked'
case $1 in
view) echo '"${version}"' ;;
install) mkdir -p "$3/node_modules" && cp -R '${packageOf(version)}' "$3/node_modules/claude-context-guard" ;;
esac`);

const run = (line = "", { env, ...more }: Called = {}) =>
	runCcg(["update", ...line.split(" ").filter(Boolean)], {
		env: { HOME: home, PATH: `${bin}:/usr/bin:/bin`, ...env },
		cwd: home,
		...more,
	});
const atWork = () => currentCopy(app)?.facts.ccg;

test("the newest version is brought and put to work; the one before stays beside it", async () => {
	npm("0.3.0");
	const before = await install("0.2.0");
	const { out, asked } = await run("--from 0.3.0", { interactive: true });
	expect(asked).toEqual(["Bring ccg 0.3.0 in place of 0.2.0? [y/N] "]);
	expect(out).toContain("ccg 0.3.0 is at work, in place of 0.2.0.");
	expect(currentCopy(app)!.facts).toMatchObject({ ccg: "0.3.0", from: "claude-context-guard@0.3.0" });
	expect(readdirSync(app)).toContain(before.folder.slice(app.length + 1));
	expect(readdirSync(app).filter((name) => name.startsWith("."))).toEqual([]);
	npm("0.1.0");
	await run("--from 0.1.0 --yes");
	expect(atWork()).toBe("0.1.0");
});

test.each<[string, Called, RegExp, number]>([
	["--check", {}, /ccg 0\.3\.0 can be had; 0\.2\.0 is at work\./, 0],
	["", { interactive: true, answer: false }, /Nothing was changed\./, 0],
	["", {}, /ccg update --yes/, 2],
	["--from 0.1.0", {}, /ccg update --from 0\.1\.0 --yes/, 2],
	["--yes", { env: { CLAUDECODE: "" } }, /a terminal of your own/, 1],
	["--yes", { env: { CLAUDE_CODE_SESSION_ID: "" } }, /a terminal of your own/, 1],
	["--yes", { env: { PATH: "/nowhere" } }, /npm was not found on PATH/, 1],
])("update %s %j: nothing is changed", async (line, more, said, code) => {
	npm("0.3.0");
	await install("0.2.0");
	const ran = await run(line, more);
	expect([ran.code, `${ran.out}\n${ran.err}`, atWork()]).toEqual([code, expect.stringMatching(said), "0.2.0"]);
});

test("of a clone it says how, and asks no npm", async () => {
	npm("0.3.0");
	const clone = packageOf("0.2.0");
	mkdirSync(join(clone, ".git"));
	await install("0.2.0", clone);
	expect((await run("--yes")).out).toContain(`git -C ${clone} pull`);
	expect([atWork(), readdirSync(bin)]).toEqual(["0.2.0", ["npm"]]);
});

test.each([
	["echo 'npm error code E404' >&2; echo 'npm error 404 no such thing' >&2; exit 1", "npm view: 404 no such thing"],
	['[ $1 = view ] && echo \'"0.3.0"\' || mkdir -p "$3/node_modules/claude-context-guard"', "holds no ccg that runs"],
])("what fails is said, and the version at work stays: %s", async (text, said) => {
	await install("0.2.0");
	script(text);
	expect(await run("--yes")).toMatchObject({ code: 1, err: expect.stringContaining(said) });
	expect([atWork(), readdirSync(app).filter((name) => name.startsWith("."))]).toEqual(["0.2.0", []]);
});

test("where nothing is installed it says what to do", async () => {
	expect(await run()).toMatchObject({ code: 1, err: expect.stringContaining("`ccg install` does") });
});
