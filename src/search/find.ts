import { projectWord, unpacked, unusable } from "./database.ts";
import { type Filter, type FoundPassage, KINDS } from "./passage.ts";
import type { SearchIndex } from "./search-index.ts";
import type { Term } from "./words.ts";

/** Passages SQLite ranks before ccg does. */
const CANDIDATES = 40;
/** Passages that are ranked for their common words: about ten milliseconds. */
const MOST_RANKED = 5_000;

/** Passages that hold any of the terms, SQLite's best first, `most` of them. */
export function findPassages(
	index: SearchIndex,
	terms: readonly Term[],
	filter: Filter = {},
	most = CANDIDATES,
): FoundPassage[] {
	if (terms.length === 0) return [];
	const { project, ...others } = filter;
	const { sql, values } = conditions(others);
	const hits = `SELECT words.rowid AS id, -bm25(words, 1, 0) AS score FROM words
		${sql && "JOIN passages p ON p.id = words.rowid JOIN sources s ON s.id = p.source"}
		WHERE words MATCH ?${sql} ORDER BY score DESC LIMIT ?`;
	const wanted = `(text : (${telling(index, terms).map(phrase).join(" OR ")}))`;
	const isIn = project === undefined ? "" : ` AND (project : ${projectWord(project)} OR project : ${projectWord("")})`;
	return passagesOf(index, hits, [wanted + isIn, ...values, most], "hit.score DESC");
}

/**
 * Of the terms those that stand in few passages, at least one: what stands in many tells little, and ranking all of them would take as
 * long as the index is large.
 */
function telling({ database }: SearchIndex, terms: readonly Term[]): Term[] {
	const count = database.query("SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)");
	const counted = terms.map((term) => ({
		term,
		passages: (count.values(phrase(term), MOST_RANKED + 1)[0] as [number])[0],
	}));
	const kept: Term[] = [];
	let sum = 0;
	for (const { term, passages } of counted.sort((a, b) => a.passages - b.passages)) {
		sum += kept.length > 0 ? passages : 0;
		if (sum <= MOST_RANKED) kept.push(term);
	}
	return kept;
}

/** Words in quotes are nothing but words to FTS5; side by side they are a phrase. */
const phrase = ({ words }: Term): string => `"${words.join(" ")}"`;

/** Where the user's last message of a session stands; `null` where none is known. */
export function lastSaidAt({ database }: SearchIndex, session: string): number | null {
	const sql =
		"SELECT max(p.pos) AS pos FROM passages p JOIN sources s ON s.id = p.source WHERE s.session = ? AND p.kind = 'user'";
	return (database.query(sql).get(session) as { pos: number | null }).pos;
}

/** Passages told before and after one. */
const BESIDE = 6;

/** A passage by its id, with those before and after it in its source; none where it is gone. */
export function passagesAround(index: SearchIndex, id: number): FoundPassage[] {
	const beside = (sign: "<" | ">", order: "DESC" | "ASC"): FoundPassage[] => {
		const hits = `SELECT b.id, 0 AS score FROM passages a JOIN passages b ON b.source = a.source
			WHERE a.id = ? AND b.gone = 0 AND (b.pos, b.part) ${sign} (a.pos, a.part)
			ORDER BY b.pos ${order}, b.part ${order} LIMIT ?`;
		return passagesOf(index, hits, [id, BESIDE], "p.pos, p.part");
	};
	return passagesBy(index, [id]).flatMap((own) => [...beside("<", "DESC"), own, ...beside(">", "ASC")]);
}

/** Passages by their ids, in that order; those that are gone left out. */
export const passagesBy = (index: SearchIndex, ids: readonly number[]): FoundPassage[] =>
	ids.flatMap((id) => passagesOf(index, "SELECT ? AS id, 0 AS score", [id], "p.id"));

/** A passage as it stands in the index, with what its source tells of it. */
interface PassageRow extends Omit<FoundPassage, "left" | "text"> {
	gone: number;
	text: Uint8Array;
}

/** `hits`: what selects ids and scores. Throws what a damaged index throws where a row is not one of ours. */
function passagesOf({ database }: SearchIndex, hits: string, values: (string | number)[], order: string) {
	const sql = `SELECT p.id, p.pos, p.part, p.at, p.kind, p.tool, p.path, p.gone, p.text,
		s.path AS source, s.project, s.session, hit.score
		FROM (${hits}) hit JOIN passages p ON p.id = hit.id JOIN sources s ON s.id = p.source ORDER BY ${order}`;
	return (database.query(sql).all(...values) as PassageRow[]).flatMap(({ gone, text, ...row }): FoundPassage[] => {
		const columns = [row.source, row.kind, row.tool, row.path, row.project, row.session];
		if (columns.some((one) => typeof one !== "string")) throw unusable("a passage lacks what each has");
		// another version of ccg may keep kinds that this one does not know
		return Object.hasOwn(KINDS, row.kind) ? [{ ...row, left: gone !== 0, text: unpacked(text) }] : [];
	});
}

/** A filter as conditions on a passage `p` and its source `s`, each with `AND` before it. */
export function conditions({ project, session, kinds, since }: Filter): {
	sql: string;
	values: (string | number)[];
} {
	const parts: [sql: string, value: string | number | undefined][] = [
		["s.project IN (?, '')", project],
		["s.session = ?", session],
		["p.kind IN (SELECT value FROM json_each(?))", kinds && JSON.stringify(kinds)],
		["p.at >= ?", since],
	];
	const asked = parts.filter((part): part is [string, string | number] => part[1] !== undefined);
	return { sql: asked.map(([sql]) => ` AND ${sql}`).join(""), values: asked.map(([, value]) => value) };
}
