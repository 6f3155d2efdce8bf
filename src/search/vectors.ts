import { exact } from "../core/redact/secrets.ts";
import { conditions, passagesBy } from "./find.ts";
import type { Filter, FoundPassage } from "./passage.ts";
import type { SearchIndex } from "./search-index.ts";

/** Whether any passage has a vector of the model: all there are come from one. */
export const hasVectors = (index: SearchIndex, model: string): boolean => lengthOf(index, model) !== null;

/** How many of the passages that count have a vector of the model. */
export function vectorCounts({ database }: SearchIndex, model: string): { vectors: number; passages: number } {
	const sql = `SELECT count(*) AS passages, count(v.passage) AS vectors FROM passages p
		LEFT JOIN vectors v ON v.passage = p.id AND v.model = ? WHERE p.gone = 0`;
	return database.query(sql).get(model) as { vectors: number; passages: number };
}

/** The passages without a vector of the model, the newest first, `most` of them, by their ids. */
export function withoutVector({ database }: SearchIndex, model: string, most = -1): number[] {
	const sql = `SELECT p.id FROM passages p LEFT JOIN vectors v ON v.passage = p.id AND v.model = ?
		WHERE p.gone = 0 AND v.passage IS NULL ORDER BY p.id DESC LIMIT ?`;
	return (database.query(sql).values(model, most) as [number][]).map(([id]) => id);
}

/** A passage by its id, and its vector of length 1. */
export interface Embedded {
	id: number;
	vector: Float32Array;
}

/**
 * Keeps the vectors of passages. Those of other models go. One whose passage has gone meanwhile, or has a vector by now, is left out.
 * Throws where the model's vectors have another length.
 */
export function keepVectors(index: SearchIndex, model: string, embedded: readonly Embedded[]): void {
	const { database } = index;
	const keep = (): void => {
		database.query("DELETE FROM vectors WHERE model <> ?").run(exact(model));
		const insert = database.query(
			"INSERT OR IGNORE INTO vectors(passage, model, vector) SELECT id, ?, ? FROM passages WHERE id = ?",
		);
		for (const { id, vector } of embedded) {
			checkLength(vector, lengthOf(index, model));
			insert.run(exact(model), new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength), id);
		}
	};
	database.transaction(keep).immediate();
}

/** So many are gathered before the best of them are taken. */
const ENOUGH = 2_000;

/** Passages nearest to a vector of length 1: by cosine, exactly, best first. None on a branch that was left. */
export function nearest(
	index: SearchIndex,
	model: string,
	vector: Float32Array,
	filter: Filter,
	most: number,
): FoundPassage[] {
	checkLength(vector, lengthOf(index, model));
	const { sql, values } = conditions(filter);
	const rows = index.database
		.query(
			`SELECT v.passage AS id, v.vector FROM vectors v JOIN passages p ON p.id = v.passage JOIN sources s ON s.id = p.source
			 WHERE p.gone = 0 AND v.model = ?${sql}`,
		)
		.iterate(model, ...values) as Iterable<{ id: number; vector: Uint8Array }>;
	let best: { id: number; score: number }[] = [];
	const cut = (): void => {
		best = best.sort((a, b) => b.score - a.score).slice(0, most);
	};
	for (const { id, vector: bytes } of rows) if (best.push({ id, score: cosine(bytes, vector) }) >= ENOUGH) cut();
	cut();
	const scores = new Map(best.map(({ id, score }) => [id, score]));
	return passagesBy(index, [...scores.keys()]).map((passage) => ({ ...passage, score: scores.get(passage.id)! }));
}

/** The dot product: both have length 1. */
function cosine(bytes: Uint8Array, vector: Float32Array): number {
	// SQLite's bytes may not lie as numbers must
	const own = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
	const numbers = new Float32Array(own.buffer, own.byteOffset, vector.length);
	let sum = 0;
	for (let i = 0; i < vector.length; i++) sum += numbers[i]! * vector[i]!;
	return sum;
}

/** How many numbers the model's vectors have; `null` where there is none. */
function lengthOf({ database }: SearchIndex, model: string): number | null {
	const row = database.query("SELECT model, length(vector) / 4 AS length FROM vectors LIMIT 1").get() as {
		model: string;
		length: number;
	} | null;
	return row?.model === model ? row.length : null;
}

function checkLength({ length }: Float32Array, known: number | null): void {
	if (known !== null && known !== length)
		throw new Error(`its vectors have ${length} numbers, those in the index ${known}`);
}
