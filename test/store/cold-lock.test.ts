import { once } from "node:events";
import { existsSync, mkdirSync, rmdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withColdLock, withFileLock } from "../../src/store/cold-lock.ts";
import { startBun } from "../kit/process.ts";
import { scratch } from "../scratch-home.ts";

const MODULE = join(import.meta.dirname, "../../src/store/cold-lock.ts");

/** Another process that holds the lock until it is killed. */
async function holder(folder: string, lock: string) {
	const file = join(folder, "holder.ts");
	const hold = `import { withColdLock, withFileLock } from ${JSON.stringify(MODULE)};
void withColdLock(${JSON.stringify(lock)}, async () => { console.log("held"); await Bun.sleep(60_000); });`;
	writeFileSync(file, hold);
	const child = startBun([file]);
	await once(child.stdout, "data");
	// in an object: awaited, it would be waited for
	return { child };
}

test("gives the result and leaves nothing that was made for it", async () => {
	const folder = scratch();
	const lock = join(folder, "store", "run", "work");
	expect(await withColdLock(lock, async () => 42)).toBe(42);
	expect(existsSync(join(folder, "store"))).toBe(false);
	await expect(withColdLock(lock, () => Promise.reject(new Error("inside")))).rejects.toThrow("inside");
	expect(await withColdLock(lock, () => "again", { waitMs: 0 })).toBe("again");
});

test("one at a time", async () => {
	const lock = join(scratch(), "work");
	let inside = 0;
	let most = 0;
	const act = async (): Promise<void> => {
		most = Math.max(most, ++inside);
		await Bun.sleep(20);
		inside--;
	};
	await Promise.all(Array.from({ length: 6 }, () => withColdLock(lock, act)));
	expect(most).toBe(1);
});

test("held by another process it is refused, and taken over at once when that one was killed", async () => {
	const folder = scratch();
	const lock = join(folder, "work");
	const { child } = await holder(folder, lock);
	await expect(withColdLock(lock, () => 0, { waitMs: 0 })).rejects.toThrow(
		expect.objectContaining({ code: "ELOCKED", message: expect.stringContaining("another ccg is at work") }),
	);
	child.kill("SIGKILL");
	await child;
	// what it left would block proper-lockfile alone for half a minute
	expect(existsSync(join(`${lock}.lock`, "held"))).toBe(true);
	expect(await withColdLock(lock, () => "mine", { waitMs: 1_000 })).toBe("mine");
});

test("where it can't be made: an error, or without it when that will do", async () => {
	const folder = scratch();
	writeFileSync(join(folder, "plain"), "");
	const lock = join(folder, "plain", "run", "work");
	await expect(withColdLock(lock, () => 0)).rejects.toThrow(/ENOTDIR|EEXIST/);
	expect(await withColdLock(lock, () => "done", { ifPossible: true })).toBe("done");
	mkdirSync(join(folder, "outside"));
	symlinkSync(join(folder, "outside"), join(folder, "linked.lock"));
	await expect(withColdLock(join(folder, "linked"), () => 0)).rejects.toThrow();
});

test("another program's lock beside a file is waited for, kept while it works, and refused when it stays", async () => {
	const path = join(scratch(), "file.json");
	mkdirSync(`${path}.lock`);
	await expect(withFileLock(path, async () => 0, { waitMs: 100 })).rejects.toThrow(
		expect.objectContaining({ code: "ELOCKED", message: expect.stringContaining("written by another program") }),
	);
	const waiting = withFileLock(path, async () => existsSync(`${path}.lock`));
	await Bun.sleep(100);
	rmdirSync(`${path}.lock`);
	expect([await waiting, existsSync(`${path}.lock`)]).toEqual([true, false]);
	// one whose holder was killed
	mkdirSync(`${path}.lock`);
	utimesSync(`${path}.lock`, 1, 1);
	expect(await withFileLock(path, async () => "mine")).toBe("mine");
	await expect(withFileLock(path, async () => Promise.reject(new Error("no")))).rejects.toThrow("no");
	expect(existsSync(`${path}.lock`)).toBe(false);
});
