import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../../src/store/config/config.ts";
import { loadSnapshot, updateSnapshot } from "../../../src/store/session/session-snapshot.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { json, NOW, SID, sessionCommands } from "../../kit/session-commands.ts";
import { storeAt } from "../../kit/store.ts";
import { scratch } from "../../scratch-home.ts";

describe("profile", () => {
	test("use for the project, for a session, and back", async () => {
		const { ccg, root, cwd } = sessionCommands();
		expect((await ccg("profile", "list")).out).toMatch(/^\* default/m);
		await ccg("profile", "use", "careful");
		expect((await ccg("profile", "list")).out).toMatch(/^\* careful/m);
		expect(loadConfig(root, { folder: cwd, tell: () => {} }).config.guard.mode).toBe("enforce");
		await ccg("profile", "use", "quiet", "--session", "0c0f");
		expect(loadConfig(root, { sid: SID, folder: cwd, tell: () => {} }).config.nudge.wording).toBe("off");
		expect(loadSnapshot(sessionAt(storeAt(root), SID), NOW).profile).toBe("quiet");
		expect(await json(ccg("profile", "show", "--session", "0c0f", "--json"))).toMatchObject({
			profile: "quiet",
			chosen_for: "session",
			config: { guard: { mode: "off" } },
		});
		await ccg("profile", "use", "none", "--session", "0c0f");
		expect(loadSnapshot(sessionAt(storeAt(root), SID), NOW).profile).toBe("careful");
		await ccg("profile", "use", "none");
		expect(await json(ccg("profile", "show", "--json"))).toMatchObject({ profile: "default", chosen_for: null });
	});
	test("of a file: refused with the failing key, told when it was changed since", async () => {
		const { ccg, root, cwd } = sessionCommands();
		mkdirSync(join(root, "profiles"), { recursive: true });
		const file = join(root, "profiles", "mine.yaml");
		writeFileSync(file, "recovery:\n  maxCharacters: 5\n");
		await expect(ccg("profile", "use", "mine")).rejects.toThrow("recovery.maxCharacters: unknown key");
		writeFileSync(file, "recovery:\n  maxChars: 5000\n");
		await ccg("profile", "use", "mine");
		writeFileSync(file, "recovery:\n  maxChars: 6000\n");
		expect(loadConfig(root, { folder: cwd, tell: () => {} }).config.recovery.maxChars).toBe(5_000);
		expect((await ccg("profile", "show")).err).toContain("was changed since it was chosen");
		expect(await json(ccg("profile", "show", "mine", "--json"))).toMatchObject({
			config: { recovery: { maxChars: 6_000 } },
		});
	});
	test("none takes the name back from the session's context, and what counts is what is shown", async () => {
		const { ccg, root } = sessionCommands();
		const shown = async () => [
			/ (careful|quiet|default) /.exec((await ccg("sessions", "list")).out)?.[1],
			(await json(ccg("sessions", "show", "--json"))).profile,
			loadSnapshot(sessionAt(storeAt(root), SID), NOW).profile,
		];
		for (const [args, name] of [
			[["careful"], "careful"],
			[["quiet", "--session", "0c0f"], "quiet"],
			[["none", "--session", "0c0f"], "careful"],
			[["none"], "default"],
		] as const) {
			await ccg("profile", "use", ...args);
			expect(await shown()).toEqual([name, name, name]);
		}
		updateSnapshot(sessionAt(storeAt(root), SID), NOW, (snapshot) => {
			snapshot.profile = "gone";
		});
		expect(await shown()).toEqual(["default", "default", "gone"]);
	});
	test("of another project's sessions none is touched", async () => {
		const { ccg, root, cwd } = sessionCommands();
		await ccg("profile", "use", "careful");
		await ccg("profile", "use", "quiet", "--project", scratch("elsewhere"));
		expect(loadSnapshot(sessionAt(storeAt(root), SID), NOW).profile).toBe("careful");
		expect(loadConfig(root, { sid: SID, folder: cwd, tell: () => {} }).profile).toBe("careful");
	});
	test("the list: broken ones, one that replaces a built-in, one that ends in .yml, the path once", async () => {
		const { ccg, root } = sessionCommands();
		const folder = join(root, "profiles");
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, "bad.yaml"), "marker: [1, 2");
		writeFileSync(join(folder, "quiet.yaml"), "description: quieter");
		writeFileSync(join(folder, "short.yml"), "description: short");
		const { out } = await ccg("profile", "list");
		expect(out).toMatch(new RegExp(`^  bad +broken: no YAML: \\S.*[^:]  ${folder}/bad.yaml$`, "m"));
		expect(out.split(join(folder, "bad.yaml"))).toHaveLength(2);
		expect(out).toMatch(new RegExp(`^  quiet +quieter  ${folder}/quiet.yaml, in place of the built-in one$`, "m"));
		expect(out).toMatch(new RegExp(`^  short +short  ${folder}/short.yml$`, "m"));
		expect(await json(ccg("profile", "list", "--json"))).toContainEqual(
			expect.objectContaining({ name: "quiet", replaces_built_in: true }),
		);
		expect(await json(ccg("profile", "show", "short", "--json"))).toMatchObject({ description: "short" });
	});
	test("what is not there, and two places at once", async () => {
		await expect(sessionCommands().ccg("profile", "use", "nosuch")).rejects.toThrow("no profile 'nosuch'");
		await expect(sessionCommands().ccg("profile", "use", "quiet", "--session", SID, "--project")).rejects.toThrow(
			"one of them at a time",
		);
	});
});
