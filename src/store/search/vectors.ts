import type { Database } from "bun:sqlite";
import type { FoundPassage } from "../../core/search/passage.ts";
import { PASSAGE_GONE } from "./index-database.ts";
import type { SearchIndex } from "./search-index.ts";
import { conditions, type Filter } from "./search-query.ts";
import { type PassageRow, passageOf } from "./stored-passage.ts";

/**
 * Vectors lie in blocks, each of one source and one model: a row for each would be read ten times as slowly. A source that loses
 * passages loses its vectors with them, so that nothing is left of what was deleted and no number is met again. Made by the
 * first vector.
 */
const TABLES = `
CREATE TABLE IF NOT EXISTS models(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS vectors(
	id INTEGER PRIMARY KEY, source INTEGER NOT NULL, model INTEGER NOT NULL, passages BLOB NOT NULL, vectors BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS vectors_source ON vectors(source, model);
${PASSAGE_GONE.replace("TRIGGER", "TRIGGER IF NOT EXISTS")};
`;
/** Vectors of one block: 512 of 384 numbers are 768 KiB. */
const BLOCK = 512;

/** A passage that has no vector yet. */
export interface Unembedded {
	id: number;
	text: string;
}

interface Model {
	id: number;
	dimensions: number;
}

/** Whether any passage has a vector of the model. */
export function hasVectors({ database }: SearchIndex, model: string): boolean {
	const known = modelOf(database, model);
	return (
		known !== null &&
		number(database, "SELECT count(*) FROM (SELECT 1 FROM vectors WHERE model = ? LIMIT 1)", known.id) > 0
	);
}

/** How many of the passages that count have a vector of the model. */
export function vectorCounts({ database }: SearchIndex, model: string): { vectors: number; passages: number } {
	const known = modelOf(database, model);
	const passages = number(database, "SELECT count(*) FROM passages WHERE gone = 0");
	// those on branches that were left meanwhile have theirs still
	const vectors = known
		? number(database, "SELECT coalesce(sum(length(passages)), 0) / 8 FROM vectors WHERE model = ?", known.id)
		: 0;
	return { vectors: Math.min(vectors, passages), passages };
}

/** The numbers of passages without a vector of the model, the newest first, `most` of them. */
export function withoutVector({ database }: SearchIndex, model: string, most = Number.POSITIVE_INFINITY): number[] {
	const known = modelOf(database, model);
	const embedded = known ? embeddedIn(database, "model = ?", known.id) : new Set();
	const found: number[] = [];
	const rows = database.query("SELECT id FROM passages WHERE gone = 0 ORDER BY id DESC").iterate();
	for (const { id } of rows as IterableIterator<{ id: number }>) {
		if (found.length >= most) break;
		if (!embedded.has(id)) found.push(id);
	}
	return found;
}

/** Passages by their numbers, those that are gone left out. */
export const passagesNumbered = ({ database }: SearchIndex, ids: readonly number[]): Unembedded[] =>
	passagesBy(database, ids).map(({ order, text }) => ({ id: order, text }));

/**
 * Keeps the vectors of passages, normalised. Those of other models go. One whose passage has changed or gone meanwhile, or has a
 * vector by now, is left out. Throws where the model's vectors have another length.
 */
export function keepVectors(
	{ database }: SearchIndex,
	model: string,
	embedded: readonly (Unembedded & { vector: Float32Array })[],
): void {
	if (embedded.length === 0) return;
	database.run(TABLES);
	database
		.transaction(() => {
			const { id, dimensions } = modelAs(database, model, embedded[0]!.vector.length);
			const wrong = embedded.find(({ vector }) => vector.length !== dimensions);
			if (wrong) throw new Error(lengthProblem(wrong.vector.length, dimensions));
			const now = new Map(
				passagesBy(
					database,
					embedded.map((one) => one.id),
				).map((one) => [one.order, one.text]),
			);
			const still = embedded.filter((one) => now.get(one.id) === one.text);
			const bySource = Map.groupBy(still, (one) =>
				number(database, "SELECT source FROM passages WHERE id = ?", one.id),
			);
			for (const [source, all] of bySource) {
				const there = embeddedIn(database, "model = ? AND source = ?", id, source);
				append(
					database,
					{ source, model: id },
					all.filter((one) => !there.has(one.id)),
				);
			}
		})
		.immediate();
}

/** Passages nearest to a vector, normalised like theirs: by cosine, exactly, best first. None on a branch that was left. */
export function nearest(
	{ database }: SearchIndex,
	model: string,
	vector: Float32Array,
	filter: Filter,
	most: number,
): FoundPassage[] {
	const known = modelOf(database, model);
	if (!known) return [];
	if (vector.length !== known.dimensions) throw new Error(lengthProblem(vector.length, known.dimensions));
	const sources = sourcesOf(database, filter);
	const allowed = passagesOf(database, filter);
	const best = new Best(most);
	const read = database.query("SELECT passages, vectors FROM vectors WHERE id = ?");
	const blocks = database.query("SELECT id, source FROM vectors WHERE model = ?").values(known.id) as [
		number,
		number,
	][];
	for (const [block, source] of blocks) {
		if (!sources.has(source)) continue;
		const [ids, numbers] = read.values(block)[0] as [Uint8Array, Uint8Array];
		compare(idsOf(ids), floatsOf(numbers), vector, (id, score) => {
			if (score > best.least && (!allowed || allowed.has(id))) best.add(id, score);
		});
	}
	return passagesBy(database, best.ids())
		.map((passage) => ({ ...passage, score: best.scoreOf(passage.order) }))
		.filter(({ left }) => !left);
}

/** The dot product of each vector of a block with the one asked for; both have length 1, so it is their cosine. */
function compare(
	ids: Float64Array,
	numbers: Float32Array,
	vector: Float32Array,
	take: (id: number, score: number) => void,
): void {
	const { length } = vector;
	// four sums at once: three times as fast as one
	const even = length - (length % 4);
	for (let i = 0, from = 0; i < ids.length; i++, from += length) {
		let [a, b, c, d] = [0, 0, 0, 0];
		for (let j = 0; j < even; j += 4) {
			a += numbers[from + j]! * vector[j]!;
			b += numbers[from + j + 1]! * vector[j + 1]!;
			c += numbers[from + j + 2]! * vector[j + 2]!;
			d += numbers[from + j + 3]! * vector[j + 3]!;
		}
		for (let j = even; j < length; j++) a += numbers[from + j]! * vector[j]!;
		take(ids[i]!, a + b + c + d);
	}
}

/** The best of many, few of them kept. */
class Best {
	private readonly kept: { id: number; score: number }[] = [];
	least = Number.NEGATIVE_INFINITY;
	constructor(private readonly most: number) {}

	add(id: number, score: number): void {
		let at = this.kept.length;
		while (at > 0 && this.kept[at - 1]!.score < score) at--;
		this.kept.splice(at, 0, { id, score });
		if (this.kept.length > this.most) this.kept.pop();
		if (this.kept.length === this.most) this.least = this.kept.at(-1)!.score;
	}

	ids = (): number[] => this.kept.map(({ id }) => id);
	scoreOf = (id: number): number => this.kept.find((one) => one.id === id)!.score;
}

/** Fills the source's last block, then new ones. */
function append(
	database: Database,
	{ source, model }: { source: number; model: number },
	embedded: readonly { id: number; vector: Float32Array }[],
): void {
	if (embedded.length === 0) return;
	const open = database
		.query(
			"SELECT id, passages, vectors FROM vectors WHERE source = ? AND model = ? AND length(passages) < ? ORDER BY id DESC LIMIT 1",
		)
		.values(source, model, BLOCK * 8)[0] as [number, Uint8Array, Uint8Array] | undefined;
	const [block, ids, vectors] = open ?? [null, new Uint8Array(), new Uint8Array()];
	const taken = embedded.slice(0, BLOCK - ids.length / 8);
	database
		.query("INSERT OR REPLACE INTO vectors(id, source, model, passages, vectors) VALUES (?, ?, ?, ?, ?)")
		.run(
			block,
			source,
			model,
			Buffer.concat([ids, bytesOf(Float64Array.from(taken.map(({ id }) => id)))]),
			Buffer.concat([vectors, ...taken.map(({ vector }) => bytesOf(vector))]),
		);
	append(database, { source, model }, embedded.slice(taken.length));
}

/** The model's number; a new one takes the place of all others. */
function modelAs(database: Database, name: string, dimensions: number): Model {
	const known = modelOf(database, name);
	if (known) return known;
	database.run("DELETE FROM vectors");
	database.run("DELETE FROM models");
	database.query("INSERT INTO models(name, dimensions) VALUES (?, ?)").run(name, dimensions);
	return modelOf(database, name)!;
}

/** `null` where there is no vector of it. */
function modelOf(database: Database, name: string): Model | null {
	if (number(database, "SELECT count(*) FROM sqlite_schema WHERE name IN ('models', 'vectors')") < 2) return null;
	return database.query("SELECT id, dimensions FROM models WHERE name = ?").get(name) as Model | null;
}

function embeddedIn(database: Database, where: string, ...values: number[]): Set<number> {
	const blocks = database.query(`SELECT passages FROM vectors WHERE ${where}`).values(...values) as [Uint8Array][];
	return new Set(blocks.flatMap(([ids]) => [...idsOf(ids)]));
}

function sourcesOf(database: Database, { project, session }: Filter): Set<number> {
	const rows = database
		.query("SELECT id FROM sources WHERE (?1 IS NULL OR project IN (?1, '')) AND (?2 IS NULL OR session = ?2)")
		.values(project ?? null, session ?? null) as [number][];
	return new Set(rows.map(([id]) => id));
}

/** The passages that a filter allows; `null` where it allows all of a source. */
function passagesOf(database: Database, filter: Filter): Set<number> | null {
	const { sql, values } = conditions(filter);
	if (!sql) return null;
	const rows = database.query(`SELECT p.id FROM passages p WHERE 1${sql}`).values(...values) as [number][];
	return new Set(rows.map(([id]) => id));
}

/** Passages by their numbers, in that order; those that are gone left out. */
function passagesBy(database: Database, ids: readonly number[]): FoundPassage[] {
	const query = database.query(
		`SELECT p.*, s.tag, s.path AS source_path, s.project, s.session, s.rules, 0 AS score
		 FROM passages p JOIN sources s ON s.id = p.source WHERE p.id = ?`,
	);
	return ids.flatMap((id) => (query.all(id) as PassageRow[]).map(passageOf));
}

const number = (database: Database, sql: string, ...values: number[]): number =>
	(database.query(sql).values(...values)[0] as [number])[0];

const lengthProblem = (length: number, known: number): string =>
	`its vectors have ${length} numbers, those in the index ${known}`;

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array | Float64Array): Uint8Array =>
	new Uint8Array(buffer, byteOffset, byteLength);

/** Copied where SQLite's bytes do not lie as numbers must. */
const floatsOf = (bytes: Uint8Array): Float32Array =>
	new Float32Array(
		bytes.byteOffset % 4 === 0 ? bytes.buffer : bytes.slice().buffer,
		bytes.byteOffset % 4 === 0 ? bytes.byteOffset : 0,
		bytes.length >> 2,
	);

const idsOf = (bytes: Uint8Array): Float64Array => new Float64Array(bytes.slice().buffer, 0, bytes.length >> 3);
