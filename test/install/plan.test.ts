/** A settings file through its plan: what an install finds stands there again after the uninstall. */
import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { findEntries } from "../../src/install/entries.ts";
import { type InstallRequest, isChange, unifiedDiff } from "../../src/install/plan.ts";
import { planSettings } from "../../src/install/settings-plan.ts";
import { settingsPath } from "../../src/install/settings-sources.ts";
import { scratch } from "../scratch-home.ts";
import { ENTRIES, SHAPES } from "./shapes.ts";

const LAUNCHER = "/opt/ccg/bin/ccg";
/** Files only the backup can restore: containers that were empty before. */
const BARE: Record<string, string> = {
	"empty hooks": '{\n  "hooks": {}\n}\n',
	"empty event": '{"hooks":{"Stop":[ ]},"permissions":{"allow":[]}}',
	"blanks in braces": "{\n\n}\n\n",
	"escaped status line": '{"statusLine":{"type":"command","command":"\\u0061\\/b"}}',
};
/** The edit itself is tried on every shape. */
const CASES = Object.entries({ ...SHAPES, ...BARE }).filter(([name]) => name in BARE || /by hand|BOM|keys/.test(name));

/** A home with a settings file of the given text, and a folder to work in. */
function world(text: string | null) {
	const folder = scratch("plan");
	const path = join(folder, ".claude/settings.json");
	mkdirSync(join(folder, ".claude"));
	mkdirSync(join(folder, "work"));
	if (text !== null) writeFileSync(path, text, { mode: 0o600 });
	const request: InstallRequest = {
		scope: "user",
		env: { HOME: folder },
		cwd: join(folder, "work"),
		launcher: LAUNCHER,
	};
	const change = async (kind: "install" | "uninstall", more: Partial<InstallRequest> = {}) =>
		(await planSettings(kind, { ...request, ...more })).act();
	const store = join(folder, ".claude-memory");
	return {
		folder,
		path,
		request,
		store,
		read: () => readFileSync(path, "utf8"),
		backups: () => (existsSync(join(store, "install")) ? readdirSync(join(store, "install")) : []),
		/** Where the backup lies. */
		kept: () => join(store, "install", readdirSync(join(store, "install"))[0]!),
		install: (more?: Partial<InstallRequest>) => change("install", more),
		uninstall: (more?: Partial<InstallRequest>) => change("uninstall", more),
		planned: (more?: Partial<InstallRequest>) => planSettings("install", { ...request, ...more }),
		edit: (edited: (settings: object) => object) =>
			writeFileSync(path, JSON.stringify(edited(JSON.parse(readFileSync(path, "utf8"))), null, 2)),
	};
}

describe("install and uninstall", () => {
	it.each(CASES)("%s: the same bytes as before", async (_, text) => {
		const at = world(text);
		await at.install();
		expect(findEntries(at.read())).toHaveLength(ENTRIES);
		expect(isChange(await at.planned())).toBe(false);
		await at.uninstall();
		expect(readFileSync(at.path)).toEqual(Buffer.from(text));
		expect([at.backups(), existsSync(`${at.path}.lock`)]).toEqual([[], false]);
	});

	it("a file that was not there is gone again, a link stays", async () => {
		const at = world(null);
		await at.install();
		expect(statSync(at.path).mode & 0o777).toBe(0o600);
		await at.uninstall();
		expect(existsSync(dirname(at.path))).toBe(false);
		mkdirSync(dirname(at.path));
		symlinkSync("../dot/s.json", at.path);
		await at.install();
		expect(existsSync(join(at.folder, "dot/s.json"))).toBe(true);
		await at.uninstall();
		expect(lstatSync(at.path).isSymbolicLink()).toBe(true);
		expect(readdirSync(at.folder)).not.toContain("dot");
	});

	it("what others have written since stays, and an uninstall without entries changes nothing", async () => {
		const at = world('{"a":1}');
		await at.install();
		at.edit((settings) => ({ ...settings, theirs: 1 }));
		await at.install({ launcher: "/new/bin/ccg" });
		await at.uninstall();
		expect(JSON.parse(at.read())).toEqual({ a: 1, theirs: 1 });
		for (const text of ["{}\n", "", '{"hooks":{}}']) {
			writeFileSync(at.path, text);
			await at.uninstall();
			expect(at.read()).toBe(text);
		}
	});

	it("what others have only written anew is given back as it was", async () => {
		const text = '{ "model": "opus", "hooks": {"Stop": []}, "permissions": {} }';
		const at = world(text);
		await at.install({ allow: true });
		at.edit((settings) => settings);
		await at.uninstall();
		expect(at.read()).toBe(text);
	});

	it("after a re-install without foreign edits the first bytes come back", async () => {
		const at = world(SHAPES["by hand"]!);
		await at.install();
		await at.install({ launcher: "/new/bin/ccg", allow: true });
		expect(readFileSync(join(at.kept(), "before.json"), "utf8")).toBe(SHAPES["by hand"]);
		await at.uninstall();
		expect(at.read()).toBe(SHAPES["by hand"]);
	});

	it.each<[string, (at: ReturnType<typeof world>) => unknown]>([
		["a store that was lost", ({ store }) => rmSync(store, { recursive: true })],
		["a lost backup", ({ kept }) => rmSync(join(kept(), "before.json"))],
		["a damaged backup", ({ kept }) => writeFileSync(join(kept(), "before.json"), '{"a":2}')],
		["a torn backup", ({ kept }) => writeFileSync(join(kept(), "before.json"), '{"a":')],
	])("%s: the entries are taken out, and nothing else comes back", async (_, harm) => {
		const at = world('{"a":1}');
		await at.install();
		harm(at);
		const backup = () => {
			const path = at.backups().length > 0 ? join(at.kept(), "before.json") : "";
			return existsSync(path) ? readFileSync(path, "utf8") : null;
		};
		const left = backup();
		await at.install({ launcher: "/new/bin/ccg" });
		if (left !== null) expect(backup()).toBe(left);
		await at.uninstall();
		expect(at.read()).toBe('{"a":1}');
	});

	it("a backup is new when no entry is left in the file", async () => {
		const at = world('{"a":1}');
		await at.install();
		writeFileSync(at.path, '{"b":1}');
		await at.install();
		await at.uninstall();
		expect(at.read()).toBe('{"b":1}');
	});

	it.each([
		["the backup", (at: ReturnType<typeof world>) => join(at.folder, "plain/store"), "STORE_READONLY"],
		["the settings", (at: ReturnType<typeof world>) => at.store, "SETTINGS_READONLY"],
	])("%s can't be written: nothing is changed", async (_, home, code) => {
		const at = world('{"a":1}');
		writeFileSync(join(at.folder, "plain"), "");
		if (code === "SETTINGS_READONLY") chmodSync(at.path, 0o444);
		await expect(at.install({ env: { HOME: at.folder, CCG_HOME: home(at) } })).rejects.toMatchObject({ code });
		expect([at.read(), readdirSync(dirname(at.path))]).toEqual(['{"a":1}', ["settings.json"]]);
	});
});

describe("a plan", () => {
	it("shows the change without values of the environment, and writes nothing", async () => {
		const at = world('{\n  "env": {"TOKEN": "s3cret"},\n  "model": "opus"\n}\n');
		const made = await at.planned();
		expect(made).toMatchObject({ kind: "install", path: at.path, notes: [] });
		const diff = unifiedDiff(made).join("\n");
		expect(diff).toContain(`--- ${at.path}\n+++ ${at.path}\n@@ -1,4 +1,`);
		expect(diff).toContain('\n-  "model": "opus"\n+  "model": "opus",\n+  "hooks": {\n');
		expect(diff).toContain('"env": {"TOKEN": "…"}');
		expect(diff).not.toContain("s3cret");
		expect([existsSync(at.store), made.backup?.()]).toEqual([false, null]);
		expect(unifiedDiff(await world(null).planned())[0]).toBe("--- /dev/null");
	});

	it("names the status line it wraps, and the installation it replaces", async () => {
		const at = world('{"statusLine":{"type":"command","command":"mine"}}');
		expect((await at.planned()).notes.join()).toContain("Its command: mine");
		await at.install({ launcher: "/old/bin/ccg", allow: true });
		const made = await at.planned();
		expect(made).toMatchObject({ notes: ["This takes the place of the entries of /old/bin/ccg."] });
		expect((await at.planned({ scope: "local" })).notes.join()).toContain("Its command: mine");
	});
});

test.each([
	["user", { HOME: "/h" }, "/h/.claude/settings.json"],
	["user", { HOME: "/h", CLAUDE_CONFIG_DIR: "/c" }, "/c/settings.json"],
	["user", { CLAUDE_CONFIG_DIR: "c" }, "/repo/sub/c/settings.json"],
	["local", { HOME: "/h" }, "/repo/sub/.claude/settings.local.json"],
] as const)("the file of a scope: %s with %j", (scope, env, path) => {
	expect(settingsPath(scope, env, "/repo/sub")).toBe(path);
});

test("local settings lie at the root of the repository, also of a worktree", () => {
	const root = scratch("repo");
	mkdirSync(join(root, "a/b"), { recursive: true });
	writeFileSync(join(root, ".git"), "gitdir: x");
	expect(dirname(dirname(settingsPath("local", {}, join(root, "a/b"))))).toBe(root);
});
