import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isTempFileName } from "../../src/store/atomic-write.ts";
import { gitCarrier } from "../../src/sync/git.ts";
import { type GitOptions, runGit } from "../../src/sync/run-git.ts";
import { gitIn, programIn } from "../kit/git.ts";
import { membersAt, syncAll, type TestMachine } from "../kit/sync-machines.ts";
import { scratch } from "../scratch-home.ts";

function repository(name: string) {
	const base = scratch(`git-${name}`);
	const far = join(base, "far.git");
	gitIn(base, base, ["init", "-q", "--bare", "--shared", far]);
	const env = { HOME: base, PATH: process.env.PATH };
	const open = (at = "one") => gitCarrier(join(base, at), far, true, env);
	return { base, far, open, git: (...words: string[]) => gitIn(far, base, words) };
}
const machine = (n: number): string => n.toString(16).padStart(32, "0");

test("machines that put at once all do, and of what was replaced nothing stays as history", async () => {
	const { open, git } = repository("at-once");
	const carriers = await Promise.all(Array.from({ length: 8 }, (_, n) => open(`home-${n}`)));
	for (const round of [1, 2])
		await Promise.all(carriers.map((one, n) => one.put(machine(n), Buffer.from(`document ${n}, ${round}`))));
	for (const one of carriers) await one[Symbol.asyncDispose]();
	const reader = await open();
	const listed = await reader.list();
	expect(listed.map((one) => one.machine).sort()).toEqual(carriers.map((_, n) => machine(n)));
	for (const [n] of carriers.entries()) expect(String(await reader.get(machine(n)))).toBe(`document ${n}, 2`);
	expect(git("rev-list", "--all").trim().split("\n")).toHaveLength(8);
	expect(await reader.get(machine(99))).toBeNull();
	// what is taken away is gone, and once more is no failure
	for (const one of [await open(), reader]) await one.put(machine(1), null);
	expect((await (await open()).list()).length).toBe(7);
});

test("by ssh the other half is the host's own, and gets nothing of this machine's settings", async () => {
	const { base, far } = repository("ssh");
	mkdirSync(join(base, "bin"));
	const trace = join(base, "trace");
	const ssh = `#!/bin/sh\necho "$*" >>'${trace}'\nfor last; do :; done\nexec sh -c "$last"\n`;
	writeFileSync(join(base, "bin", "ssh"), ssh, { mode: 0o755 });
	const env = { HOME: base, PATH: `${join(base, "bin")}:${process.env.PATH}` };
	for (const text of ["one", "two"]) {
		await using writer = await gitCarrier(join(base, "one"), `me@host.example:${far}`, false, env);
		await writer.put(machine(1), Buffer.from(text));
	}
	await using reader = await gitCarrier(join(base, "one"), `ssh://me@host.example${far}`, false, env);
	expect(String(await reader.get(machine(1)))).toBe("two");
	expect(readFileSync(trace, "utf8")).toMatch(/^me@host.example git-receive-pack '.*far.git'$/m);
	expect(readFileSync(trace, "utf8")).not.toMatch(/hooksPath|GIT_ALLOW/);
});

test("the lock of a git that was killed at the remote keeps nobody from writing", async () => {
	const { far, open } = repository("locked");
	const put = async (text: string): Promise<void> => (await open()).put(machine(1), Buffer.from(text));
	await put("one");
	writeFileSync(join(far, "refs/notes/ccg", `${machine(1)}.lock`), "");
	await put("two");
	expect(String(await (await open()).get(machine(1)))).toBe("two");
});

test("nothing stays of a carrier that was closed, and what one that was killed leaves `ccg gc` takes", async () => {
	const { base, open } = repository("stays");
	const [closed, killed] = [await open(), await open()];
	for (const one of [closed, killed]) await one.put(machine(1), Buffer.from("one"));
	await closed[Symbol.asyncDispose]();
	const [left = "", ...more] = readdirSync(join(base, "one"));
	expect(more).toEqual([]);
	expect(isTempFileName(left)).toBe(true);
});

test("a git that fails, is not there, gives too much or takes too long is said, and ended with all that it started", async () => {
	const base = scratch("git-fails");
	const run = (lines: string, more: Partial<GitOptions> = {}) =>
		runGit(["hash-object", "--stdin"], { env: { HOME: base, PATH: programIn(base, lines) }, ...more });
	const input = Buffer.alloc(4 * 1024 * 1024);
	await expect(run("echo 'fatal: no room' >&2; exit 3", { input })).rejects.toThrow("git hash-object: fatal: no room");
	await expect(run("exit 3", { input })).rejects.toThrow("git hash-object: it ended with 3");
	await expect(run("exec yes", { maxOut: 1000 })).rejects.toThrow("or gave over 1000 bytes");
	const large = join(base, "large");
	await expect(run(`exec dd if=/dev/zero of=${large} bs=1M count=64`)).rejects.toThrow("git hash-object: ");
	expect(statSync(large).size).toBe(16 * 1024 * 1024);
	await expect(runGit(["version"], { env: { HOME: base, PATH: base } })).rejects.toThrow("git is not on the PATH");
	const began = performance.now();
	const over = join(base, "over");
	await expect(run(`(sleep 2; echo >${over}) & sleep 60`, { timeMs: 300 })).rejects.toThrow("it took over 0.3 s");
	expect(performance.now() - began).toBeLessThan(1_900);
	await Bun.sleep(2_000);
	expect(existsSync(over)).toBe(false);
});

test("an exchange with nothing new starts git once, one that sends four times, one that reads too", async () => {
	const { base, far } = repository("counted");
	const trace = join(base, "trace");
	// (git starts the other half of a transfer without its own repository in the environment)
	const path = programIn(base, `[ -z "$GIT_DIR" ] || echo >>'${trace}'`);
	const [ann, bob] = (await membersAt(base, `git:${far}`, ["ann", "bob"])) as [TestMachine, TestMachine];
	for (const one of [ann, bob]) one.startWith(path);
	bob.save("one");
	await syncAll([ann, bob]);
	const startedBy = async (one: TestMachine): Promise<number> => {
		writeFileSync(trace, "");
		await one.sync();
		return readFileSync(trace, "utf8").length;
	};
	expect(await startedBy(ann)).toBe(1);
	bob.save("two");
	expect([await startedBy(bob), await startedBy(ann)]).toEqual([4, 4]);
	expect(ann.foreign()).toEqual(["one", "two"]);
});
