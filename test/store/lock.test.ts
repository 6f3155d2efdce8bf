import { once } from "node:events";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withLock, withLongLock } from "../../src/store/lock.ts";
import { startBun } from "../kit/process.ts";
import { scratch } from "../scratch-home.ts";

const MODULE = join(import.meta.dirname, "../../src/store/lock.ts");

/** Another process that holds a lock until it is killed. */
async function holder(folder: string, lock: string) {
	const file = join(folder, `holder-${Math.random().toString(36).slice(2)}.ts`);
	writeFileSync(
		file,
		`import { withLock } from ${JSON.stringify(MODULE)};
withLock(${JSON.stringify(lock)}, () => { console.log("held"); Bun.sleepSync(60_000); }, 0);`,
	);
	const child = startBun([file]);
	await once(child.stdout, "data");
	// in an object: awaited, it would be waited for
	return { child };
}

test("gives the result and is free after success and failure", async () => {
	const lock = join(scratch(), "run", "a");
	const fails = () => {
		throw new Error("inside");
	};
	expect(withLock(lock, () => 42, 0)).toBe(42);
	expect(() => withLock(lock, fails, 0)).toThrow("inside");
	await expect(withLongLock(lock, fails)).rejects.toThrow("inside");
	expect(withLock(lock, () => "again", 0)).toBe("again");
});

test("another holder is waited for no longer than told; killed, its lock is free at once", async () => {
	const folder = scratch();
	const lock = join(folder, "a.lock");
	const { child } = await holder(folder, lock);
	const refused = expect.objectContaining({ code: "ELOCKED", message: expect.stringContaining(lock) });
	const start = performance.now();
	expect(() => withLock(lock, () => 0, 50)).toThrow(refused);
	await expect(withLongLock(join(folder, "a"), () => 0, { waitMs: 0 })).rejects.toThrow("another ccg is at work");
	let ticks = 0;
	const ticking = setInterval(() => ticks++, 10);
	await expect(withLongLock(join(folder, "a"), () => 0, { waitMs: 300 })).rejects.toThrow(refused);
	clearInterval(ticking);
	// the process goes on meanwhile
	expect(ticks).toBeGreaterThan(3);
	expect(performance.now() - start).toBeLessThan(2_000);
	child.kill("SIGKILL");
	await once(child, "exit");
	expect(withLock(lock, () => "mine", 0)).toBe("mine");
});

test("a link in its place is refused", () => {
	const folder = scratch();
	writeFileSync(join(folder, "other"), "theirs");
	symlinkSync(join(folder, "other"), join(folder, "a.lock"));
	expect(() => withLock(join(folder, "a.lock"), () => 0, 0)).toThrow("no regular file");
	expect(readFileSync(join(folder, "other"), "utf8")).toBe("theirs");
});
