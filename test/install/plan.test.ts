import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { applyPlan, backupOf, type InstallRequest, planInstall, planUninstall } from "../../src/install/plan.ts";
import { readReceipt, receiptFolder } from "../../src/install/receipt.ts";
import { findEntries } from "../../src/install/settings-text.ts";
import { unifiedDiff } from "../../src/install/unified-diff.ts";
import { scratch } from "../scratch-home.ts";
import { ENTRIES, SHAPES } from "./shapes.ts";

const FAST = { betweenReadsMs: 1, patienceMs: 50, settleMs: 2, giveUpMs: 200 };
const NOW = new Date("2026-01-02T03:04:05Z");

/** Shapes only the receipt can restore: containers that were empty before. */
const BARE: Record<string, string> = {
	"empty hooks": '{\n  "hooks": {}\n}\n',
	"empty event": '{"hooks":{"Stop":[ ]},"permissions":{"allow":[]}}',
	"blanks in braces": "{\n\n}\n\n",
	"escaped status line": '{"statusLine":{"type":"command","command":"\\u0061\\/b"}}',
};

describe("install and uninstall", () => {
	it.each(Object.entries({ ...SHAPES, ...BARE }))("%s: the same bytes as before", async (_, text) => {
		const { path, request, install, uninstall, store } = world(text);
		await install();
		expect(findEntries(readFileSync(path, "utf8"))).toHaveLength(ENTRIES);
		expect((await planInstall(request)).changed).toBe(false);
		await uninstall();
		expect(readFileSync(path)).toEqual(Buffer.from(text));
		expect(readdirSync(join(store, "install"))).toEqual([]);
	});

	it("a file that did not exist is gone again, and so is a dangling link's target", async () => {
		const { path, install, uninstall, folder } = world(null);
		await install();
		expect(readFileSync(path, "utf8")).toMatch(/^\{\n {2}"hooks": \{\n[\s\S]*\n\}\n$/);
		await uninstall();
		expect(existsSync(path)).toBe(false);
		symlinkSync("../dot/s.json", path);
		await install();
		expect(findEntries(readFileSync(join(folder, "dot/s.json"), "utf8"))).toHaveLength(ENTRIES);
		await uninstall();
		expect(existsSync(join(folder, "dot/s.json"))).toBe(false);
	});

	it("a foreign edit in between survives, and so does one before a re-install", async () => {
		const { path, install, uninstall } = world('{"a":1}');
		await install();
		edit(path, (settings) => ({ ...settings, theirs: 1 }));
		await install({ launcher: "/new/bin/ccg" });
		await uninstall();
		expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ a: 1, theirs: 1 });
	});

	it("after a re-install without foreign edits the first bytes come back", async () => {
		const { path, install, uninstall, store } = world(SHAPES["by hand"]!);
		await install();
		await install({ launcher: "/new/bin/ccg", allowMemory: true });
		expect(readFileSync(join(folderOf(store, path), "before.json"), "utf8")).toBe(SHAPES["by hand"]);
		await uninstall();
		expect(readFileSync(path, "utf8")).toBe(SHAPES["by hand"]);
	});

	it("entries found without a receipt never come back by an uninstall", async () => {
		const { path, install, uninstall, store } = world('{"a":1}');
		await install();
		rmSync(store, { recursive: true });
		await install({ launcher: "/new/bin/ccg" });
		await uninstall();
		expect(readFileSync(path, "utf8")).toBe('{"a":1}');
	});

	it("a damaged backup is not trusted", async () => {
		const { path, install, uninstall, store } = world('{"a":1}');
		await install();
		writeFileSync(join(folderOf(store, path), "before.json"), '{"a":2}');
		await uninstall();
		expect(readFileSync(path, "utf8")).toBe('{"a":1}');
	});

	it("user, project and local settings are three files", async () => {
		const { request, folder, store } = world("{}");
		for (const scope of ["user", "project", "local"] as const)
			await applyPlan(await planInstall({ ...request, scope }), { ...request, scope });
		expect(findEntries(readFileSync(join(folder, "work/.claude/settings.json"), "utf8"))).toHaveLength(ENTRIES);
		expect(findEntries(readFileSync(join(folder, "work/.claude/settings.local.json"), "utf8"))).toHaveLength(ENTRIES);
		expect(readdirSync(join(store, "install"))).toHaveLength(3);
	});
});

describe("receipt", () => {
	it("says what was found and what was left", async () => {
		const { path, install, store } = world('{"a":1}');
		await install();
		expect(readReceipt(folderOf(store, path), () => {})).toEqual({
			version: 1,
			settingsPath: path,
			existedBefore: true,
			madeFolder: false,
			sha256Before: "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862",
			sha256After: new Bun.CryptoHasher("sha256").update(readFileSync(path)).digest("hex"),
			at: NOW.toISOString(),
			launcher: "/opt/ccg/bin/ccg",
			inherited: null,
		});
		expect(readFileSync(join(folderOf(store, path), "before.json"), "utf8")).toBe('{"a":1}');
	});

	it("is new when no entry is left in the file", async () => {
		const { path, install, uninstall } = world('{"a":1}');
		await install();
		writeFileSync(path, '{"b":1}');
		await install();
		await uninstall();
		expect(readFileSync(path, "utf8")).toBe('{"b":1}');
	});

	it("that can't be written leaves the settings alone", async () => {
		const { path, request, folder } = world('{"a":1}');
		writeFileSync(join(folder, "plain"), "");
		const blocked = { ...request, env: { ...request.env, CCG_HOME: join(folder, "plain/store") } };
		const applying = applyPlan(await planInstall(blocked), blocked);
		await expect(applying).rejects.toThrow(expect.objectContaining({ code: "STORE_READONLY" }));
		expect(readFileSync(path, "utf8")).toBe('{"a":1}');
	});
});

describe("plan", () => {
	it("shows the change and writes nothing", async () => {
		const { path, request, store } = world('{\n  "env": {"TOKEN": "s3cret"},\n  "model": "opus"\n}\n');
		const plan = await planInstall(request);
		expect(plan).toMatchObject({ kind: "install", path, target: path, changed: true, wraps: undefined, notes: [] });
		const diff = unifiedDiff(plan).join("\n");
		expect(diff).toContain(`--- ${path}\n+++ ${path}\n@@ -1,4 +1,`);
		expect(diff).toContain('\n-  "model": "opus"\n+  "model": "opus",\n+  "hooks": {\n');
		expect(diff).not.toContain("s3cret");
		expect(existsSync(store)).toBe(false);
		expect(backupOf(plan)).toBeNull();
	});

	it("shows a new file as one", async () => {
		const { request, path } = world(null);
		expect(unifiedDiff(await planInstall(request)).slice(0, 4)).toEqual([
			"--- /dev/null",
			`+++ ${path}`,
			expect.stringMatching(/^@@ -0,0 \+1,\d+ @@$/),
			"+{",
		]);
	});

	it("names the status line it wraps, the installation it replaces, and others in other scopes", async () => {
		const { path, request, install, folder } = world('{"statusLine":{"type":"command","command":"mine"}}');
		expect((await planInstall(request)).notes.join()).toContain("Its command: mine");
		await install({ launcher: "/old/bin/ccg", allowMemory: true });
		const plan = await planInstall(request);
		expect(plan.wraps).toBe("mine");
		expect(plan.notes).toEqual(["This takes the place of the entries of /old/bin/ccg."]);
		const local = await planInstall({ ...request, scope: "local" });
		expect(local.notes).toEqual([
			expect.stringContaining("Its command: mine"),
			expect.stringContaining(`Warning: ${path} has entries of ccg too (/old/bin/ccg)`),
		]);
		expect(local.notes[1]).toContain("ccg uninstall --scope user");
		const atHome = await planInstall({ ...request, scope: "project", cwd: folder });
		expect(atHome.target).toBe(path);
		expect(atHome.notes.join()).not.toContain("Warning");
	});

	it("puts CCG_HOME into the commands when the installer has one", async () => {
		const { request, path, folder } = world("{}");
		const own = { ...request, env: { ...request.env, CCG_HOME: join(folder, "work/my store") } };
		await applyPlan(await planInstall(own), own);
		expect(findEntries(readFileSync(path, "utf8")).map(({ home }) => home)).toEqual(
			Array(ENTRIES).fill(join(folder, "work/my store")),
		);
		expect(readdirSync(join(folder, "work/my store/install"))).toHaveLength(1);
		const relative = { ...request, env: { ...request.env, CCG_HOME: "my store" } };
		await expect(planInstall(relative)).rejects.toMatchObject({ code: "NO_HOME" });
	});

	it("of an uninstall says what it does", async () => {
		const { path, request, install } = world("{}");
		await install();
		expect((await planUninstall(request)).notes).toEqual(["The file gets the bytes it had before the install."]);
		edit(path, (settings) => ({ ...settings, statusLine: { type: "command", command: "mine" } }));
		expect((await planUninstall(request)).notes).toEqual([
			"The status line is not ccg's any more; it stays as it is.",
			"The file was edited since the install: only ccg's entries are taken out.",
		]);
	});

	it("without a home there is none", async () => {
		const { request } = world("{}");
		for (const env of [{}, { CCG_HOME: "/x" }])
			await expect(planInstall({ ...request, env })).rejects.toThrow(expect.objectContaining({ code: "NO_HOME" }));
	});
});

/** A home with a settings file of the given text, a folder to work in, and a request for the user's scope. */
function world(text: string | null) {
	const folder = scratch("plan");
	const path = join(folder, ".claude/settings.json");
	mkdirSync(join(folder, ".claude"));
	mkdirSync(join(folder, "work"));
	if (text !== null) writeFileSync(path, text);
	const request: InstallRequest = {
		scope: "user",
		env: { HOME: folder },
		cwd: join(folder, "work"),
		launcher: "/opt/ccg/bin/ccg",
		timing: FAST,
		tell: () => {},
	};
	return {
		folder,
		path,
		request,
		store: join(folder, ".claude-memory"),
		install: async (more: Partial<InstallRequest> = {}) => {
			const asked = { ...request, ...more };
			await applyPlan(await planInstall(asked), asked, NOW);
		},
		uninstall: async () => {
			await applyPlan(await planUninstall(request), request);
		},
	};
}

const folderOf = (store: string, path: string) => receiptFolder(store, path);

function edit(path: string, change: (settings: object) => object): void {
	writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8"))), null, 2));
}
