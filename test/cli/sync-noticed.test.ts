import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { runCcg } from "../kit/ccg.ts";
import { LAUNCHER, run } from "../kit/sandbox.ts";
import { type Home, joinsFor, twoHomes } from "../kit/sync-commands.ts";

afterEach(() => void vi.useRealTimers());

/** Two homes that share a project by a folder, and a copy of the first one. */
async function homes() {
	const { base, place, ann, bob } = twoHomes("noticed");
	await ann.ccg("memory", "save", "tests run with bun");
	await joinsFor(await ann.init(place), ann, bob);
	await ann.ccg("sync", "now");
	/** A copy of a home in use: its project's folder is the same, as on another machine. */
	const copyOf = ({ home, project }: Home, name: string) => {
		const HOME = join(base, name);
		cpSync(home, HOME, { recursive: true });
		const ccg = (...args: string[]) => run([LAUNCHER, ...args], { env: { HOME, PATH: "/usr/bin:/bin" }, cwd: project });
		return { ccg, store: join(HOME, ".claude-memory") };
	};
	return { ann, bob, base, place, copyOf };
}

test("a clock that is hours ahead is said by the one that sees it, and accuses nobody", async () => {
	const { ann, bob } = await homes();
	const said = `the clock of ann on `;
	const quiet = await bob.ccg("sync", "now");
	expect([quiet.err, (await bob.ccg("sync", "status")).out]).toEqual(["", expect.not.stringContaining("clock")]);
	vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5 * 3_600_000 });
	const called = { env: { HOME: ann.home, USER: "ann" }, cwd: ann.project };
	await runCcg(["memory", "save", "from the future"], called);
	expect(await runCcg(["sync", "now"], called)).toMatchObject({ code: 0 });
	vi.useRealTimers();
	const now = await bob.ccg("sync", "now");
	expect(now).toMatchObject({ code: 0, err: expect.stringContaining(said) });
	expect(now.err).toMatch(/is 5 hours ahead of this machine's: set the one that is wrong/);
	for (const command of ["sync", "status"]) expect((await bob.ccg(command)).out).toContain(said);
	expect(bob.shared()).toContain("from the future");
	expect((await ann.ccg("sync", "now")).err).toBe("");
});

test("a copied home on another machine is refused, with what to do, and becomes one of its own", async () => {
	const { ann, copyOf, place } = await homes();
	const copy = copyOf(ann, "copy");
	const path = join(copy.store, "sync", "machine.json");
	writeFileSync(path, readFileSync(path, "utf8").replace(/"host":"[0-9a-f]+"/, '"host":"0123456789abcdef"'));
	for (const args of [["sync", "now"], ["sync", "status"], ["status"]]) {
		const { out, err } = await copy.ccg(...args);
		expect(out + err).toContain("this home is a copy. To make this a machine of its own: ");
		expect(out + err).toContain(`ccg sync join ${place}`);
	}
	const [, code] = /ccg sync join ([0-9a-f-]{23})/.exec((await copy.ccg("sync", "join", place)).out)!;
	expect((await ann.ccg("sync", "join", code!)).code).toBe(0);
	expect((await copy.ccg("sync", "now")).code).toBe(0);
	expect((await ann.json("sync", "status")).members).toHaveLength(3);
});

test("two machines that write as one are noticed, break nothing, and are told apart again", async () => {
	const { ann, bob, copyOf, place } = await homes();
	const copy = copyOf(ann, "copy");
	// one after the other: the copy's words come to the first as its own
	await copy.ccg("memory", "save", "of the copy");
	expect(await copy.ccg("sync", "now")).toMatchObject({ code: 0, err: "" });
	const came = await ann.ccg("sync", "now");
	expect(came).toMatchObject({
		code: 1,
		err: expect.stringContaining("1 batch of this machine came that its store did not"),
	});
	expect(came.err).toContain(`ccg sync join ${place} --anew`);
	expect((await ann.ccg("status")).out).toContain("1 problem: ");
	// at once
	await bob.ccg("memory", "save", "of bob");
	for (const one of [bob, ann, copy]) await one.ccg("sync", "now");
	await ann.ccg("memory", "edit", "of bob", "of ann");
	await copy.ccg("memory", "edit", "of bob", "of the copy too");
	expect((await ann.ccg("sync", "now")).code).toBe(0);
	const forked = await copy.ccg("sync", "now");
	expect(forked).toMatchObject({ code: 1, err: expect.stringContaining("another machine writes as this one") });
	await copy.ccg("memory", "save", "later");
	expect(await copy.ccg("sync", "now")).toMatchObject({ code: 1, err: expect.stringContaining("--anew") });
	// what it wrote went nowhere
	for (const one of [bob, ann]) expect(await one.ccg("sync", "now")).toMatchObject({ code: 0, err: "" });
	const [, code] = /ccg sync join ([0-9a-f-]{23})/.exec((await copy.ccg("sync", "join", place, "--anew")).out)!;
	await ann.ccg("sync", "join", code!);
	const id = (await ann.json("sync", "status")).projects[0].id;
	expect(await copy.ccg("sync", "init", "--project", id, "--yes")).toMatchObject({ code: 0, err: "" });
	expect(await bob.ccg("sync", "now")).toMatchObject({ code: 0, err: "" });
	for (const text of ["tests run with bun", "of the copy too", "later", "of ann"])
		expect(bob.shared()).toContain(`: ${text}\n`);
});

test("who leaves a space where another one writes as it does takes nothing of that one's away", async () => {
	const { ann, bob, copyOf } = await homes();
	const copy = copyOf(ann, "copy");
	await bob.ccg("memory", "save", "of bob");
	for (const one of [bob, ann, copy]) await one.ccg("sync", "now");
	await ann.ccg("memory", "edit", "of bob", "of ann");
	await copy.ccg("memory", "edit", "of bob", "of the copy");
	await ann.ccg("sync", "now");
	expect(await copy.ccg("sync", "leave", "--yes")).toMatchObject({
		code: 0,
		err: expect.stringContaining("stays in the space"),
	});
	expect(await ann.ccg("sync", "now")).toMatchObject({ code: 0, err: "" });
	await bob.ccg("sync", "now");
	expect(bob.shared()).toMatch(/tests run with bun\n.*: of ann\n/);
});

test("a store that was restored from a backup is told so, gets back what it wrote, and goes on", async () => {
	const { ann, bob, base, place, copyOf } = await homes();
	const backup = copyOf(ann, "backup");
	await ann.ccg("memory", "save", "after the backup");
	await ann.ccg("sync", "now");
	await bob.ccg("sync", "now");
	const restore = (): void => {
		rmSync(ann.store, { recursive: true });
		cpSync(backup.store, ann.store, { recursive: true });
	};
	restore();
	const first = await ann.ccg("sync", "now");
	expect(first).toMatchObject({ code: 1, err: expect.stringContaining("a backup was restored") });
	expect(await ann.ccg("sync", "now")).toMatchObject({ code: 0, err: "" });
	expect(ann.memory()).toContain("tests run with bun");
	expect(ann.shared()).toMatch(/ann on .*: after the backup/);
	// a carrier that was restored too: what others have seen is said, and nothing is written over it
	restore();
	const own = (await ann.json("sync", "status")).machine;
	const [space] = [(await ann.json("sync", "status")).space];
	await bob.ccg("memory", "save", "bob has seen it");
	await bob.ccg("sync", "now");
	const log = join(place, "ccg-sync", space, own);
	renameSync(log, join(base, "gone"));
	await ann.ccg("memory", "save", "not known to anybody");
	const stuck = await ann.ccg("sync", "now");
	expect(stuck).toMatchObject({ code: 1, err: expect.stringContaining("its store was restored or copied") });
	expect(stuck.err).toContain("leave and join anew");
});
