import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BUILT_IN, makeConfig } from "../../src/core/config/config.ts";
import { chooseProfile, loadConfig } from "../../src/store/config.ts";
import { runCcg } from "../kit/ccg.ts";
import { sessionStore } from "./session-store.ts";

function place() {
	const { home, store, folder } = sessionStore();
	const ccg = (line: string) => runCcg(line.split(" "), { env: { HOME: home }, cwd: folder });
	return { store, folder, ccg, config: () => loadConfig(store, { folder }).config };
}

test.each([
	["an unknown section", { market: { rule: "percent" } }, "market: unknown key"],
	["an unknown key", { marker: { headroom: 5 } }, "marker.headroom: unknown key"],
	["a wrong type", { marker: { headroomTokens: "many" } }, "marker.headroomTokens: must be a number"],
	["a number below zero", { checkpoints: { minutes: -1 } }, "checkpoints.minutes: must be 0 or more"],
	["a word that is none of the list", { guard: { mode: "strict" } }, "guard.mode: must be one of warn, enforce, off"],
	["a section that is no map", { nudge: "off" }, "nudge: must be an object"],
	["a prototype's key", { constructor: { x: 1 } }, "constructor: unknown key"],
	["where text is sent", { embeddings: {} }, "only config.json may say"],
	["all that fail", { marker: { x: 1, y: 2 }, z: {} }, "marker.x: unknown key; marker.y: unknown key; z: unknown key"],
	["no map at all", ["a", "b"], "it holds no object"],
])("a profile with %s is refused", async (_, value, message) => {
	const { ccg, store } = place();
	mkdirSync(join(store, "profiles"), { recursive: true });
	writeFileSync(join(store, "profiles", "night.json"), JSON.stringify(value));
	const { code, err } = await ccg("config use night");
	expect([code, err]).toEqual([1, expect.stringContaining(message)]);
	expect(err).toContain("profiles/night.json");
});

test.each(["../config", "gone", "x".repeat(41)])("%s is no profile", async (name) => {
	expect((await place().ccg(`config use ${name}`)).code).toBe(1);
});

test("built-in ones fit the configuration", () => {
	for (const { config } of Object.values(BUILT_IN)) expect(makeConfig(config).problems).toEqual([]);
});

test("a profile's keys win over config.json, but for embeddings; one that is hidden by a file of its name is that file", async () => {
	const { ccg, store, folder, config } = place();
	mkdirSync(join(store, "profiles"), { recursive: true });
	writeFileSync(join(store, "config.json"), '{"marker":{"headroomTokens":1,"percent":9}}');
	const text = '{"description":"quieter","marker":{"headroomTokens":3},"embeddings":{"url":"https://elsewhere"}}';
	writeFileSync(join(store, "profiles/quiet.json"), text);
	chooseProfile(store, { folder }, "quiet");
	expect(config()).toMatchObject({ marker: { headroomTokens: 3, percent: 9 }, embeddings: { url: "" } });
	expect((await ccg("config")).out).toMatch(/quiet +broken: /);
	chooseProfile(store, { folder }, "../quiet");
	expect(config().marker.headroomTokens).toBe(1);
});
