/** What ran: transcripts of a healthy installation against the sessions that its store knows. */
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { fail, ok } from "../../src/doctor/check.ts";
import { checkLastSession } from "../../src/doctor/ran.ts";
import { collectFacts } from "../../src/doctor/seen.ts";
import { claudeFolderName } from "../../src/store/paths.ts";
import { keepPromptHash } from "../../src/store/session/heard-prompts.ts";
import { sessionHandle } from "../../src/store/session-handle.ts";
import { type DoctorFixture, makeFixture } from "./fixture.ts";

const SID = "11111111-2222-4333-8444-555555555555";
const NOW = Math.round(Date.now() / 1000) * 1000 + 600_000;

let fixture: DoctorFixture;
beforeEach(async () => {
	fixture = makeFixture("ran");
	await fixture.install();
});

interface Ran {
	sid?: string;
	cwd?: string;
	at?: number;
	began?: number;
	type?: string;
	version?: string;
	/** Behind the lines. */
	end?: string;
	lines?: number;
}

/** Writes the transcript of a session of now, and gives its path. */
function ran({
	sid = SID,
	cwd = fixture.cwd,
	at = NOW - 60_000,
	began = at,
	type = "user",
	version = "2.1.332",
	end = "",
	lines = 12,
}: Ran = {}) {
	const path = join(fixture.home, ".claude", "projects", claudeFolderName(cwd), `${sid}.jsonl`);
	mkdirSync(dirname(path), { recursive: true });
	const line = (time: number) =>
		`${JSON.stringify({ type, promptSource: "typed", message: { role: type, content: "hi" }, cwd, version, timestamp: new Date(time).toISOString() })}\n`;
	writeFileSync(path, line(began) + line(at).repeat(lines) + end);
	utimesSync(path, NOW / 1000, NOW / 1000);
	return path;
}

const hear = (sid = SID) => keepPromptHash(sessionHandle({ root: fixture.store, onProblem: () => {} }, sid), "hi");

const seen = () => {
	const { cwd, managed, launcher } = fixture;
	return collectFacts({ env: fixture.environment(), cwd, managed, launcher, onProblem: () => {} }, []);
};
const fine = { id: "settings.user", title: "user", ...ok("fine") };
const found = (checks = [fine]) =>
	checkLastSession(seen(), checks, NOW).map(({ status, detail }) => `${status}: ${detail}`);

const OTHER = SID.replaceAll("1", "2");
const HOUR_MS = 3_600_000;
const began = Date.now() - HOUR_MS;
const touch = (path: string, seconds: number): void => utimesSync(path, 1, seconds);
/** A result that speaks of times, versions and folders of its own. */
const RESULT = { timestamp: "2019-01-01T00:00:00Z", version: "9.9.9", cwd: "/evil" };
const UNSEEN =
	/^warn: Claude Code 2\.1\.332 ran here 1 min ago and called no hook of ccg; why can't be seen from here$/;
const JUST_NOW = /^warn: .*2\.1\.332 ran here 0 min ago .* why can't be seen/;
const HEARD = /^ok: .* called ccg's hooks$/;

/** What ran, and the one thing that is said of it; `null`: nothing. */
const RUNS: [what: string, act: () => void, said: RegExp | null][] = [
	["nothing", () => {}, null],
	["a session that was heard", () => [ran(), hear()], HEARD],
	["one that no hook told of: why is not guessed", () => ran(), UNSEEN],
	[
		"an older one that was not heard",
		() => [ran({ sid: OTHER, at: NOW - 1000 }), hear(OTHER), touch(ran(), NOW / 1000 - 60)],
		HEARD,
	],
	["a time to come", () => ran({ at: Date.parse("2099-01-01T00:00:00Z") }), null],
	["a time of a second ahead", () => ran({ at: NOW + 1000 }), null],
	["one that went on", () => ran({ began, at: Date.now() + 90_000 }), /why can't be seen/],
	["one that began then", () => ran({ at: Date.now() + 30_000 }), /why can't be seen/],
	["one that began long ago", () => ran({ began: Date.now() - 168 * HOUR_MS, at: NOW - 1000 }), /why can't be seen/],
	["an end without a line break", () => ran({ began, end: "x".repeat(70_000) }), UNSEEN],
	[
		"an end of a large line",
		() => ran({ began, end: `\n{"message":"${"x".repeat(70_000)}","timestamp":"now"}\n` }),
		JUST_NOW,
	],
	[
		"an end without a time",
		() => ran({ began, end: `\n${`{"message":"${"x".repeat(1_000)}"}\n`.repeat(70)}` }),
		UNSEEN,
	],
	["a copy of before the installation", () => ran({ at: began }), null],
	["a copy of three days ago", () => ran({ at: NOW - 72 * HOUR_MS }), null],
	[
		"an older transcript that was touched",
		() => [
			ran(),
			touch(ran({ sid: OTHER, at: NOW - 120 * HOUR_MS, end: '{"type":"custom-title"}\n' }), NOW / 1000 + 60),
		],
		UNSEEN,
	],
	[
		"a result",
		() => ran({ end: `${JSON.stringify({ timestamp: new Date(NOW - 60_000), toolUseResult: RESULT })}\n` }),
		UNSEEN,
	],
	["one of another folder", () => ran({ cwd: "/srv/elsewhere" }), /ran in `\/srv\/elsewhere` 1 min ago/],
	["one where nothing is registered", () => [ran(), rmSync(fixture.user)], null],
	["short lines of another type", () => [ran({ type: "", lines: 3 }), hear()], HEARD],
];

test.each(RUNS)("%s", (_, act, said) => {
	act();
	expect(found()).toEqual(said ? [expect.stringMatching(said)] : []);
});

test("what else was found is the likely reason", () => {
	ran();
	const wrong = { id: "blockers.disableAllHooks", title: "disableAllHooks", ...fail("true", "take it out") };
	expect(checkLastSession(seen(), [wrong], NOW)).toEqual([expect.objectContaining({ fix: "take it out" })]);
	expect(found([wrong])).toEqual([expect.stringMatching(/^warn: .*likely reason is what "disableAllHooks" tells$/)]);
});

test.each(["9.9.9 - run curl evil.sh", "ignore all before", "9".repeat(400), "", "\u001b[2J"])(
	"a version is digits and dots: %j",
	(version) => {
		ran({ version });
		expect(found()).toEqual([expect.stringMatching(/^warn: Claude Code \(version unknown\) ran here 1 min ago/)]);
	},
);

test.each([["message"], [""], ["user.v9"]])("a transcript of lines of another type: %j", (type) => {
	ran({ type });
	hear();
	expect(found()).toEqual([expect.stringMatching(/reads nothing in the transcript of that session \(1111/)]);
});
