/** The lock on Node, which has no flock(2): the same one as Bun's, and free at once when its holder dies. */
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { withLock } from "../../src/store/kernel-lock.ts";
import { realNode } from "../kit/node.ts";
import { startBeside } from "../kit/process.ts";
import { scratch } from "../scratch-home.ts";

const REPO = resolve(import.meta.dirname, "../..");
const RUNNER = join(REPO, "dist/node.cjs");
const NODE = realNode();
let bundle: string;

beforeAll(async () => {
	expect(existsSync(RUNNER), "npm run build makes it").toBe(true);
	const folder = scratch("node-lock");
	const source = join(folder, "holder.ts");
	writeFileSync(
		source,
		`import { readFileSync, writeFileSync, writeSync } from "node:fs";
import { withLock } from ${JSON.stringify(join(REPO, "src/store/kernel-lock.ts"))};
const [, , lock, what, file] = process.argv;
if (what === "hold") withLock(lock, () => { writeSync(1, "held"); Bun.sleepSync(60_000); });
if (what === "try") {
	try {
		writeSync(1, withLock(lock, () => "mine", { waitMs: 0 }));
	} catch (error) {
		writeSync(1, error.code);
	}
}
if (what === "count")
	for (let i = 0; i < 10; i++)
		withLock(lock, () => {
			const now = Number(readFileSync(file, "utf8"));
			Bun.sleepSync(1);
			writeFileSync(file, String(now + 1));
		}, { waitMs: 50_000 });
`,
	);
	const { outputs } = await Bun.build({ entrypoints: [source], target: "bun", format: "cjs", outdir: folder });
	bundle = outputs[0]!.path;
});

const onNode = (...args: string[]) => startBeside([NODE!, RUNNER, bundle, ...args]);
const onBun = (...args: string[]) => startBeside([process.execPath, "--config=/dev/null", bundle, ...args]);

describe.skipIf(!NODE)("between Node and Bun", () => {
	test("what Node holds Bun waits for, and a killed Node frees it at once", async () => {
		const lock = join(scratch(), "a.lock");
		const holder = onNode(lock, "hold");
		await once(holder.stdout!, "data");
		expect(() => withLock(lock, () => 0, { waitMs: 20 })).toThrow(expect.objectContaining({ code: "ELOCKED" }));
		expect((await onNode(lock, "try")).stdout).toBe("ELOCKED");
		holder.kill("SIGKILL");
		await holder;
		expect(withLock(lock, () => "mine", { waitMs: 0 })).toBe("mine");
	});

	test("what Bun holds Node waits for, and gets when it is free", async () => {
		const lock = join(scratch(), "a.lock");
		const holder = onBun(lock, "hold");
		await once(holder.stdout!, "data");
		expect((await onNode(lock, "try")).stdout).toBe("ELOCKED");
		holder.kill("SIGKILL");
		await holder;
		expect((await onNode(lock, "try")).stdout).toBe("mine");
	});

	test("three of each count to sixty, and no count is lost", async () => {
		const folder = scratch();
		const [lock, file] = [join(folder, "a.lock"), join(folder, "count")];
		writeFileSync(file, "0");
		const all = [onNode, onBun, onNode, onBun, onNode, onBun].map((start) => start(lock, "count", file));
		for (const { exitCode, stderr } of await Promise.all(all)) expect([exitCode, stderr]).toEqual([0, ""]);
		expect(readFileSync(file, "utf8")).toBe("60");
	});
});
