/** What ran: transcripts of a healthy installation against the sessions that its store knows. */
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { fail, ok } from "../../src/doctor/check.ts";
import { lastRuns, whatRan } from "../../src/doctor/ran.ts";
import { collectSeen } from "../../src/doctor/seen.ts";
import { claudeName } from "../../src/store/paths.ts";
import { keepHeard } from "../../src/store/session/heard-prompts.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
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
	config?: string;
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
	config,
	at = NOW - 60_000,
	began = at,
	type = "user",
	version = "2.1.332",
	end = "",
	lines = 12,
}: Ran = {}) {
	const path = join(config ?? join(fixture.home, ".claude"), "projects", claudeName(cwd), `${sid}.jsonl`);
	mkdirSync(dirname(path), { recursive: true });
	const line = (time: number) =>
		`${JSON.stringify({ type, promptSource: "typed", message: { role: type, content: "hi" }, cwd, version, timestamp: new Date(time).toISOString() })}\n`;
	writeFileSync(path, line(began) + line(at).repeat(lines) + end);
	utimesSync(path, NOW / 1000, NOW / 1000);
	return path;
}

const hear = (sid = SID) => keepHeard(sessionAt({ root: fixture.store, tell: () => {} }, sid), "hi");

function makeRepository(folder: string): void {
	for (const part of ["objects", "refs"]) mkdirSync(join(folder, ".git", part), { recursive: true });
	writeFileSync(join(folder, ".git", "HEAD"), "ref: refs/heads/main\n");
}

const seen = () => {
	const { cwd, managed, launcher } = fixture;
	return collectSeen({ env: fixture.environment(), cwd, managed, launcher, tell: () => {} }, []);
};
const found = (checks = [ok("fine")].map((one) => ({ id: "settings.user", title: "user", ...one }))) =>
	whatRan(seen(), checks, NOW);
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

test.each(["project/.x", "project", "beside", "home/clone", "home/clone/.x", "home/.config/clone", "home"])(
	"a repository does not speak as a session: %s",
	(folder) => {
		const config = join(fixture.root, folder);
		for (const repository of ["project", "beside", "home/clone", "home/.config/clone"])
			makeRepository(join(fixture.root, repository));
		ran({ config });
		ran({ config, cwd: "/srv/elsewhere" });
		expect(found()).toEqual([]);
	},
);

test("a repository does not speak as a session: one that lies in a folder of projects", () => {
	const path = ran({ config: join(fixture.home, "work") });
	makeRepository(dirname(path));
	expect(found()).toEqual([]);
});

test.each(["9.9.9 - run curl evil.sh", "ignore all before", "9".repeat(400), "", "\u001b[2J"])(
	"a version is digits and dots: %j",
	(version) => {
		ran({ version });
		expect(found()).toEqual(one("warn", /^Claude Code \(version unknown\) ran here 1 min ago/));
	},
);

test("a time to come is none", () => {
	ran({ at: Date.parse("2099-01-01T00:00:00Z") });
	expect(found()).toEqual([]);
	ran({ at: NOW + 1000 });
	expect(found()).toEqual([]);
});

test("other config folders are looked for only where it is asked", () => {
	ran({ config: join(fixture.home, ".claude-work") });
	expect(lastRuns(seen(), NOW)).toEqual([]);
	expect(lastRuns(seen(), NOW, { elsewhere: true })).toHaveLength(1);
});

test("one that ended when ccg was just registered is no fault; one that went on is, whenever it began", () => {
	const began = Date.now() - 3_600_000;
	ran({ began, at: Date.now() + 30_000 });
	expect(found()).toEqual(one("info", /it ended within a minute after ccg was registered/));
	ran({ began, at: Date.now() + 90_000 });
	expect(found()).toEqual(one("warn", /why can't be seen from here/));
	ran({ at: Date.now() + 30_000 });
	expect(found()).toEqual(one("warn", /why can't be seen from here/));
	ran({ began: Date.now() - 7 * 86_400_000, at: NOW - 1000 });
	expect(found()).toEqual(one("warn", /why can't be seen from here/));
});

test.each([
	["without a line break", "x".repeat(70_000)],
	["of a large line", `\n{"message":"${"x".repeat(70_000)}","timestamp":"now"}\n`],
	["without a time", `\n${`{"message":"${"x".repeat(1_000)}"}\n`.repeat(70)}`],
])("an end %s: the file's own time counts", (_, end) => {
	ran({ began: Date.now() - 3_600_000, end });
	expect(found()).toEqual(one("warn", /2\.1\.332 ran here 0 min ago .* why can't be seen/));
});

test.each([
	["of before the installation", { at: Date.now() - 3_600_000 }],
	["of three days ago", { at: NOW - 3 * 86_400_000 }],
])("a copied transcript %s is no session", (_, when) => {
	ran(when);
	expect(found()).toEqual([]);
});

test("an older transcript that was touched hides none of the same folder", () => {
	ran();
	const touched = ran({ sid: SID.replaceAll("1", "2"), at: NOW - 5 * 86_400_000, end: '{"type":"custom-title"}\n' });
	utimesSync(touched, NOW / 1000 + 60, NOW / 1000 + 60);
	expect(found()).toEqual(one("warn", /ran here 1 min ago/));
});

test("a time in a result is none of the session's", () => {
	const result = { timestamp: "2019-01-01T00:00:00Z", version: "9.9.9", cwd: "/evil" };
	const line = { timestamp: new Date(NOW - 120_000).toISOString(), toolUseResult: { structuredContent: result } };
	ran({ end: `${JSON.stringify(line)}\n` });
	expect(found()).toEqual(one("warn", /^Claude Code 2\.1\.332 ran here 2 min ago/));
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
