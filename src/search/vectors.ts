import { exact } from "../core/redact/secrets.ts";
import { isOnAbandonedBranch, passageReader } from "./find.ts";
import type { Filter, FoundPassage } from "./passage.ts";
import type { SearchIndex } from "./search-index.ts";

/** The vector that a model makes of a query. */
export type QueryVector = { model: string; vector: Float32Array };

/** Whether the index holds vectors of the model; it holds those of one model at a time. */
export const hasVectors = (index: SearchIndex, model: string): boolean => vectorLength(index, model) !== null;

/** How many passages of active branches there are, and how many of them have a vector of the model. */
export function vectorCounts(index: SearchIndex, model: string): { vectors: number; passages: number } {
	const { length } = activePassageIds(index);
	return { passages: length, vectors: length - idsWithoutVector(index, model).length };
}

/** The ids of the passages of active branches that have no vector of the model, the newest first, `most` of them. */
export function idsWithoutVector(index: SearchIndex, model: string, most?: number): number[] {
	const withVector = new Set(index.database.query("SELECT passage FROM vectors WHERE model = ?").values(model).flat());
	const without = activePassageIds(index).filter((id) => !withVector.has(id));
	return without.slice(0, most);
}

/** The ids of all passages that lie on no abandoned branch of their conversation, the newest first. */
function activePassageIds({ database }: SearchIndex): number[] {
	const query = database.query<Record<"id" | "many" | "gone", number>, []>("SELECT id, many, gone FROM blocks");
	const activeIds = ({ id, many, gone }: Record<"id" | "many" | "gone", number>): number[] =>
		Array.from({ length: many }, (_, n) => n).flatMap((n) => (isOnAbandonedBranch(gone, n) ? [] : id + n));
	return query.all().flatMap(activeIds).reverse();
}

/**
 * Stores vectors of length 1, each with its passage's id, and deletes those of other models. Left out is one whose passage was deleted or has
 * a vector by now. Throws where their lengths differ.
 */
export function insertVectors(
	index: SearchIndex,
	model: string,
	embedded: readonly { id: number; vector: Float32Array }[],
): void {
	const { database } = index;
	const insertAll = (): void => {
		database.query("DELETE FROM vectors WHERE model <> ?").run(exact(model));
		const insert = database.query("INSERT OR IGNORE INTO vectors(model, vector, passage) VALUES (?, ?, ?)");
		const read = passageReader(index);
		for (const { id, vector } of embedded) {
			if (!read(id)) continue;
			requireLength(vector, vectorLength(index, model));
			insert.run(exact(model), new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength), id);
		}
	};
	database.transaction(insertAll).immediate();
}

/** The passages nearest to a vector of length 1, by the cosine of all, best first. None of an abandoned branch. */
export function nearestPassages(index: SearchIndex, { model, vector }: QueryVector, filter: Filter, most: number) {
	requireLength(vector, vectorLength(index, model));
	const sql = "SELECT passage AS id, vector FROM vectors WHERE model = ?";
	const query = index.database.query<{ id: number; vector: Uint8Array }, [string]>(sql);
	const scored = Array.from(query.iterate(model), ({ id, vector: bytes }) => ({ id, score: cosine(bytes, vector) }));
	const read = passageReader(index);
	const found: FoundPassage[] = [];
	for (const { id, score } of scored.sort((a, b) => b.score - a.score)) {
		if (found.length >= most) break;
		const passage = read(id, filter);
		if (passage && !passage.isAbandoned) found.push({ ...passage, score });
	}
	return found;
}

/** The cosine of a stored vector and another one: their dot product, since both have length 1. */
function cosine(bytes: Uint8Array, vector: Float32Array): number {
	// SQLite's bytes may not lie as numbers must
	const own = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
	const numbers = new Float32Array(own.buffer, own.byteOffset, vector.length);
	let sum = 0;
	for (let i = 0; i < vector.length; i++) sum += numbers[i]! * vector[i]!;
	return sum;
}

/** How many numbers the stored vectors of the model have; `null` where there is none. */
function vectorLength({ database }: SearchIndex, model: string): number | null {
	const sql = "SELECT model, length(vector) / 4 AS length FROM vectors LIMIT 1";
	const row = database.query<{ model: string; length: number }, []>(sql).get();
	return row?.model === model ? row.length : null;
}

/** Throws where a vector has another length than those in the index (`null`: it has none). */
function requireLength({ length }: Float32Array, indexed: number | null): void {
	if (indexed !== null && indexed !== length)
		throw new Error(`its vectors have ${length} numbers, those in the index ${indexed}`);
}
