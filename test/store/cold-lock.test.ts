import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withColdLock } from "../../src/store/cold-lock.ts";
import { scratch } from "../scratch-home.ts";

const MODULE = join(import.meta.dirname, "../../src/store/cold-lock.ts");

/** Another process that holds the lock until it is killed. */
async function holder(folder: string, lock: string) {
	const file = join(folder, "holder.ts");
	const hold = `import { withColdLock } from ${JSON.stringify(MODULE)};
void withColdLock(${JSON.stringify(lock)}, async () => { console.log("held"); await Bun.sleep(60_000); });`;
	writeFileSync(file, hold);
	const child = spawn(process.execPath, ["--config=/dev/null", "--no-env-file", file], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	await once(child.stdout, "data");
	return child;
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
	const child = await holder(folder, lock);
	await expect(withColdLock(lock, () => 0, { waitMs: 0 })).rejects.toThrow(
		expect.objectContaining({ code: "ELOCKED", message: expect.stringContaining("another ccg is at work") }),
	);
	child.kill("SIGKILL");
	await once(child, "exit");
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
