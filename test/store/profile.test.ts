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
		const root = storeWith({
			"night.yaml": "description: for nights\nmarker:\n  headroomTokens: 50000\nguard: {mode: enforce}\n",
		});
		expect(loadProfile(root, "night")).toEqual({
			name: "night",
			description: "for nights",
			source: join(root, "profiles/night.yaml"),
			config: { marker: { headroomTokens: 50_000 }, guard: { mode: "enforce" } },
		});
	});
	test.each([
		["an unknown section", "market:\n  rule: percent", "market: unknown key"],
		["an unknown key", "marker:\n  headroom: 5", "marker.headroom: unknown key"],
		["a wrong type", "marker:\n  headroomTokens: many", "marker.headroomTokens: must be a number"],
		["a number below zero", "checkpoints:\n  minutes: -1", "checkpoints.minutes: must be 0 or more"],
		["a word that is none of the list", "guard:\n  mode: strict", "guard.mode: must be one of warn, enforce, off"],
		["a section that is no map", "nudge: off", "nudge: must be an object"],
		["a prototype's key", "constructor:\n  x: 1", "constructor: unknown key"],
		["no map at all", "- a\n- b", "must hold sections"],
		["no YAML", "marker: [1, 2", "no YAML"],
		["empty", "", "must hold sections"],
	])("%s is named", (_, text, message) => {
		const root = storeWith({ "night.yaml": text });
		expect(() => loadProfile(root, "night")).toThrow(message);
		expect(() => loadProfile(root, "night")).toThrow("profiles/night.yaml");
	});
	test("all failing keys at once", () => {
		const root = storeWith({ "night.yaml": "marker: {x: 1, y: 2}\nz: {}" });
		expect(() => loadProfile(root, "night")).toThrow("marker.x: unknown key; marker.y: unknown key; z: unknown key");
	});
	test.each(["../config", "a b", "", "x".repeat(41)])("%j is no name", (name) => {
		expect(() => loadProfile(storeWith({}), name)).toThrow("no name for a profile");
	});
	test("a YAML bomb is no profile", () => {
		const levels = Array.from(
			{ length: 12 },
			(_, n) => `a${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`).join(",")}]`,
		);
		const root = storeWith({ "night.yaml": `a0: &a0 [x]\n${levels.join("\n")}` });
		expect(() => loadProfile(root, "night")).toThrow();
	});
});

test("built-in ones fit the configuration", () => {
	for (const { config } of Object.values(BUILT_IN)) expect(makeConfig(config).problems).toEqual([]);
});

test("the list: built in and of the store, with what is wrong", () => {
	const root = storeWith({
		"mine.yaml": "description: mine",
		"broken.yaml": "x: {}",
		"quiet.yaml": "description: quieter",
		"notes.txt": "",
	});
	const list = listProfiles(root);
	expect(list.map(({ name }) => name)).toEqual(["broken", "careful", "default", "mine", "quiet"]);
	expect(list.find(({ name }) => name === "broken")!.problem).toContain("x: unknown key");
	expect(list.find(({ name }) => name === "quiet")!.description).toBe("quieter");
});

test("the session's choice wins over the project's, that over config.json; taken back they are gone", () => {
	const root = scratch();
	const folder = scratch();
	writeFileSync(join(root, "config.json"), '{"marker":{"headroomTokens":1,"percent":9},"nudge":{"wording":"off"}}');
	const of = (name: string, headroomTokens: number) => ({
		name,
		source: "built-in",
		config: { marker: { headroomTokens } },
	});
	const seen = (sid?: string) => {
		const { config } = loadConfig(root, { sid, folder });
		const profile = chosenProfile(root, { ...(sid && { sid }), folder })?.name ?? null;
		return [profile, config.marker.headroomTokens, config.marker.percent, config.nudge.wording];
	};
	expect(seen("s")).toEqual([null, 1, 9, "off"]);
	chooseProfile(root, { folder }, of("p", 2));
	chooseProfile(root, { sid: "s" }, of("q", 3));
	expect(seen("s")).toEqual(["q", 3, 9, "off"]);
	expect(seen("other")).toEqual(["p", 2, 9, "off"]);
	expect(loadConfig(root).config.marker.headroomTokens).toBe(1);
	forgetProfile(root, { sid: "s" });
	expect(seen("s")[0]).toBe("p");
	forgetProfile(root, { folder });
	expect(seen("s")[0]).toBeNull();
});

test.each(["", "{", "[]", '{"name":"../x","config":{}}', '{"name":"x","config":null}'])(
	"a compiled profile of %j is none",
	(text) => {
		const root = scratch();
		mkdirSync(join(root, "profiles", "chosen"), { recursive: true });
		writeFileSync(join(root, "profiles", "chosen", "session-s.json"), text);
		expect(chosenProfile(root, { sid: "s" })).toBeNull();
	},
);
