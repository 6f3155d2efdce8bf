/** What the doctor finds without running anything: one change of a healthy installation a line. */
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import IN_SETTINGS from "./findings.json";
import {
	checksOf,
	type DoctorFixture,
	listing,
	makeFixture,
	makeInstallation,
	type Settings,
	settings,
} from "./fixture.ts";

type Change = (fixture: DoctorFixture) => unknown;
/** What is changed, and what is found: the id of the check, its status and what it says. */
type Finding = [change: Change, found: RegExp];

/** Changes a settings file, or makes it: the user's, its hooks, the first handler of an event, the project's, a managed one. */
const edit = (path: (fixture: DoctorFixture) => string, change: Parameters<typeof settings>[1]): Change => {
	return (fixture) => settings(path(fixture), change);
};
const inUser = (change: (value: Settings) => void): Change => edit(({ user }) => user, change);
const user = (more: object): Change => inUser((value) => Object.assign(value, more));
const hooks = (more: (all: Settings) => object): Change => inUser((all) => Object.assign(all.hooks, more(all.hooks)));
const handler = (event: string, more: (handler: Settings) => object): Change =>
	inUser(({ hooks }) => Object.assign(hooks[event][0].hooks[0], more(hooks[event][0].hooks[0])));
const project = (value: object): Change => edit((fixture) => fixture.project, value);
const trusted = (folder: (cwd: string) => string): Change => {
	return ({ home, cwd }) =>
		settings(join(home, ".claude.json"), { projects: { [folder(cwd)]: { hasTrustDialogAccepted: true } } });
};

function second({ root }: DoctorFixture): string {
	mkdirSync(join(root, "other"));
	return makeInstallation(join(root, "other"));
}

const FINDINGS: Record<string, Finding> = {
	"no registration": [
		({ user: path }) => rmSync(path),
		/^settings\.registered: fail: .*no settings file holds an entry/,
	],
	"unparsable user settings": [
		({ user: path }) => writeFileSync(path, '{\n  "model": "opus",\n}\n'),
		/^settings\.user: fail: .*ignores the whole file.*settings\.json, line 3, column 1/,
	],
	"a second installation in another scope": [
		(fixture) => fixture.install("local", second(fixture)),
		/^blockers\.second: warn: .*entries of .*other\/bin\/ccg run beside those of .*ccg\/bin\/ccg/,
	],
	"another installation alone": [
		(fixture) => fixture.install("user", second(fixture)),
		/^blockers\.second: warn: .*registered is .*other\/bin\/ccg, not the ccg that is running/,
	],
	"a missing entry": [hooks(() => ({ PreCompact: undefined })), /^settings\.user: fail: .*missing in .*: PreCompact$/],
	"no status line": [user({ statusLine: undefined }), /^settings\.statusline: warn: none: .* a step later/],
	"hooks without a status line": [user({ statusLine: undefined }), /^settings\.user: ok: SessionStart, /],
	"a time limit of the user's own": [
		handler("PreCompact", () => ({ timeout: 60 })),
		/^settings\.user: ok: .*PreCompact/,
	],
	"a text of ours in another form": [
		handler("SessionStart", ({ command }) => ({ command: command.replace("; exit 0", "") })),
		/^settings\.user: warn: .*not what this version registers.*: SessionStart$/,
	],
	"an entry that runs another program too, which is its owner's": [
		handler("SessionStart", ({ command }) => ({ command: `my-own-thing; ${command}` })),
		/^settings\.user: fail: .*missing in .*: SessionStart$/,
	],
	"auto-compaction off": [
		project({ autoCompactEnabled: false }),
		/^compaction\.auto: info: .*off \(autoCompactEnabled in .*\)/,
	],
	"what the client's sandbox puts where there is no file": [
		({ project: path }) => {
			mkdirSync(dirname(path));
			symlinkSync("/dev/null", path);
		},
		/^settings\.project: info: no file .*project\/\.claude\/settings\.json/,
	],
	"a folder in the place of settings": [
		({ project: path }) => mkdirSync(path, { recursive: true }),
		/^settings\.project: fail: .*not a regular file/,
	],
	"a folder that is not trusted": [() => {}, /^blockers\.trust: info: .*not marked as trusted/],
	"a folder below one that is trusted": [trusted(dirname), /^blockers\.trust: ok: .*is trusted, since .* is$/],
	"a value of a profile that does not fit": [
		({ store }) => {
			mkdirSync(join(store, "profiles"), { recursive: true });
			writeFileSync(join(store, "profiles", "mine.json"), '{"moment":"agnet"}');
		},
		/^store\.config: warn: .*mine\.json: moment: must be one of status, agent, auto/,
	],
	"a damaged file, quarantined": [
		({ store }) => {
			writeFileSync(join(store, "ccg.sqlite.damaged-20260301100000"), "{");
		},
		/^store\.files: warn: .*damaged, quarantined: .*ccg\.sqlite\.damaged-20260301100000/,
	],
	"a link in the store": [
		({ store, root }) => {
			mkdirSync(join(store, "sessions"), { recursive: true });
			symlinkSync(root, join(store, "sessions", "s"));
		},
		/^store\.files: fail: .*no hook works: .*sessions\/s is a symbolic link/,
	],
	"a store others may write": [
		({ store }) => chmodSync(store, 0o777),
		/^store\.modes: fail: .*others may write: .*\.claude-memory; look at what is in it, then run: chmod go-w/,
	],
	"notes others may write": [
		({ store }) => {
			const memory = join(store, "projects", "p", "MEMORY.md");
			mkdirSync(dirname(memory), { recursive: true });
			for (const path of [memory, join(store, "MEMORY.md")]) writeFileSync(path, "- x\n");
			for (const path of [memory, join(store, "MEMORY.md")]) chmodSync(path, 0o666);
		},
		/^store\.modes: warn: .*others may write: .*memory\/MEMORY\.md, .*projects\/p\/MEMORY\.md$/,
	],
	"failures in the log": [
		({ store }) => {
			mkdirSync(join(store, "log"));
			const line = (hours: number, text: string) =>
				`${new Date(Date.now() - hours * 3600_000).toISOString()} usage: ${text}\n`;
			writeFileSync(join(store, "log", "ccg.log"), `${line(30, "old")}${line(2, "first")}${line(1, "second")}`);
		},
		/^store\.log: warn: 2 in the last 24 hours, the last one: .*second$/,
	],
};

/** What stands in settings (the user's, the project's, managed ones) or ccg's configuration, and what is found: without `found` nothing fails. */
type InSettings = Record<string, { in: Record<string, object>; found?: string }>;

describe("finds", () => {
	test.each(Object.entries(IN_SETTINGS as unknown as InSettings))("%s", async (_, { in: files, found }) => {
		const fixture = makeFixture();
		await fixture.install();
		const paths = { user: fixture.user, project: fixture.project, config: join(fixture.store, "config.json") };
		for (const [name, value] of Object.entries(files)) {
			const path = paths[name as keyof typeof paths] ?? join(fixture.managed, name);
			settings(path, name === "user" ? (all) => Object.assign(all, value) : value);
		}
		const told = fixture.looked().map(({ id, status, detail }) => `${id}: ${status}: ${detail}`);
		if (found) expect(told).toContainEqual(expect.stringMatching(found));
		else expect(told.filter((one) => one.includes(": fail: "))).toEqual([]);
	});

	test.each(Object.entries(FINDINGS))("%s", async (_, [change, found]) => {
		const fixture = makeFixture();
		await fixture.install();
		await change(fixture);
		const before = listing(fixture.root);
		const told = fixture.looked().map(({ id, status, detail }) => `${id}: ${status}: ${detail}`);
		expect(told).toContainEqual(expect.stringMatching(found));
		expect(listing(fixture.root)).toEqual(before);
	});

	test("one installation where the project is the home folder; no place for a store", async () => {
		const fixture = makeFixture();
		await fixture.install();
		const checks = fixture.looked({ cwd: fixture.home });
		expect(checksOf({ checks }, "blockers.second")).toMatchObject([{ status: "ok" }]);
		const nowhere = makeFixture().looked({ env: { PATH: process.env.PATH } });
		expect(checksOf({ checks: nowhere }, "store.root")).toMatchObject([{ status: "fail" }]);
	});
});
