import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeFailure } from "../../src/store/last-failure.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { LAUNCHER, run } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";
import { scratch } from "../scratch-home.ts";
import { addSession, sessionStore } from "./session-store.ts";

const HERE = "aaaa0000-0000-4000-8000-000000000000";
const ENDED = "bbbb0000-0000-4000-8000-000000000000";
const THERE = "cccc0000-0000-4000-8000-000000000000";

const { home, store, folder } = sessionStore(HERE);
addSession(home, ENDED, folder, "logout");
const there = scratch("mails");
addSession(home, THERE, there);

const status = async (cwd: string, columns?: number, ...args: string[]): Promise<string[]> => {
	const env = { HOME: home, ...(columns && { COLUMNS: String(columns) }) };
	const { code, out } = await run([LAUNCHER, "status", ...args], { env, cwd });
	expect(code).toBe(0);
	return out.trimEnd().split("\n");
};
const ids = (lines: string[]): string[] => lines.flatMap((line) => /^[* ] ([abc])\1{3}0000/.exec(line)?.[1] ?? []);

test("this project's sessions first, marked; those that ended say so", async () => {
	const inProject = await status(folder);
	expect(inProject[0]).toMatch(/^session +project +seen +tokens +zone +checkpoint +halt gate +model$/);
	expect(ids(inProject).slice(0, 2).toSorted()).toEqual(["a", "b"]);
	expect(ids(inProject)[2]).toBe("c");
	expect(inProject.filter((line) => line.startsWith("* "))).toHaveLength(2);
	expect(inProject.find((line) => line.startsWith("* bbbb"))).toMatch(/ ended \d+s /);
	expect(inProject.find((line) => line.startsWith("* aaaa"))).toMatch(
		/ \d+s ago +130k\/167k +flush +none +warn +claude-opus-5-5$/,
	);
	const inMails = await status(there);
	expect(ids(inMails)[0]).toBe("c");
	expect(inMails.filter((line) => line.startsWith("* "))).toHaveLength(1);
	const json = JSON.parse((await status(folder, undefined, "--json")).join("\n"));
	expect(json).toMatchObject([
		{ in_this_project: true },
		{ in_this_project: true },
		{ session_id: THERE, ended: null },
	]);
	expect(json.find((one: { session_id: string }) => one.session_id === ENDED).ended).toBe("logout");
});

describe("fitted", () => {
	test.each([40, 60, 80, 120, 200])("to %d columns; what finds no room is named", async (columns) => {
		const lines = await status(folder, columns);
		for (const line of lines) expect(Bun.stringWidth(line), line).toBeLessThanOrEqual(columns);
		expect(ids(lines)).toHaveLength(3);
		const shown = lines[0]!.split(/ {2,}/);
		const named = /Not shown in this width: (.*?)\./.exec(lines.join(" "))?.[1]?.split(", ") ?? [];
		expect([...shown, ...named].toSorted()).toEqual(
			["session", "project", "seen", "tokens", "zone", "checkpoint", "halt gate", "model"].toSorted(),
		);
		for (const line of await status(folder, columns, "--session", "aaaa"))
			expect(Bun.stringWidth(line), line).toBeLessThanOrEqual(columns);
	});
});

test("failures stand below the table, with the session", async () => {
	writeFailure(sessionAt(storeAt(store), THERE), {
		at: new Date().toISOString(),
		where: "stop",
		reason: `it broke ${"badly ".repeat(20)}`,
	});
	const lines = await status(folder, 60);
	const at = lines.findIndex((line) => line.startsWith("! cccc0000 stop: it broke badly"));
	expect(at).toBeGreaterThan(3);
	expect(lines[at + 1]).toMatch(/^ {2}badly/);
	expect(join(...lines)).not.toContain("undefined");
});

test("the star is explained, where one stands", async () => {
	expect((await status(folder)).join(" ")).toContain("A * marks sessions of this project");
	expect((await status(scratch("elsewhere"))).join(" ")).not.toContain("A * marks sessions of this project");
	for (const line of await status(folder, 40)) expect(Bun.stringWidth(line), line).toBeLessThanOrEqual(40);
});
