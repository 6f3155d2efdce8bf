import { exact } from "../core/redact/secrets.ts";
import { isOnLeftBranch, passageReader } from "./find.ts";
import type { Filter, FoundPassage } from "./passage.ts";
import type { SearchIndex } from "./search-index.ts";

/** Whether any passage has a vector of the model: all there are come from one. */
export const hasVectors = (index: SearchIndex, model: string): boolean => vectorLength(index, model) !== null;

/** How many of the passages that count have a vector of the model. */
export function vectorCounts(index: SearchIndex, model: string): { vectors: number; passages: number } {
	const { length } = standingIds(index);
	return { passages: length, vectors: length - withoutVector(index, model).length };
}

/** The passages without a vector of the model, the newest first, `most` of them, by their ids. */
export function withoutVector(index: SearchIndex, model: string, most?: number): number[] {
	const has = new Set(index.database.query("SELECT passage FROM vectors WHERE model = ?").values(model).flat());
	return standingIds(index)
		.filter((id) => !has.has(id))
		.slice(0, most);
}

/** The ids of the passages that lie on no branch that was left, the newest first. */
function standingIds({ database }: SearchIndex): number[] {
	const blocks = database.query<Record<"id" | "many" | "gone", number>, []>("SELECT id, many, gone FROM blocks");
	const ids = blocks
		.all()
		.flatMap(({ id, many, gone }) =>
			Array.from({ length: many }, (_, n) => n).flatMap((n) => (isOnLeftBranch(gone, n) ? [] : id + n)),
		);
	return ids.reverse();
}

/**
 * Keeps vectors of length 1, each with its passage's id; those of other models go, and one whose passage has gone or has one by now is left
 * out. Throws where lengths differ.
 */
export function keepVectors(
	index: SearchIndex,
	model: string,
	embedded: readonly { id: number; vector: Float32Array }[],
): void {
	const { database } = index;
	const keep = (): void => {
		database.query("DELETE FROM vectors WHERE model <> ?").run(exact(model));
		const insert = database.query("INSERT OR IGNORE INTO vectors(model, vector, passage) VALUES (?, ?, ?)");
		const read = passageReader(index);
		for (const { id, vector } of embedded) {
			if (!read(id)) continue;
			checkLength(vector, vectorLength(index, model));
			insert.run(exact(model), new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength), id);
		}
	};
	database.transaction(keep).immediate();
}

/** Passages nearest to a vector of length 1: by cosine, exactly, best first. None on a branch that was left. */
export function nearest(
	index: SearchIndex,
	model: string,
	vector: Float32Array,
	filter: Filter,
	most: number,
): FoundPassage[] {
	checkLength(vector, vectorLength(index, model));
	const query = index.database.query<{ id: number; vector: Uint8Array }, [string]>(
		"SELECT passage AS id, vector FROM vectors WHERE model = ?",
	);
	const scored = Array.from(query.iterate(model), ({ id, vector: bytes }) => ({ id, score: cosine(bytes, vector) }));
	const read = passageReader(index);
	const found: FoundPassage[] = [];
	for (const { id, score } of scored.sort((a, b) => b.score - a.score)) {
		if (found.length >= most) break;
		const passage = read(id, filter);
		if (passage && !passage.left) found.push({ ...passage, score });
	}
	return found;
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
function vectorLength({ database }: SearchIndex, model: string): number | null {
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
