import { existsSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

/** `bun:sqlite`'s, of those that ccg names. */
export const constants = { SQLITE_OPEN_READONLY: 1, SQLITE_OPEN_URI: 64 };

type Value = string | number | bigint | boolean | Uint8Array | null | undefined;
type Row = Record<string, unknown>;

/** In the place of `bun:sqlite`: a database by `node:sqlite`, with what ccg uses of Bun's. */
export class Database {
	readonly #database: DatabaseSync;
	readonly #statements = new Map<string, ReturnType<typeof statementOf>>();

	/** Opens what is there: by flags one that is only read, named by an address, else one to write to. */
	constructor(path: string, options: number | { create: false; readwrite: true }) {
		const readOnly = typeof options === "number";
		const settings = { readOnly, enableForeignKeyConstraints: false, enableDoubleQuotedStringLiterals: true };
		this.#database = named(() => {
			// Node makes one that is missing
			if (!readOnly && !existsSync(path))
				throw Object.assign(new Error("unable to open database file"), { errcode: 14 });
			return new DatabaseSync(readOnly ? new URL(path) : path, settings);
		});
	}

	query(sql: string) {
		const known = this.#statements.get(sql);
		if (known) return known;
		const made = statementOf(
			named(() => this.#database.prepare(sql)),
			sql,
		);
		this.#statements.set(sql, made);
		return made;
	}

	/** Several statements when no values come with them. */
	run(sql: string, ...values: Value[]): void {
		if (values.length > 0) this.query(sql).run(...values);
		else named(() => this.#database.exec(sql));
	}

	get inTransaction(): boolean {
		return this.#database.isTransaction;
	}

	/** Not one inside of another. */
	transaction<T>(act: () => T): { immediate(): T } {
		const immediate = (): T => {
			this.run("BEGIN IMMEDIATE");
			try {
				const result = act();
				this.run("COMMIT");
				return result;
			} catch (error) {
				try {
					this.run("ROLLBACK");
				} catch {
					// some failures have undone it already
				}
				throw error;
			}
		};
		return { immediate };
	}

	close(): void {
		this.#statements.clear();
		try {
			this.#database.close();
		} catch {
			// it is closed
		}
	}
}

function statementOf(statement: StatementSync, sql: string) {
	// parameters `?1`, `?2`, … Node takes for names
	const isNumbered = sql.includes("?1");
	// biome-ignore lint/suspicious/noExplicitAny: Node tells names from values by themselves
	const given = (values: Value[]): any[] => {
		const all = values.map(bound);
		return isNumbered ? [Object.fromEntries(all.map((value, n) => [`?${n + 1}`, value]))] : all;
	};
	const all = (...values: Value[]): Row[] => named(() => statement.all(...given(values)));
	return {
		all,
		get: (...values: Value[]): Row | null => named(() => statement.get(...given(values))) ?? null,
		values(...values: Value[]): unknown[][] {
			statement.setReturnArrays(true);
			try {
				return all(...values) as unknown as unknown[][];
			} finally {
				statement.setReturnArrays(false);
			}
		},
		*iterate(...values: Value[]): Generator<Row> {
			const rows = named(() => statement.iterate(...given(values)));
			for (;;) {
				const { done, value } = named(() => rows.next());
				if (done) return;
				yield value as Row;
			}
		},
		run(...values: Value[]): { changes: number; lastInsertRowid: number } {
			const { changes, lastInsertRowid } = named(() => statement.run(...given(values)));
			return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) };
		},
	};
}

/** Node binds every number as one with a fraction, which a virtual table refuses as the number of a row. */
function bound(value: Value): SQLInputValue {
	if (typeof value === "boolean") return value ? 1n : 0n;
	if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
	return value ?? null;
}

/** Runs `act`; what SQLite says gets the name that Bun gives it. */
function named<T>(act: () => T): T {
	try {
		return act();
	} catch (error) {
		const { errcode } = error as { errcode?: number };
		if (typeof errcode === "number") Object.assign(error as Error, { code: nameOf(errcode) });
		throw error;
	}
}

/** By SQLite's numbers; the last eight bits are the kind. */
const KINDS =
	"OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB".split(
		" ",
	);
const EXACT: Record<number, string> = { 267: "CORRUPT_VTAB", 779: "CORRUPT_INDEX" };

const nameOf = (code: number): string => `SQLITE_${EXACT[code] ?? KINDS[code & 0xff] ?? "ERROR"}`;
