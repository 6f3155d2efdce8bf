/** What ran: transcripts of a healthy installation against the sessions that its store knows. */
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { fail, ok } from "../../src/doctor/check.ts";
import { whatRan } from "../../src/doctor/ran.ts";
import { see } from "../../src/doctor/seen.ts";
import { claudeName } from "../../src/store/paths.ts";
import { keepHeard } from "../../src/store/session/heard-prompts.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { type DoctorFixture, makeFixture } from "./fixture.ts";

const SID = "11111111-2222-4333-8444-555555555555";
const NOW = Date.now() + 120_000;

let fixture: DoctorFixture;
beforeEach(async () => {
	fixture = makeFixture("ran");
	await fixture.install();
});

interface Ran {
	sid?: string;
	cwd?: string;
	config?: string;
	at?: number;
	began?: number;
	type?: string;
	lines?: number;
}

/** Writes the transcript of a session of now, and gives its path. */
function ran({
	sid = SID,
	cwd = fixture.cwd,
	config,
	at = NOW - 60_000,
	began = at,
	type = "user",
	lines = 12,
}: Ran = {}) {
	const path = join(config ?? join(fixture.home, ".claude"), "projects", claudeName(cwd), `${sid}.jsonl`);
	mkdirSync(dirname(path), { recursive: true });
	const line = (time: number) =>
		`${JSON.stringify({ type, promptSource: "typed", message: { role: type, content: "hi" }, cwd, version: "2.1.332", timestamp: new Date(time).toISOString() })}\n`;
	writeFileSync(path, line(began) + line(at).repeat(lines));
	utimesSync(path, NOW / 1000, NOW / 1000);
	return path;
}

const hear = (sid = SID) => keepHeard(sessionAt({ root: fixture.store, tell: () => {} }, sid), "hi");

const found = (checks = [ok("fine")].map((one) => ({ id: "settings.user", title: "user", ...one }))) => {
	const { cwd, managed, launcher } = fixture;
	return whatRan(see({ env: fixture.environment(), cwd, managed, launcher, tell: () => {} }, []), checks, NOW);
};
const one = (status: string, detail: RegExp) => [
	expect.objectContaining({ status, detail: expect.stringMatching(detail) }),
];

test("nothing where nothing ran, all well where all were heard", () => {
	expect(found()).toEqual([]);
	ran();
	hear();
	expect(found()).toEqual(one("ok", /called ccg's hooks/));
});

test("a session that no hook told of: why is not guessed", () => {
	ran();
	expect(found()).toEqual(
		one("warn", /^Claude Code 2\.1\.332 ran here 1 min ago and called no hook of ccg; why can't be seen/),
	);
	ran({ sid: "22222222-2222-4333-8444-555555555555", at: NOW - 1000 });
	hear("22222222-2222-4333-8444-555555555555");
	utimesSync(ran(), 1, NOW / 1000 - 60);
	expect(found()).toEqual(one("ok", /called/));
});

test("what else was found is the likely reason", () => {
	ran();
	const wrong = { id: "blockers.disableAllHooks", title: "disableAllHooks", ...fail("true", "take it out") };
	expect(found([wrong])).toEqual([expect.objectContaining({ fix: "take it out" })]);
	expect(found([wrong])).toEqual(one("warn", /likely reason is what "disableAllHooks" tells/));
});

test.each(["home/.claude-work", "home/.config/claude"])("a session of another config folder: %s", (folder) => {
	ran({ config: join(fixture.root, folder) });
	expect(found()).toEqual(one("warn", new RegExp(`its settings were those of .*/${folder}$`)));
	hear();
	expect(found()).toEqual(one("ok", /called/));
});

test("a repository's own files are no session of another folder, and its words no version", () => {
	ran({ config: join(fixture.cwd, ".claude-here") });
	expect(found()).toEqual([]);
	ran({ at: NOW + 86_400_000 });
	expect(found()).toEqual([]);
});

test("one that ended when ccg was registered is no fault; one that went on is", () => {
	ran({ began: Date.now() - 3_600_000, at: Date.now() + 3_000 });
	expect(found()).toEqual(one("info", /it began before ccg was registered/));
	ran({ began: Date.now() - 3_600_000 });
	expect(found()).toEqual(one("warn", /why can't be seen/));
});

test.each([
	["of before the installation", { at: Date.now() - 3_600_000 }],
	["of three days ago", { at: NOW - 3 * 86_400_000 }],
])("a copied transcript %s is no session", (_, when) => {
	ran(when);
	expect(found()).toEqual([]);
});

test("other folders are told by name", () => {
	ran({ cwd: "/srv/elsewhere" });
	expect(found()).toEqual(one("warn", /ran in `\/srv\/elsewhere` 1 min ago/));
});

test("where nothing is registered there is nothing to compare", () => {
	ran();
	rmSync(fixture.user);
	expect(found()).toEqual([]);
});

test.each([["message"], [""], ["user.v9"]])("a transcript of lines of another type: %j", (type) => {
	ran({ type });
	hear();
	expect(found()).toEqual(one("warn", /reads nothing in the transcript of that session \(1111/));
	ran({ type, lines: 3 });
	expect(found()).toEqual(one("ok", /called/));
});
