/**
 * `npm run bench:store`: what the store costs beside bare file work on the same bytes, in one run: load and save of a session's
 * state of about 100 KB. Each pair is timed A B, B A, …; a ratio is that of the medians. `--json`, `--runs N`.
 */

import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { emptySnapshot, type SessionSnapshot } from "../src/core/context/session-context.ts";
import { emptyState, type SessionState } from "../src/core/state/session-state.ts";
import { appendLines } from "../src/store/append-line.ts";
import { withLock } from "../src/store/kernel-lock.ts";
import { sessionPaths } from "../src/store/paths.ts";
import { loadSnapshot, saveSnapshot } from "../src/store/session/session-snapshot.ts";
import { sessionAt } from "../src/store/session-handle.ts";
import { storeAt } from "../test/kit/store.ts";
import { median } from "./latency/timed.ts";

const { values } = parseArgs({ options: { json: { type: "boolean" }, runs: { type: "string", default: "400" } } });
const root = mkdtempSync(join(tmpdir(), "ccg-bench-store-"));
const state = stateOf(100_000);
const NOW = new Date();
const snapshot: SessionSnapshot = { ...emptySnapshot("s", 1), state };
saveSnapshot(sessionAt(storeAt(root), "s"), snapshot);
const path = sessionPaths(root, "s").state;
const bytes = readFileSync(path);
const text = bytes.toString("utf8");
const value = JSON.parse(text) as object;
const other = join(root, "other.json");

/** What is timed, the bare work beside it, and why they differ. */
const PAIRS: [name: string, act: () => unknown, base: string, bare: () => unknown][] = [
	[
		"load",
		() => loadSnapshot(sessionAt(storeAt(root), "s"), NOW),
		"read + JSON.parse",
		() => JSON.parse(readFileSync(path, "utf8")),
	],
	["load", () => loadSnapshot(sessionAt(storeAt(root), "s"), NOW), "read", () => readFileSync(path)],
	["load", () => loadSnapshot(sessionAt(storeAt(root), "s"), NOW), "JSON.parse", () => JSON.parse(text)],
	[
		"save",
		() => saveSnapshot(sessionAt(storeAt(root), "s"), snapshot),
		"JSON.stringify + write + rename",
		() => replace(JSON.stringify(value)),
	],
	["save", () => saveSnapshot(sessionAt(storeAt(root), "s"), snapshot), "write + rename", () => replace(text)],
	[
		"append a line of 200 bytes",
		() => appendLines(join(root, "a.log"), LINE),
		"write + rename of 200 bytes",
		() => replace(LINE),
	],
	[
		"lock and unlock",
		() => withLock(join(root, "run", "lock"), () => 0),
		"write + rename of 200 bytes",
		() => replace(LINE),
	],
];
const LINE = `${"x".repeat(199)}\n`;

const rows = PAIRS.map(([name, act, base, bare]) => {
	const times: [number[], number[]] = [[], []];
	for (let i = 0; i < Number(values.runs) + 20; i++)
		for (const which of i % 2 ? [0, 1] : [1, 0]) {
			const start = performance.now();
			(which ? bare : act)();
			const ms = performance.now() - start;
			// the first ones warm up
			if (i >= 20) times[which]!.push(ms);
		}
	const [ms, baseMs] = [median(times[0]), median(times[1])];
	return { name, base, ms, baseMs, ratio: ms / baseMs };
});
rmSync(root, { recursive: true, force: true });
if (values.json) console.log(JSON.stringify({ bytes: bytes.length, rows }, null, 2));
else {
	console.log(`state of ${bytes.length} bytes, ${values.runs} rounds, medians`);
	for (const { name, base, ms, baseMs, ratio } of rows)
		console.log(
			`${name.padEnd(28)}${ms.toFixed(3).padStart(8)} ms  ${ratio.toFixed(2).padStart(6)} × ${base} (${baseMs.toFixed(3)} ms)`,
		);
}

function replace(content: string): void {
	writeFileSync(`${other}.tmp`, content);
	renameSync(`${other}.tmp`, other);
}

/** A state as a long session has one. */
function stateOf(size: number): SessionState {
	const made = emptyState();
	const at = "2026-03-01T10:00:00.000Z";
	for (let order = 0; JSON.stringify(made).length < size; order++) {
		const words = `Message ${order}: keep the parser as it is and run the tests after each change. `.repeat(3);
		made.messages.push({ at, order, source: "typed", text: words, directives: [words.slice(0, 60)] });
		made.files.push({
			path: `/project/src/module-${order}/file-${order}.ts`,
			edits: order % 7,
			reads: order % 5,
			order,
			at,
		});
		made.commands.push({ command: `npm test -- module-${order}`, failed: order % 9 === 0, order, at });
		made.order = order;
	}
	return made;
}
