/** Which runtime the launcher takes where ccg has no Bun of its own, and what a folder or its settings can plant for it. */
import {
	chmodSync,
	copyFileSync,
	existsSync,
	mkdirSync,
	readFileSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { fifo } from "../kit/process.ts";
import { runMeasured, TARGET } from "../kit/sandbox.ts";
import { caught, evilProgram, type LaunchPlace, place, start } from "./launch-fixture.ts";

/** A ccg without Bun; `where` is its folder below the top. */
function bare(where = "ccg"): LaunchPlace {
	const at = place();
	const root = join(at.top, where);
	mkdirSync(join(root, "bin"), { recursive: true });
	for (const name of ["ccg", "find-runtime"]) copyFileSync(join(TARGET, "bin", name), join(root, "bin", name));
	chmodSync(join(root, "bin", "ccg"), 0o755);
	for (const file of ["dist/node.cjs", "dist/src/cli/main.js", "dist/hooks/post-tool-batch.js"]) {
		mkdirSync(join(root, dirname(file)), { recursive: true });
		writeFileSync(join(root, file), "");
	}
	return { ...at, launcher: join(root, "bin", "ccg") };
}

/** A program that says its version, and else its name for the test and what it was asked to run. */
function fake({ top }: LaunchPlace, path: string, version: string): string {
	mkdirSync(dirname(path), { recursive: true });
	const log = join(top, "asked");
	const says = `[ "$1" != --version ] || { echo '${version}'; echo "$0" >>'${log}'; exit; }`;
	writeFileSync(path, `#!/bin/sh\n${says}\necho "ran $0"\n`, { mode: 0o755 });
	return path;
}

const asked = ({ top }: LaunchPlace): number =>
	existsSync(join(top, "asked")) ? readFileSync(join(top, "asked"), "utf8").trim().split("\n").length : 0;

/** PATH without what this machine has. */
const EMPTY = "/nowhere";

async function started(at: LaunchPlace, env: Record<string, string> = {}, cwd = at.project): Promise<string> {
	const ran = await runMeasured([at.launcher, "config"], { cwd, env: { ...at.env, PATH: EMPTY, ...env } });
	return /^ran (.*)$/m.exec(ran.out)?.[1] ?? ran.out + ran.err;
}

describe.concurrent("the runtime is", () => {
	test("Bun of the plugin's data, of the home folder, of PATH, then Node, in this order", async () => {
		const at = bare("home/.claude/plugins/cache/market/ccg/1.0.0");
		const tools = join(at.top, "tools");
		const data = join(at.home, ".claude/plugins/data/ccg-market/bun/node_modules/@oven/bun-linux-x64/bin/bun");
		const order = [
			fake(at, join(tools, "node"), "v22.16.0"),
			fake(at, join(tools, "bun"), "1.4.3"),
			fake(at, join(at.home, ".bun/bin/bun"), "1.5.0"),
		];
		const env = { PATH: tools };
		chmodSync(order[1]!, 0o644);
		chmodSync(order[2]!, 0o644);
		for (const program of order) {
			chmodSync(program, 0o755);
			expect(await started(at, env)).toBe(program);
		}
		expect(await started(at, env)).toBe(order[2]);
		expect(await started(at, { ...env, CLAUDE_PLUGIN_DATA: join(at.top, "other") })).toBe(order[2]);
		fake(at, data, "1.4.5");
		expect(await started(at, env)).toBe(data);
	});

	test("of a fitting version, and of several Nodes of a version manager the newest", async () => {
		const at = bare();
		const tools = join(at.top, "tools");
		fake(at, join(tools, "node"), "v22.15.0");
		for (const [version, says] of Object.entries({ old: "1.4.2", older: "1.3.14", none: "" }))
			fake(at, join(at.top, version, "bun"), says);
		const nvm = (version: string) => fake(at, join(at.home, ".nvm/versions/node", version, "bin/node"), version);
		// (this machine's own come before those of version managers)
		const system = ["/usr/bin/node", "/usr/local/bin/node", "/opt/homebrew/bin/node"].some((path) => existsSync(path));
		nvm("v20.1.0");
		nvm("v22.16.0");
		const newest = nvm("v24.9.0");
		const PATH = [tools, "old", "older", "none"].map((name) => join(at.top, name.replace(at.top, ""))).join(":");
		const found = await started(at, { PATH });
		if (!system) expect(found).toBe(newest);
		expect(found).not.toMatch(/tools|old|none/);
		expect(await started(at, { PATH: `${PATH}:${join(at.home, ".nvm/versions/node/v22.16.0/bin")}` })).toContain(
			"v22.16.0",
		);
	});

	test("asked once for its version, and again when it has changed", async () => {
		const at = bare();
		mkdirSync(join(at.store, "run"), { recursive: true });
		const bun = fake(at, join(at.home, ".bun/bin/bun"), "1.4.5");
		for (let i = 0; i < 3; i++) expect(await started(at)).toBe(bun);
		expect(asked(at)).toBe(1);
		fake(at, bun, "1.0.0");
		const later = new Date(Date.now() + 60_000);
		utimesSync(bun, later, later);
		expect(await started(at)).not.toBe(bun);
	});

	test("not needed to tell the version", async () => {
		const at = bare();
		copyFileSync(join(TARGET, "package.json"), join(dirname(at.launcher), "../package.json"));
		const { version } = JSON.parse(readFileSync(join(TARGET, "package.json"), "utf8"));
		expect((await start(at, ["--version"], { env: { PATH: EMPTY } })).out).toBe(`${version}\n`);
	});

	test("given none of the variables that would have Node run other code", async () => {
		const at = bare();
		const node = join(at.top, "tools/node");
		mkdirSync(dirname(node));
		writeFileSync(node, '#!/bin/sh\n[ "$1" = --version ] && echo v24.0.0 && exit\n/usr/bin/env\n', { mode: 0o755 });
		const names = ["NODE_OPTIONS", "NODE_COMPILE_CACHE", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES", "UV_X"];
		const env = Object.fromEntries(names.map((name) => [name, at.project]));
		const out = await started(at, { ...env, PATH: dirname(node) });
		expect(out).toContain("CCG_CWD=");
		expect(out).not.toMatch(new RegExp(`^(?:${names.join("|")})=`, "m"));
	});

	test.skipIf(process.platform !== "linux")("a copy's own program, and none for other machines", async () => {
		const at = bare("app/1.0.0");
		const program = (machine: string) => join(at.top, "app/1.0.0/compiled", `bun-linux-${machine}`, "ccg");
		const [own, other] = process.arch === "arm64" ? ["aarch64", "x64"] : ["x64", "aarch64"];
		const bun = fake(at, join(at.home, ".bun/bin/bun"), "1.4.5");
		mkdirSync(dirname(program(other!)), { recursive: true });
		writeFileSync(program(other!), "\x7fELF", { mode: 0o755 });
		expect(await started(at)).toBe(bun);
		const compiled = fake(at, program(own!), "");
		expect(await started(at)).toBe(compiled);
	});

	test("told to start by a launcher that is reached through links, in its real folder", async () => {
		const at = bare("app/1.0.0");
		fake(at, join(at.top, "app/1.0.0/node_modules/@oven/bun-a/bin/bun"), "1.4.5");
		fake(at, join(at.top, "app/2.0.0/node_modules/@oven/bun-a/bin/bun"), "1.4.5");
		symlinkSync("1.0.0", join(at.top, "app/current"));
		symlinkSync(join(at.top, "app/current/bin/ccg"), join(at.top, "link"));
		for (const launcher of [join(at.top, "link"), join(at.top, "app/current/bin/ccg")])
			expect(await started({ ...at, launcher })).toBe(join(at.top, "app/1.0.0/node_modules/@oven/bun-a/bin/bun"));
	});
});

/** What settings of a repository can say, with programs it brings along. */
const PLANTED: Record<string, (at: LaunchPlace) => Record<string, string>> = {
	"PATH into the folder": ({ project }) => ({ PATH: join(project, "tools") }),
	"PATH into the repository around it": ({ parent }) => {
		mkdirSync(join(parent, ".git"));
		return { PATH: join(parent, "tools") };
	},
	"BUN_INSTALL in the folder": ({ project }) => ({ BUN_INSTALL: join(project, ".bun") }),
	"CLAUDE_PLUGIN_DATA in the folder": ({ project }) => ({ CLAUDE_PLUGIN_DATA: project }),
	"CLAUDE_PLUGIN_DATA by the process's folder": () => ({ CLAUDE_PLUGIN_DATA: "/proc/self/cwd" }),
	"CLAUDE_PLUGIN_DATA with dots": ({ home, project }) => ({
		CLAUDE_PLUGIN_DATA: `${home}/../${project.split("/").slice(-3).join("/")}`,
	}),
	"HOME in the folder": ({ project }) => ({ HOME: project }),
	"HOME by the process's folder": () => ({ HOME: "/proc/self/cwd" }),
};

/** Programs of fitting versions wherever a runtime is looked for below a folder. */
function plantRuntimes(at: LaunchPlace, folder: string): void {
	const paths = [
		"tools/bun",
		"tools/node",
		".bun/bin/bun",
		".nvm/versions/node/v99.0.0/bin/node",
		".volta/tools/image/node/99.0.0/bin/node",
	];
	for (const path of [
		...paths,
		"bun/node_modules/@oven/bun-linux-x64/bin/bun",
		".local/share/mise/installs/node/99/bin/node",
	]) {
		mkdirSync(join(folder, dirname(path)), { recursive: true });
		evilProgram(at, join(folder, path));
	}
}

describe.concurrent("no program of the workspace is started or asked:", () => {
	test.each(Object.entries(PLANTED))("%s", async (_, plant) => {
		const at = bare();
		for (const folder of [at.project, join(at.project, "home"), at.parent]) plantRuntimes(at, folder);
		const env = plant(at);
		for (const args of [["config"], ["hook", "post-tool-batch"]])
			await start(at, args, { env: { PATH: EMPTY, ...env } });
		expect(caught(at)).toBe(false);
	});

	test("what is kept of versions names none, and makes none fit that was not found", async () => {
		const at = bare();
		plantRuntimes(at, at.project);
		mkdirSync(join(at.store, "run"), { recursive: true });
		writeFileSync(join(at.store, "run/runtimes"), `1.4.5 ${at.project}/tools/bun\nv24.0.0 ${at.project}/tools/node\n`);
		await started(at);
		expect(caught(at)).toBe(false);
	});

	const FILES: Record<string, (path: string, at: LaunchPlace) => void> = {
		"a link": (path, { top }) => {
			writeFileSync(join(top, "elsewhere"), "");
			symlinkSync(join(top, "elsewhere"), path);
		},
		"a pipe": (path) => fifo(path),
		"a folder": (path) => void mkdirSync(path),
	};
	test.each(Object.entries(FILES))(
		"%s in the place of that file holds nothing up and is not followed",
		async (_, plant) => {
			const at = bare();
			const bun = fake(at, join(at.home, ".bun/bin/bun"), "1.4.5");
			mkdirSync(join(at.store, "run"), { recursive: true });
			plant(join(at.store, "run/runtimes"), at);
			expect(await started(at)).toBe(bun);
			if (existsSync(join(at.top, "elsewhere"))) expect(readFileSync(join(at.top, "elsewhere"), "utf8")).toBe("");
		},
	);
});

describe.concurrent("without any runtime", () => {
	/** The launcher alone: nothing on this machine is looked for. */
	const alone = (): LaunchPlace => {
		const at = place();
		mkdirSync(join(at.top, "ccg/bin"), { recursive: true });
		copyFileSync(join(TARGET, "bin/ccg"), join(at.top, "ccg/bin/ccg"));
		return { ...at, launcher: join(at.top, "ccg/bin/ccg") };
	};

	test("a session's start says so to the user in one sentence, and the other hooks say nothing", async () => {
		const at = alone();
		const hook = (name: string, source: string) =>
			runMeasured(["/bin/sh", at.launcher, "hook", name], {
				cwd: at.project,
				env: { ...at.env, CCG_TRIES: "5" },
				input: at.input.replace('"source":"startup"', `"source":"${source}"`),
			});
		const { code, out, err } = await hook("session-start", "startup");
		expect([code, err]).toEqual([0, ""]);
		expect(Object.keys(JSON.parse(out))).toEqual(["systemMessage"]);
		expect(JSON.parse(out).systemMessage).toMatch(/neither Bun .* nor Node 22\.16/);
		for (const [name, source] of [
			["session-start", "compact"],
			["stop", "startup"],
			["pre-tool-use", "startup"],
		] as const)
			expect(await hook(name, source)).toMatchObject({ code: 0, out: "", err: "" });
	});

	test("the command line says what to do", async () => {
		const at = alone();
		const ran = await runMeasured(["/bin/sh", at.launcher, "status"], { cwd: at.project, env: at.env });
		expect(ran).toMatchObject({
			code: 127,
			out: "",
			err: expect.stringMatching(/install one of them, or run 'npm install' in \S+ccg\n$/),
		});
	});
});
