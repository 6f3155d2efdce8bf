import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { inStore } from "../../src/store/database.ts";
import { databasePath } from "../../src/store/paths.ts";
import { Transcript } from "../kit/events.ts";
import { ccg, hook, type Ran, sandbox } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";

const at = sandbox("lost");
const path = databasePath(at.store);
const run = (...args: string[]): Promise<Ran> => ccg(at, ["checkpoint", ...args]);
let key = "";

beforeAll(() => {
	const transcript = new Transcript(at.project, new Date(Date.now() - 60_000)).typed("Build the cart.");
	transcript.usage(50_000).write(at.transcript);
});

beforeEach(async () => {
	await hook(at, "stop", { hook_event_name: "Stop" });
	const { out } = await run("save", "before the rewrite", "--session", at.sid, "--json");
	key = JSON.parse(out).key;
});

test.each<[string, () => void]>([
	["is overwritten", () => writeFileSync(path, "no database".repeat(9_000))],
	["is empty", () => writeFileSync(path, "")],
	["is gone", () => rmSync(path)],
	["has lost its row", () => inStore(storeAt(at.store), (rows) => rows.run("DELETE FROM checkpoints"))],
	[
		"has a row that lists can't read",
		() => inStore(storeAt(at.store), (rows) => rows.run("UPDATE checkpoints SET about = '{'")),
	],
])("what was saved is listed, shown, given back and deleted when the database %s", async (_, spoil) => {
	spoil();
	const listed = async () =>
		JSON.parse((await run("list", "manual", "--json")).out).checkpoints.map((one: { key: string }) => one.key);
	const before = await listed();
	expect(before[0]).toBe(key);
	expect((await ccg(at, ["show", key])).out).toContain("Build the cart.");
	expect((await run("validate", key)).out).toContain(`${key} of session s-1: fit for a restore`);
	expect((await run("restore", key, "--print")).out).toContain("Build the cart.");
	expect((await run("restore", key, "--next")).out).toContain(`restored ${key} to the next session`);
	expect((await run("delete", key, "--yes")).out).toContain(`deleted ${key}`);
	expect(await listed()).toEqual(before.slice(1));
	expect(readdirSync(`${at.store}/sessions/${at.sid}/checkpoints`).filter((name) => name.includes(key))).toEqual([]);
});
