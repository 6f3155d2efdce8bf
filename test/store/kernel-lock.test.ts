import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withLock } from "../../src/store/kernel-lock.ts";
import { startBun } from "../kit/process.ts";
import { scratch } from "../scratch-home.ts";

const MODULE = join(import.meta.dirname, "../../src/store/kernel-lock.ts");

/** Another process that runs `code` with `withLock` in reach. */
function other(folder: string, code: string) {
	const file = join(folder, `other-${Math.random().toString(36).slice(2)}.ts`);
	writeFileSync(file, `import { withLock } from ${JSON.stringify(MODULE)};\nimport * as fs from "node:fs";\n${code}`);
	return startBun([file]);
}

test("gives the result, frees the lock after success and failure, keeps the file", () => {
	const lock = join(scratch(), "run", "a.lock");
	expect(withLock(lock, () => 42)).toBe(42);
	expect(() =>
		withLock(lock, () => {
			throw new Error("inside");
		}),
	).toThrow("inside");
	expect(withLock(lock, () => "again", { waitMs: 0 })).toBe("again");
	expect(existsSync(lock)).toBe(true);
});

test("a second holder waits no longer than it is told, then says so", () => {
	const lock = join(scratch(), "a.lock");
	withLock(lock, () => {
		const start = performance.now();
		expect(() => withLock(lock, () => 0, { waitMs: 50 })).toThrow(
			expect.objectContaining({ code: "ELOCKED", message: expect.stringContaining(lock) }),
		);
		expect(performance.now() - start).toBeLessThan(1000);
	});
});

test("a killed holder's lock is free at once", async () => {
	const folder = scratch();
	const lock = join(folder, "a.lock");
	const holder = other(
		folder,
		`withLock(${JSON.stringify(lock)}, () => { console.log("held"); Bun.sleepSync(60_000); });`,
	);
	await once(holder.stdout, "data");
	expect(() => withLock(lock, () => 0, { waitMs: 20 })).toThrow("could not be locked");
	holder.kill("SIGKILL");
	await once(holder, "exit");
	const start = performance.now();
	expect(withLock(lock, () => "mine")).toBe("mine");
	expect(performance.now() - start).toBeLessThan(500);
});

test("with removing the file goes, and who waited for it holds the one that is there then", async () => {
	const folder = scratch();
	const lock = join(folder, "a.lock");
	let waiter: ReturnType<typeof other> | undefined;
	withLock(
		lock,
		() => {
			waiter = other(
				folder,
				`fs.writeFileSync("${folder}/waits", "");
				withLock(${JSON.stringify(lock)}, () => { console.log("held"); Bun.sleepSync(60_000); }, { waitMs: 10_000 });`,
			);
			while (!existsSync(join(folder, "waits"))) Bun.sleepSync(5);
			// time to open the file that is about to go
			Bun.sleepSync(100);
		},
		{ removing: true },
	);
	await once(waiter!.stdout!, "data");
	expect(existsSync(lock)).toBe(true);
	expect(() => withLock(lock, () => 0, { waitMs: 20 })).toThrow("could not be locked");
	waiter!.kill("SIGKILL");
	await once(waiter!, "exit");
	withLock(lock, () => {}, { removing: true });
	expect(existsSync(lock)).toBe(false);
});

test.each([false, true])(
	"16 processes adding lines by reading and replacing lose none (removing: %s)",
	async (removing) => {
		const folder = scratch();
		const lock = join(folder, "a.lock");
		const file = join(folder, "lines");
		writeFileSync(file, "");
		const add = (writer: number) => `
		for (let i = 0; i < 5; i++)
			withLock(${JSON.stringify(lock)}, () => {
				const before = fs.readFileSync(${JSON.stringify(file)}, "utf8");
				Bun.sleepSync(1);
				fs.writeFileSync(${JSON.stringify(file)}, before + "${writer}-" + i + "\\n");
			}, { waitMs: 15_000, removing: ${removing} && i % 2 === 0 });`;
		const writers = Array.from({ length: 16 }, (_, writer) => other(folder, add(writer)));
		const codes = await Promise.all(writers.map(async (writer) => (await writer).exitCode));
		expect(codes).toEqual(Array(16).fill(0));
		expect(new Set(readFileSync(file, "utf8").trim().split("\n")).size).toBe(80);
	},
);
