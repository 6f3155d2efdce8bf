import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listProfiles, loadConfig, loadProfile, makeConfig } from "../../src/store/config/config.ts";
import { BUILT_IN, chooseProfile, chosenProfile, forgetProfile } from "../../src/store/config/profiles.ts";
import { scratch } from "../scratch-home.ts";

function storeWith(files: Record<string, string>): string {
	const root = scratch();
	mkdirSync(join(root, "profiles"));
	for (const [name, text] of Object.entries(files)) writeFileSync(join(root, "profiles", name), text);
	return root;
}

describe("a profile is checked when it is loaded", () => {
	test("sections of the configuration, with a description", () => {
		const text =
			'{"version":1,"description":"for nights","marker":{"headroomTokens":50000},"guard":{"mode":"enforce"}}';
		const root = storeWith({ "night.json": text });
		expect(loadProfile(root, "night")).toEqual({
			name: "night",
			description: "for nights",
			source: join(root, "profiles/night.json"),
			config: { marker: { headroomTokens: 50_000 }, guard: { mode: "enforce" } },
		});
	});
	test.each([
		["an unknown section", { market: { rule: "percent" } }, "market: unknown key"],
		["an unknown key", { marker: { headroom: 5 } }, "marker.headroom: unknown key"],
		["a wrong type", { marker: { headroomTokens: "many" } }, "marker.headroomTokens: must be a number"],
		["a number below zero", { checkpoints: { minutes: -1 } }, "checkpoints.minutes: must be 0 or more"],
		["a word that is none of the list", { guard: { mode: "strict" } }, "guard.mode: must be one of warn, enforce, off"],
		["a section that is no map", { nudge: "off" }, "nudge: must be an object"],
		["a prototype's key", { constructor: { x: 1 } }, "constructor: unknown key"],
		["where text is sent", { embeddings: {} }, "only config.json may say"],
		[
			"all that fail",
			{ marker: { x: 1, y: 2 }, z: {} },
			"marker.x: unknown key; marker.y: unknown key; z: unknown key",
		],
		["no map at all", ["a", "b"], "it holds no object"],
		["no JSON", "marker: [1, 2", "no JSON"],
		["empty", "", "no JSON"],
		["of a newer ccg", { version: 2 }, "its version is 2"],
	])("%s is named", (_, value: unknown, message) => {
		const root = storeWith({ "night.json": typeof value === "string" ? value : JSON.stringify(value) });
		expect(() => loadProfile(root, "night")).toThrow(message);
		expect(() => loadProfile(root, "night")).toThrow("profiles/night.json");
	});
	test.each(["../config", "a b", "", "x".repeat(41)])("%j is no name", (name) => {
		expect(() => loadProfile(storeWith({}), name)).toThrow("no name for a profile");
	});
});

test("built-in ones fit the configuration", () => {
	for (const { config } of Object.values(BUILT_IN)) expect(makeConfig(config).problems).toEqual([]);
});

test("the list: built in and of the store, with what is wrong", () => {
	const root = storeWith({
		"mine.json": '{"description":"mine"}',
		"broken.json": '{"x":{}}',
		"quiet.json": '{"description":"quieter"}',
		"notes.txt": "",
	});
	const list = listProfiles(root);
	expect(list.map(({ name }) => name)).toEqual(["broken", "careful", "default", "mine", "quiet"]);
	expect(list.find(({ name }) => name === "broken")!.problem).toContain("x: unknown key");
	expect(list.find(({ name }) => name === "quiet")!.description).toBe("quieter");
});

test("the session's choice wins over the project's, that over config.json; taken back they are gone", () => {
	const root = storeWith({
		"p.json": '{"marker":{"headroomTokens":2}}',
		"q.json": '{"marker":{"headroomTokens":3},"embeddings":{"url":"https://elsewhere"}}',
	});
	const folder = scratch();
	writeFileSync(join(root, "config.json"), '{"marker":{"headroomTokens":1,"percent":9},"nudge":{"wording":"off"}}');
	const seen = (sid?: string) => {
		const { config } = loadConfig(root, { sid, folder });
		const profile = chosenProfile(root, { ...(sid && { sid }), folder })?.name ?? null;
		return [profile, config.marker.headroomTokens, config.marker.percent, config.nudge.wording];
	};
	expect(seen("s")).toEqual([null, 1, 9, "off"]);
	chooseProfile(root, { folder }, "p");
	chooseProfile(root, { sid: "s" }, "q");
	expect(seen("s")).toEqual(["q", 3, 9, "off"]);
	expect(loadConfig(root, { sid: "s", folder }).config.embeddings.url).toBe("");
	expect(seen("other")).toEqual(["p", 2, 9, "off"]);
	expect(loadConfig(root).config.marker.headroomTokens).toBe(1);
	forgetProfile(root, { sid: "s" });
	expect(seen("s")[0]).toBe("p");
	forgetProfile(root, { folder });
	expect(seen("s")[0]).toBeNull();
});

test.each(["", "../x", "gone", "broken"])("a choice of %j is none", (name) => {
	const root = storeWith({ "broken.json": "{" });
	chooseProfile(root, { sid: "s" }, name);
	expect(chosenProfile(root, { sid: "s" })).toBeNull();
});
