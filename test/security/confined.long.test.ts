/**
 * Attack 5: a permission rule allows all that begins as it does. What shipped grants and documented rules allow keeps to the
 * session's project, whatever stands behind it, and what came from a file is told as that.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { fromStore, inStore } from "../../src/store/database.ts";
import { waitingRestore } from "../../src/store/recovery/restore-request.ts";
import { ccg, hook, listing, REPO } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";
import { type Machine, machine, OTHER, OWN, PERSON, SID } from "./confined-fixture.ts";
import { contextOf, textsBelow } from "./kit.ts";

let shared: Machine;
beforeAll(async () => {
	shared = await machine();
});

/** Everything outside of the project and of what ccg keeps of this session, with its bytes. */
const outside = ({ top, store, project }: Machine): string =>
	JSON.stringify([
		listing(top, project).filter((path) => !path.startsWith(store)),
		textsBelow(join(store, "sessions", OTHER)).filter(({ path }) => !path.endsWith(".md")),
		...["cycles", "records", "checkpoints", "heard"].map((table) =>
			fromStore(storeAt(store), (database) => database.query(`SELECT * FROM ${table} WHERE session = ?`).values(OTHER)),
		),
		waitingRestore(storeAt(store), { session: OTHER }),
	]);

const READS: [string, (at: Machine) => string[]][] = [
	["show KEY", ({ key }) => ["show", key]],
	["show latest --session", () => ["show", "latest", "--session", OTHER]],
	["show --against", ({ key, own }) => ["show", key, "--against", own]],
	["checkpoint list --all", () => ["checkpoint", "list", "--all"]],
	["checkpoint validate --all", () => ["checkpoint", "validate", "--all", "--json"]],
	["checkpoint save --session", () => ["checkpoint", "save", "--session", OTHER]],
	["show --as json --session", () => ["show", "latest", "--as", "json", "--session", OTHER]],
	["checkpoint delete", ({ key }) => ["checkpoint", "delete", key, "--yes"]],
	["checkpoint restore --print", ({ key }) => ["checkpoint", "restore", key, "--print"]],
	["checkpoint restore --from", () => ["checkpoint", "restore", "--from", OTHER, "--print"]],
	["checkpoint restore into it", ({ own }) => ["checkpoint", "restore", own, "--session", OTHER]],
	["checkpoint restore of the store's file", ({ store }) => ["checkpoint", "restore", join(store, "ccg.sqlite")]],
	["report --all", () => ["show", "--as", "report", "--all"]],
	["handoff KEY", ({ key }) => ["show", key, "--as", "pr"]],
	["show --session", () => ["show", "--session", OTHER]],
	[
		"show of its transcript",
		({ home, other }) => ["show", join(home, ".claude/projects", other.replace(/\W/g, "-"), `${OTHER}.jsonl`)],
	],
	["approvals --session", () => ["show", "--as", "approvals", "--session", OTHER]],
	["status SESSION", () => ["status", OTHER]],
	["status --all", () => ["status", "--all"]],
	["gc SESSION", () => ["gc", OTHER, "--yes"]],
	["gc --compact", () => ["gc", OTHER, "--compact"]],
	["config use --session", () => ["config", "use", "quiet", "--session", OTHER.slice(0, -1)]],
	["memory edit --global", () => ["memory", "edit", "--global", "1", "planted"]],
	["recall --all", () => ["recall", "--all", "VICTIM-WORDS"]],
	["recall --session", () => ["recall", "--session", OTHER, "VICTIM-WORDS"]],
	["recall", () => ["recall", "VICTIM-WORDS"]],
	["memory list", () => ["memory", "list"]],
	["task status --session", () => ["task", "status", "--session", OTHER]],
	["task checkpoint --session", () => ["task", "checkpoint", "--session", OTHER, "--did", "x"]],
	["task resume --session", () => ["task", "resume", "--session", OTHER]],
	[
		"task checkpoint --file",
		({ store }) => ["task", "checkpoint", "--file", join(store, "sessions", OTHER, "task-state.json")],
	],
];

describe("another project is neither read nor written by", () => {
	test.each(READS)("%s", async (name, argsOf) => {
		const before = outside(shared);
		// where a hook recorded the project a variable or a cd changes nothing
		for (const [cwd, env] of [
			[shared.project, {}],
			[shared.other, { CLAUDE_PROJECT_DIR: shared.other }],
		] as const) {
			const { out, err } = await ccg(shared, argsOf(shared), { cwd, env });
			expect(out.replace(/^No passage.*|for 'VICTIM-WORDS'.*/gm, "")).not.toContain("blue card");
			expect(err).not.toContain("blue card");
			expect(outside(shared), name).toBe(before);
		}
	});

	test("any of them in a project whose settings switch hooks off and name the other", async () => {
		const at = await machine();
		inStore(storeAt(at.store), (database) => database.query("DELETE FROM cycles").run());
		const env = { CLAUDE_PROJECT_DIR: at.other, CLAUDE_CODE_SESSION_ID: "fresh" };
		for (const args of [
			["recall", "VICTIM-WORDS"],
			["memory", "list", "memory"],
			["memory", "save", "planted"],
			["show", "latest"],
		]) {
			const ran = await ccg(at, args, { env });
			expect([ran.code, ran.out, ran.err]).toEqual([1, "", expect.stringContaining("CLAUDE_PROJECT_DIR is")]);
		}
		const own = await ccg(at, ["memory", "list", "memory"], {
			env: { CLAUDE_PROJECT_DIR: at.project, CLAUDE_CODE_SESSION_ID: "fresh" },
		});
		expect([own.code, own.out.includes(OWN)]).toEqual([0, true]);
	});

	test("harmless: this project's, and others' with the word before the command, or by a person", async () => {
		const at = shared;
		for (const args of [
			["show", at.own],
			["show", "latest", "--session", SID],
			["show", "--as", "handoff"],
			["show"],
			["recall", "OWN-WORDS"],
			["memory", "list", "memory"],
			["task", "bundle"],
		]) {
			const { code, out } = await ccg(at, args);
			expect([args, code, out.includes("build the cart")]).toEqual([args, 0, true]);
		}
		for (const args of [
			["show", at.key],
			["checkpoint", "restore", at.key, "--print"],
			["show", "--as", "handoff", "--session", OTHER],
			["show", "--session", OTHER],
			["recall", "--all", "VICTIM-WORDS"],
			["task", "bundle", "--session", OTHER],
		]) {
			const { code, out } = await ccg(at, ["--anyway", ...args]);
			expect([args, code, out.includes("blue card")]).toEqual([args, 0, true]);
		}
		const person = await ccg(at, ["--anyway", "checkpoint", "restore", at.key, "--print"], {
			env: { ...PERSON, CLAUDECODE: "" },
		});
		expect(person.out).toContain("blue card");
		expect(
			(await ccg(at, ["checkpoint", "restore", at.key, "--print"], { env: { ...PERSON, CLAUDECODE: "" } })).code,
		).toBe(1);
	});

	test("a restore into another session says that one asked", async () => {
		const at = await machine();
		await ccg(at, ["--anyway", "checkpoint", "restore", at.own, "--session", OTHER]);
		const env = { CLAUDE_PROJECT_DIR: at.other, CLAUDE_CODE_SESSION_ID: OTHER };
		const fields = { hook_event_name: "UserPromptSubmit", prompt: "go on", session_id: OTHER, cwd: at.other };
		const told = contextOf((await hook(at, "user-prompt-submit", fields, { cwd: at.other, env })).out);
		expect(told).toContain("a command of another session restored it");
	});
});

test("no grant or documented rule allows what crosses projects, installs or takes away", () => {
	const texts = ["skills", "plugin", "agents", "docs", "README.md"].flatMap((name) =>
		existsSync(join(REPO, name)) && name.endsWith(".md")
			? [readFileSync(join(REPO, name), "utf8")]
			: textsBelow(join(REPO, name)).map(({ text }) => text),
	);
	const rules = texts.join("\n").match(/Bash\([^)\n]*\bccg\b[^)\n]*\)/g) ?? [];
	expect(rules.length).toBeGreaterThan(5);
	expect(rules.filter((rule) => /--anyway|\b(?:install|uninstall|update|setup)\b|ccg:\*|ccg \*/.test(rule))).toEqual(
		[],
	);
});
