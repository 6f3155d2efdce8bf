/** A database that a disk has damaged, at 120 places drawn by a seed: the daily look and whoever reads must see it, or read what stood there. */
import { Database } from "bun:sqlite";
import { copyFileSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CheckpointContent } from "../../src/core/checkpoint/checkpoint.ts";
import { emptyState } from "../../src/core/state/session-state.ts";
import { isOnLocalDisk } from "../../src/files/quietly.ts";
import { copyStore, readFromStore, writeToStore } from "../../src/store/database.ts";
import { databasePath } from "../../src/store/paths.ts";
import { addCheckpoint, listStoredCheckpoints, readCheckpointFile } from "../../src/store/recovery/checkpoints.ts";
import { changeCycle } from "../../src/store/session/cycles.ts";
import { readRecord, readRecordOrEmpty, writeRecord } from "../../src/store/session/records.ts";
import { type Store, sessionHandle } from "../../src/store/session-handle.ts";
import { startBun } from "../kit/process.ts";
import { storeAt, writeBack } from "../kit/store.ts";
import { scratch } from "../scratch-home.ts";
import { Draw } from "../security/redaction-corpus/draw.ts";

const SRC = join(import.meta.dirname, "../../src");
const PAGE = 4096;
const EACH = Number(process.env.CCG_TEST_DAMAGES ?? 24);
const SESSIONS = Array.from({ length: 12 }, (_, i) => `s-${i}`);

type Damage = (bytes: Buffer, draw: Draw) => Buffer;
const pageOf = (bytes: Buffer, draw: Draw): number => draw.below(bytes.length / PAGE) * PAGE;

const DAMAGES: Record<string, Damage> = {
	"a byte changed": (bytes, draw) => {
		bytes[draw.below(bytes.length)]! ^= 1 + draw.below(255);
		return bytes;
	},
	"sixteen bytes changed": (bytes, draw) => {
		const at = draw.below(bytes.length - 16);
		return bytes.fill(draw.filled("{base64:16}"), at, at + 16);
	},
	"a page zeroed": (bytes, draw) => {
		const at = pageOf(bytes, draw);
		return bytes.fill(0, at, at + PAGE);
	},
	"a page of another place": (bytes, draw) => {
		const from = pageOf(bytes, draw);
		bytes.copy(bytes, pageOf(bytes, draw), from, from + PAGE);
		return bytes;
	},
	"cut short": (bytes, draw) => bytes.subarray(0, draw.below(bytes.length)),
};

/** A store, and what it told. */
function listened(name: string): { store: Store; path: string; told: string[] } {
	const told: string[] = [];
	const store = storeAt(join(scratch(name), "store"), (problem) => told.push(problem));
	mkdirSync(store.root, { mode: 0o700 });
	return { store, path: databasePath(store.root), told };
}

const contentOf = (note: string): CheckpointContent => ({
	...{ trigger: "manual", type: "manual", projectDir: "/p", transcriptPath: "", project: "p" },
	...{ state: emptyState(), workspace: null, note },
});

function filled(store: Store): void {
	for (const [i, id] of SESSIONS.entries()) {
		const session = sessionHandle(store, id);
		const words = (n: number) => Array.from({ length: n }, (_, k) => `word${(k * 7919 + i * 131) % 9973}`).join(" ");
		const kept = readRecordOrEmpty(session, new Date());
		Object.assign(kept.record.state, { cwd: `/p/${words(3)}`, model: words(200 * (i + 1)) });
		writeRecord(session, kept);
		changeCycle(session, (cycle) => void Object.assign(cycle, { number: i + 1, key: words(4) }));
		for (const n of [0, 1, 2])
			addCheckpoint(session, new Date(1_800_000_000_000 + n * 60_000), contentOf(words(300 * (n + 1))));
	}
	// all of it in the file itself
	writeBack(databasePath(store.root));
}

/** All that stands in it, as its readers give it; and whether one of them met something. */
function readAll(store: Store): { all: unknown; isMet: boolean } {
	const sessions = SESSIONS.map((id) => {
		const session = sessionHandle(store, id);
		const listed = listStoredCheckpoints(session, { sid: id });
		const files = listed.map(({ key }) => readCheckpointFile(session, key));
		return { record: readRecord(session)?.text, cycle: changeCycle(session, (one) => ({ ...one })), listed, files };
	});
	const rest = readFromStore(store, (database) => database.query("SELECT session, hash FROM heard").values());
	const isMet = sessions.some(
		({ record, files }) => record === "" || files.some(({ problem, seal }) => problem !== undefined || seal !== "good"),
	);
	return { all: { sessions, rest }, isMet };
}

/** Which of those who look at a damaged database meets it. */
function seenBy({ store, told }: ReturnType<typeof listened>, all: unknown): string {
	try {
		copyStore(store);
		if (told.length > 0) return "daily look";
		const read = readAll(store);
		if (told.length > 0 || read.isMet) return "reading";
		return Bun.deepEquals(read.all, all) ? "harmless" : "unnoticed";
	} catch {
		return "an error";
	}
}

test("a damage is seen by the daily look or by who reads, or all reads as it stood", () => {
	const whole = listened("damage");
	filled(whole.store);
	const { all } = readAll(whole.store);
	const bytes = readFileSync(whole.path);
	const seen: Record<string, number> = {};
	for (const [kind, damage] of Object.entries(DAMAGES))
		for (let seed = 1; seed <= EACH; seed++) {
			const one = listened("damaged");
			writeFileSync(one.path, damage(Buffer.from(bytes), new Draw(seed * 7 + kind.length)), { mode: 0o600 });
			copyFileSync(whole.path, `${one.path}.copy`);
			const by = `${kind}: ${seenBy(one, all)}`;
			seen[by] = (seen[by] ?? 0) + 1;
		}
	const sum = (by: string): number =>
		Object.entries(seen).reduce((sum, [name, many]) => sum + (name.endsWith(by) ? many : 0), 0);
	// what is in no seal: a number of a cycle, what a list shows
	expect(sum("unnoticed"), JSON.stringify(seen)).toBeLessThanOrEqual(EACH / 100);
	expect(sum("an error"), JSON.stringify(seen)).toBe(0);
	if (process.env.CCG_TEST_DAMAGES) console.log(JSON.stringify(seen));
}, 300_000);

const IS_BACK = expect.stringMatching(/is made of its copy of the last day$/);

test.each([0, 1, 50, 100, 300, 511, 4_096])("cut to %i bytes it is replaced by its copy", (length) => {
	const { store, path, told } = listened("short");
	filled(store);
	copyStore(store);
	const bytes = readFileSync(path);
	rmSync(path);
	writeFileSync(path, bytes.subarray(0, length));
	expect(listStoredCheckpoints(store)).toHaveLength(3 * SESSIONS.length);
	expect(told).toEqual([...(length > 1 ? [expect.stringMatching(/was damaged; kept as /)] : []), IS_BACK]);
	const mode = writeToStore(store, (database) => database.query("PRAGMA journal_mode").values());
	expect(mode).toEqual([[isOnLocalDisk(path) ? "wal" : "delete"]]);
});

test("the tables of a new store stand in the file itself: without them SQLite would drop its log", () => {
	const { store, path } = listened("new");
	writeToStore(store, () => {});
	copyFileSync(path, `${path}.alone`);
	using alone = new Database(`${path}.alone`);
	expect(alone.query("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").values()).toEqual([[5]]);
});

test("what is set aside is no file that somebody has open: the next one's journal would be played back into it", () => {
	const { store, path, told } = listened("open");
	writeFileSync(path, "no database".repeat(500), { mode: 0o600 });
	const open = lstatSync(path).ino;
	filled(store);
	const aside = /kept as (\S+)$/.exec(told.join("\n"))![1]!;
	expect(lstatSync(aside).ino).not.toBe(open);
	expect(readFileSync(aside, "utf8")).toBe("no database".repeat(500));
	writeFileSync(path, "no database".repeat(500));
	writeFileSync(join(store.root, "run", "store.lock"), "no lock".repeat(500));
	expect(() => listStoredCheckpoints(store)).toThrow(/store\.lock is damaged: delete it/);
});

const WRITER = `
import { addCheckpoint } from "${SRC}/store/recovery/checkpoints.ts";
import { emptyState } from "${SRC}/core/state/session-state.ts";
import { sessionHandle } from "${SRC}/store/session-handle.ts";
const [root, id] = process.argv.slice(1);
const session = sessionHandle({ root, onProblem: console.log }, id);
const content = { trigger: "manual", type: "manual", projectDir: "/p", transcriptPath: "", project: "p" };
addCheckpoint(session, new Date(), { ...content, state: emptyState(), workspace: null, note: "" });`;

test.each<[string, number, string?]>([
	["none", 0],
	["an empty one", 0, ""],
	["a damaged one", 1, "no database".repeat(1_000)],
])(
	"where six come at once upon %s beside a copy, all is kept, and the copy comes back once",
	async (_, aside, left) => {
		for (let round = 0; round < 3; round++) {
			const { store, path } = listened("at-once");
			filled(store);
			copyStore(store);
			rmSync(path);
			if (left !== undefined) writeFileSync(path, left, { mode: 0o600 });
			const writers = SESSIONS.slice(0, 6).map((_, i) => startBun(["-e", WRITER, store.root, `w-${i}`]));
			const told = (await Promise.all(writers)).map(({ stdout }) => stdout).join("\n");
			expect([told.match(/is made of its copy/g)?.length, told.match(/kept as/g)?.length ?? 0], told).toEqual([
				1,
				aside,
			]);
			expect(listStoredCheckpoints(store)).toHaveLength(3 * SESSIONS.length + 6);
		}
	},
	60_000,
);

test("a row that can't be read costs no other", () => {
	const { store, told } = listened("row");
	filled(store);
	writeToStore(store, (database) => database.run("UPDATE checkpoints SET about = '{oops' WHERE id = 7"));
	copyStore(store);
	expect(listStoredCheckpoints(store)).toHaveLength(3 * SESSIONS.length - 1);
	expect(told).toEqual([]);
});
