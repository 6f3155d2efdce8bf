import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/store/config/config.ts";
import { failed, runCcg } from "../kit/ccg.ts";
import { scratch } from "../scratch-home.ts";
import { sessionStore } from "./session-store.ts";

function place() {
	const { home, store, folder, sid } = sessionStore();
	const ccg = (line: string, cwd = folder) => runCcg(line.split(" "), { env: { HOME: home }, cwd });
	const context = async () => (await ccg("status 0c0f --json")).json.context.profile;
	const config = (of: { sid?: string } = {}) => loadConfig(store, { ...of, folder }).config;
	return { store, folder, sid, ccg, context, config };
}

describe("ccg config", () => {
	test("use for the project, for a session, and back; what counts is what is shown", async () => {
		const { ccg, sid, context, config } = place();
		expect((await ccg("config")).out).toMatch(/^\* default/m);
		await ccg("config use careful");
		expect((await ccg("config")).out).toMatch(/^\* careful/m);
		expect([config().guard.mode, await context()]).toEqual(["enforce", "careful"]);
		await ccg("config use quiet --session 0c0f");
		expect([config({ sid }).nudge.wording, await context()]).toEqual(["off", "quiet"]);
		const shown = { profile: "quiet", chosen_for: "session", config: { guard: { mode: "off" } } };
		expect((await ccg("config --session 0c0f --json")).json).toMatchObject(shown);
		await ccg("config use none --session 0c0f");
		expect(await context()).toBe("careful");
		await ccg("config use quiet", scratch("elsewhere"));
		expect(await context()).toBe("careful");
		await ccg("config use none");
		expect(await context()).toBe("default");
	});

	test("a file: refused with the failing key, listed with its path", async () => {
		const { ccg, store, config } = place();
		const folder = join(store, "profiles");
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, "mine.json"), '{"recovery":{"maxCharacters":5}}');
		expect(await ccg("config use mine")).toMatchObject(failed("recovery.maxCharacters: unknown key"));
		writeFileSync(join(folder, "mine.json"), '{"recovery":{"maxChars":5000}}');
		await ccg("config use mine");
		expect(config().recovery.maxChars).toBe(5_000);
		// an edit counts at once; what does not fit any more is left out
		writeFileSync(join(folder, "mine.json"), '{"recovery":{"maxChars":6000,"tellUser":7}}');
		expect(config().recovery).toMatchObject({ maxChars: 6_000, tellUser: true });
		writeFileSync(join(folder, "mine.json"), "{");
		expect(config().recovery.maxChars).not.toBe(6_000);
		writeFileSync(join(folder, "bad.json"), "marker: [1, 2");
		const { out } = await ccg("config");
		expect(out).toMatch(new RegExp(`^  bad +broken: profile ${folder}/bad.json: no JSON`, "m"));
	});

	test.each([
		["config use quiet --session 0c0f", "profiles", "can't be read or written: "],
		["config use quiet", "profiles", "can't be read or written: "],
	])("%s with a file in place of %s: what failed, and what to do", async (line, folder, said) => {
		const { ccg, store } = place();
		rmSync(join(store, folder), { recursive: true, force: true });
		writeFileSync(join(store, folder), "");
		const { code, err } = await ccg(line);
		expect([code, err]).toEqual([1, expect.stringContaining(said)]);
	});
});
