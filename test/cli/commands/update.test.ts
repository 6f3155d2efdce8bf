import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { update } from "../../../src/cli/acts/update.ts";
import { WAYS, type Way } from "../../../src/install/origin.ts";
import { currentCopy, makeCopy, packageIn } from "../../../src/install/own-copy.ts";
import { recordedIo } from "../../kit/recorded-io.ts";
import { scratch } from "../../scratch-home.ts";

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
		writeFileSync(join(folder, name), text);
	}
	return folder;
}

const install = (version: string, way: Way = "npx") =>
	makeCopy({ from: packageIn(packageOf(version))!, app, runtime: "/usr/bin/bun", way });

/** An npm that has one version, and writes down what it was asked. */
function npm(version: string): void {
	const source = packageOf(version);
	const script = `#!/bin/sh
echo "$@" >>'${bin}/asked'
case $1 in
view) echo '"${version}"' ;;
install) mkdir -p "$3/node_modules" && cp -R '${source}' "$3/node_modules/claude-context-guard" ;;
esac
`;
	writeFileSync(join(bin, "npm"), script, { mode: 0o755 });
}

async function run(
	options: Parameters<typeof update>[0],
	more: { answer?: boolean; path?: string; cwd?: string } = {},
) {
	const { answer, path = `${bin}:/usr/bin:/bin`, cwd = home } = more;
	const questions: string[] = [];
	const recorded = recordedIo({ env: { HOME: home, PATH: path }, cwd, interactive: answer !== undefined });
	await update(options, recorded.io, async (question) => {
		questions.push(question);
		return answer ?? false;
	});
	return { out: recorded.out.join("\n"), err: recorded.err.join("\n"), code: recorded.code ?? 0, questions };
}
const atWork = () => currentCopy(app)?.facts.ccg;

test("the newest version is brought and put to work; the one before stays beside it", async () => {
	npm("0.3.0");
	const before = install("0.2.0");
	const { out, questions } = await run({}, { answer: true });
	expect(questions).toEqual(["Bring ccg 0.3.0 in place of 0.2.0? [y/N] "]);
	expect(out).toContain("ccg 0.3.0 is at work, in place of 0.2.0.");
	expect([atWork(), currentCopy(app)!.facts.way]).toEqual(["0.3.0", "npx"]);
	expect(readdirSync(app).filter((name) => name.startsWith("."))).toEqual([]);
	expect(readdirSync(app)).toContain(before.folder.slice(app.length + 1));
});

test.each([
	["--check only says so", { check: true }, { answer: true }, "ccg 0.3.0 can be had; 0.2.0 is at work.", 0],
	["declined", {}, { answer: false }, "Nothing was changed.", 0],
	["nobody to ask", {}, {}, "ccg update --yes", 2],
])("%s: nothing is changed", async (_, options, more, said, code) => {
	npm("0.3.0");
	install("0.2.0");
	const ran = await run(options, more);
	expect(`${ran.out}\n${ran.err}`).toContain(said);
	expect([ran.code, atWork()]).toEqual([code, "0.2.0"]);
});

test("as JSON", async () => {
	npm("0.2.0");
	install("0.2.0");
	const { out, err } = await run({ json: true });
	expect(err).toBe("");
	expect(JSON.parse(out)).toMatchObject({ installed: "0.2.0", way: "npx", newest: "0.2.0", updated: false });
});

test("an older version is taken when it is named", async () => {
	npm("0.1.0");
	install("0.2.0");
	await run({ from: "0.1.0", yes: true });
	expect(atWork()).toBe("0.1.0");
});

test.each(WAYS.filter((way) => way === "clone" || way === "folder" || way === "plugin"))(
	"by %s: it says how, and asks no npm",
	async (way) => {
		npm("0.3.0");
		install("0.2.0", way);
		const { out } = await run({ yes: true });
		expect(out).toContain(way === "plugin" ? "claude plugin update ccg" : "bin/ccg install");
		expect([atWork(), readdirSync(bin)]).toEqual(["0.2.0", ["npm"]]);
	},
);

test("what fails is said, and the version at work stays", async () => {
	install("0.2.0");
	expect(await run({}, { path: bin })).toMatchObject({
		code: 1,
		err: expect.stringContaining("npm was not found on PATH"),
	});
	writeFileSync(
		join(bin, "npm"),
		"#!/bin/sh\necho 'npm error code E404' >&2\necho 'npm error 404 no such thing' >&2\nexit 1\n",
		{ mode: 0o755 },
	);
	expect(await run({})).toMatchObject({
		code: 1,
		err: expect.stringContaining("npm view: 404 no such thing. Nothing was changed."),
	});
	npm("0.3.0");
	// a package that holds no ccg
	writeFileSync(join(bin, "npm"), '#!/bin/sh\nmkdir -p "$3/node_modules/claude-context-guard"\n', { mode: 0o755 });
	expect(await run({ from: "0.3.0", yes: true })).toMatchObject({
		code: 1,
		err: expect.stringContaining("holds no ccg that runs"),
	});
	expect([atWork(), readdirSync(app).filter((name) => name.startsWith("."))]).toEqual(["0.2.0", []]);
});

test("an npm of the folder it is typed in is not run", async () => {
	npm("0.3.0");
	install("0.2.0");
	expect(await run({ yes: true }, { path: bin, cwd: bin })).toMatchObject({
		code: 1,
		err: expect.stringContaining("npm was not found"),
	});
	expect(readdirSync(bin)).toEqual(["npm"]);
});

test("where nothing is installed it says what to do", async () => {
	expect(await run({})).toMatchObject({ code: 1, err: expect.stringContaining("`ccg install` does") });
});

test("within a session of Claude Code nothing is brought: a repository's settings could say from where", async () => {
	npm("0.3.0");
	install("0.2.0");
	for (const name of ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID"]) {
		const recorded = recordedIo({ env: { HOME: home, PATH: `${bin}:/usr/bin:/bin`, [name]: "" }, cwd: home });
		await update({ yes: true }, recorded.io);
		expect([recorded.code, recorded.err.join()]).toEqual([1, expect.stringContaining("a terminal of your own")]);
	}
	expect([atWork(), readdirSync(bin)]).toEqual(["0.2.0", ["npm"]]);
});

test("what a copy came from is told by its package, not by the folder npm worked in", async () => {
	npm("0.3.0");
	install("0.2.0", "clone");
	await run({ from: "0.3.0", yes: true });
	expect(currentCopy(app)!.facts).toMatchObject({ from: "claude-context-guard@0.3.0", way: "npx" });
});
