import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Core, HISTORY, runHistory } from "../kit/sync-histories.ts";
import { scratch } from "../scratch-home.ts";

const SRC = resolve(import.meta.dirname, "../../src");
const PARTS = ["log", "state", "keys", "tables", "exchange", "batch", "epochs"] as const;

const coreIn = async (folder: string): Promise<Core> =>
	Object.fromEntries(await Promise.all(PARTS.map(async (part) => [part, await import(join(folder, `${part}.ts`))])));

/** `npm run test:all` runs thousands (convergence.long.test.ts). */
const RUNS = Number(process.env.CCG_TEST_HISTORIES ?? 10);

const histories = (core: Core, runs: number, more: { endOnFailure?: boolean; seed?: number } = {}) =>
	fc.check(
		fc.asyncProperty(HISTORY, async (history) => {
			const folder = scratch("history");
			await runHistory(core, history, folder);
			rmSync(folder, { recursive: true });
		}),
		{ numRuns: runs, interruptAfterTimeLimit: 900_000, ...more },
	);

test("whatever happens on the way, all replicas are equal in the end and nothing is lost", {
	timeout: 1_000_000,
}, async () => {
	const found = await histories(await coreIn(join(SRC, "sync")), RUNS);
	expect(found.failed, fc.defaultReportMessage(found) ?? "").toBe(false);
});

/** Faults of a kind that such code has had. The histories must find each. */
const PLANTED: [what: string, file: string, from: string, to: string][] = [
	[
		"what is replaced before it comes is forgotten",
		"log.ts",
		"if (!wasApplied(log, id)) log.rows.query(",
		"if (id === '') log.rows.query(",
	],
	[
		"what was sent once is not offered again",
		"exchange.ts",
		"for (let next = held + 1; ; ) {",
		"const mark = ((log.rows as unknown as { sent?: { at: number } }).sent ??= { at: 0 }); const begin = Math.max(held, mark.at) + 1; mark.at = held + all; for (let next = begin; ; ) {",
	],
	[
		"the newest of two texts takes the other's place",
		"log.ts",
		"for (const one of op.replaces ?? []) replace(log, one, op, about);",
		"{ for (const one of op.replaces ?? []) replace(log, one, op, about); log.rows.query('DELETE FROM live WHERE item = ? AND field = ? AND clock < ?').run(op.item as never, op.field as never, clock as never); }",
	],
]; // prettier-ignore

test.each(PLANTED)("a planted fault is found: %s", { timeout: 300_000 }, async (_, file, from, to) => {
	const root = scratch("planted");
	mkdirSync(join(root, "src"));
	for (const room of readdirSync(SRC)) if (room !== "sync") symlinkSync(join(SRC, room), join(root, "src", room));
	cpSync(join(SRC, "sync"), join(root, "src", "sync"), { recursive: true });
	const path = join(root, "src", "sync", file);
	const text = readFileSync(path, "utf8");
	expect(text.split(from).length).toBe(2);
	writeFileSync(path, text.replace(from, to));
	const found = await histories(await coreIn(join(root, "src", "sync")), 300, { endOnFailure: true });
	expect(found.failed).toBe(true);
});
