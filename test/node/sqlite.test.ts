/** The search index's database by node:sqlite, which Bun has as well, held against bun:sqlite. */
import { Database as BunDatabase } from "bun:sqlite";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { constants, Database as NodeDatabase } from "../../src/node/sqlite.ts";
import { scratch } from "../scratch-home.ts";

type Opened = InstanceType<typeof BunDatabase>;
const BOTH = [BunDatabase, NodeDatabase as unknown as typeof BunDatabase];

const WRITTEN = { create: false, readwrite: true };

/** What `act` gives with each of the two, on a database of its own. */
const withBoth = <T>(act: (database: Opened, path: string) => T): T[] =>
	BOTH.map((Database) => {
		const path = join(scratch("sqlite"), "a.sqlite");
		writeFileSync(path, "");
		const database = new Database(path, WRITTEN);
		try {
			return act(database, path);
		} finally {
			database.close();
			database.close();
		}
	});

const failure = (act: () => unknown): string => {
	try {
		act();
		return "none";
	} catch (error) {
		return (error as { code?: string }).code ?? String(error);
	}
};

test("statements give what bun:sqlite gives", () => {
	const [bun, node] = withBoth((database) => {
		database.run("CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b BLOB, n); CREATE TABLE u(x)");
		database.run("CREATE VIRTUAL TABLE words USING fts5(text, content='', contentless_delete=1)");
		const insert = database.query("INSERT INTO t(a, b, n) VALUES (?, ?, ?)");
		const runs = [
			insert.run("one", new Uint8Array([1, 2]), 3),
			insert.run("two", null, 2.5),
			insert.run("é", null, true),
		];
		database.query("INSERT INTO words(rowid, text) VALUES (?, ?)").run(2, "a word");
		return [
			runs.map(({ changes, lastInsertRowid }) => [changes, Number(lastInsertRowid)]),
			database
				.query("SELECT id, a, n FROM t ORDER BY id LIMIT ?")
				.all(2)
				.map((row) => ({ ...(row as object) })),
			[...(database.query("SELECT b FROM t").values()[0]![0] as Uint8Array)],
			database.query("SELECT a, a FROM t WHERE n = ?").values(3),
			database.query("SELECT ?2, ?1, ?2").values("a", 2),
			database.query("SELECT 1 FROM t WHERE id = ?").get(9),
			[...database.query("SELECT id FROM t").iterate()].map((row) => (row as { id: number }).id),
			database.query("SELECT rowid FROM words WHERE words MATCH ?").values("word"),
			database.query("SELECT typeof(n) FROM t").values(),
		];
	});
	expect(node).toEqual(bun);
});

test("a transaction that fails leaves nothing", () => {
	const [bun, node] = withBoth((database) => {
		database.run("CREATE TABLE t(x)");
		const add = (x: number) => database.query("INSERT INTO t VALUES (?)").run(x);
		const fails = database.transaction(() => {
			add(1);
			throw new Error("inside");
		});
		const seen = failure(() => fails.immediate());
		database.transaction(() => add(2)).immediate();
		return [seen, database.query("SELECT x FROM t").values()];
	});
	expect(node).toEqual(bun);
	expect(bun).toEqual(["Error: inside", [[2]]]);
});

test("failures bear the names that bun:sqlite gives them", () => {
	const [bun, node] = BOTH.map((Database) => {
		const folder = scratch("sqlite");
		const path = join(folder, "a.sqlite");
		writeFileSync(join(folder, "no.sqlite"), "no database, but a text that is long enough to look at".repeat(30));
		writeFileSync(path, "");
		const [one, other] = [new Database(path, WRITTEN), new Database(path, WRITTEN)];
		one.run("CREATE TABLE t(x UNIQUE)");
		one.run("INSERT INTO t VALUES (1)");
		one.run("BEGIN IMMEDIATE");
		const codes = [
			failure(() => other.run("BEGIN IMMEDIATE")),
			failure(() => one.query("SELECT nothing FROM nowhere")),
			failure(() => one.run("INSERT INTO t VALUES (1)")).slice(0, 17),
			failure(() => new Database(join(folder, "no.sqlite"), WRITTEN).query("SELECT * FROM t").all()),
			failure(() => new Database(join(folder, "none.sqlite"), WRITTEN)),
		];
		one.close();
		other.close();
		return [...codes, existsSync(join(folder, "none.sqlite"))];
	});
	expect(node).toEqual(bun);
	expect(bun).toEqual(["SQLITE_BUSY", "SQLITE_ERROR", "SQLITE_CONSTRAINT", "SQLITE_NOTADB", "SQLITE_CANTOPEN", false]);
});

test("constants are bun:sqlite's", async () => {
	const { constants: own } = await import("bun:sqlite");
	for (const [name, value] of Object.entries(constants))
		expect([name, own[name as keyof typeof own]]).toEqual([name, value]);
});
