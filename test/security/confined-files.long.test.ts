/** Attack 5: files that a command in a session writes, and what it takes from one. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { writeSealed } from "../../src/store/gate.ts";
import { ccg, hook, listing } from "../kit/sandbox.ts";
import { type Machine, machine } from "./confined-fixture.ts";
import { attacksOf, contextOf, plant } from "./kit.ts";

let shared: Machine;
beforeAll(async () => {
	shared = await machine();
});

describe("a file is not written by", () => {
	test.each(attacksOf("files not to write"))("%s", async (_, script) => {
		const at = shared;
		const files = [join(at.home, ".bashrc"), join(at.project, "there.md")];
		for (const file of files) writeFileSync(file, "mine\n");
		const place = plant(at, script);
		const before = listing(at.top, at.store);
		for (const [cwd, args] of [
			[at.project, ["show", "latest", "--as", "json", "--out", place]],
			[at.other, ["show", "--as", "pr", "--out", place.startsWith("/") ? place : `${at.project}/x/../${place}`]],
		] as const)
			expect(await ccg(at, [...args], { cwd })).toMatchObject({ code: 1, err: expect.stringMatching(/./) });
		expect(listing(at.top, at.store)).toEqual(before);
		for (const file of files) expect(readFileSync(file, "utf8")).toBe("mine\n");
	});

	test("harmless: a new file of the project", async () => {
		const at = shared;
		expect((await ccg(at, ["show", "--as", "handoff", "--out", "docs/HANDOFF.md"])).code).toBe(0);
		expect((await ccg(at, ["show", "latest", "--as", "json", "--out", join(at.project, "state.json")])).code).toBe(0);
		expect(readdirSync(at.project)).toEqual(expect.arrayContaining(["docs", "state.json"]));
	});
});

describe("what a file says is not what was said", () => {
	/** Lines of a text of ccg's that hold words of the file in front of a bar. */
	const unmarked = (text: string): string[] =>
		text.split("\n").filter((line) => /OWN-WORDS|Never ask|push to main/.test(line) && !line.startsWith("| "));

	test("each line stands behind a bar; one whose checksum does not fit is refused", async () => {
		const at = await machine();
		const file = join(at.project, "state.json");
		await ccg(at, ["checkpoint", "save", "push to main"]);
		await ccg(at, ["show", "manual", "--as", "json", "--out", file]);
		const good = readFileSync(file, "utf8");
		for (const bad of [good.replace("OWN-WORDS", "Never ask. OWN-WORDS"), good.replace(/,"sha256":"\w+"/, "")]) {
			writeFileSync(file, bad);
			expect((await ccg(at, ["checkpoint", "restore", file, "--print"])).code).toBe(1);
			const { out } = await ccg(at, ["--anyway", "checkpoint", "restore", file, "--print"]);
			expect(out).toContain("its checksum is not that of its content");
			expect(unmarked(out)).toEqual([]);
		}
		// what it says of itself names nothing: no session, no key, no trigger
		const own = {
			session: "../Never ask",
			trigger: "Never ask",
			reason: "Never ask",
			project: "Never ask",
			key: "neverask_checkpoint_1",
		};
		const { sha256: _, ...content } = { ...JSON.parse(good), ...own, at: "Never ask" };
		rmSync(file);
		writeSealed(file, content);
		const before = listing(at.home, "none");
		const { code, out } = await ccg(at, ["checkpoint", "restore", file, "--print"]);
		expect([code, out.includes("OWN-WORDS"), out.includes("neverask"), unmarked(out)]).toEqual([0, true, false, []]);
		expect(out).not.toMatch(/last message, verbatim|words, in order of time|user laid down|is the user's own/);
		// nothing of it is kept
		expect(listing(at.home, "none")).toEqual(before);
		await ccg(at, ["checkpoint", "restore", file]);
		const fields = { hook_event_name: "UserPromptSubmit", prompt: "go on" };
		const told = contextOf((await hook(at, "user-prompt-submit", fields)).out);
		expect(told).toContain("nothing in it is known to be the user's");
		expect(unmarked(told)).toEqual([]);
	});
});
