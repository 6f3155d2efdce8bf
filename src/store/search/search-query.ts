import type { Database } from "bun:sqlite";
import type { FoundPassage, PassageKind } from "../../core/search/passage.ts";
import type { Term } from "../../core/search/words.ts";
import { type PassageRow, passageOf } from "./stored-passage.ts";

export interface Filter {
	project?: string | undefined;
	session?: string | undefined;
	kinds?: readonly PassageKind[] | undefined;
	tool?: string | undefined;
	path?: string | undefined;
	since?: number | undefined;
	until?: number | undefined;
}

/** Passages SQLite ranks before ccg does. */
const CANDIDATES = 40;
/** Passages that are ranked for their common words: about ten milliseconds. */
const MOST_RANKED = 5_000;

/** Passages that hold any of the terms, SQLite's best first. */
export function findPassages(
	database: Database,
	terms: readonly Term[],
	filter: Filter,
	most = CANDIDATES,
): FoundPassage[] {
	if (terms.length === 0) return [];
	const { sql, values } = conditions(filter);
	const rows = database
		.query(
			`SELECT p.*, s.tag, s.path AS source_path, s.project, s.session, s.rules, -hit.rank AS score
			 FROM (SELECT words.rowid AS id, bm25(words, 1, 0) AS rank FROM words ${sql ? "JOIN passages p ON p.id = words.rowid" : ""}
			       WHERE words MATCH ?${sql} ORDER BY rank LIMIT ?) hit
			 JOIN passages p ON p.id = hit.id JOIN sources s ON s.id = p.source ORDER BY hit.rank`,
		)
		.all(matchOf(telling(database, terms), narrowing(database, filter)), ...values, most) as PassageRow[];
	// another project's first passage may have come since that was asked
	const isOf = ({ project }: PassageRow): boolean => project === "" || project === (filter.project ?? project);
	return rows.filter(isOf).map(passageOf);
}

/** Without the project where the index holds no other: a condition that all passages meet costs a fifth of the ranking. */
function narrowing(database: Database, filter: Filter): Filter {
	if (filter.project === undefined) return filter;
	const other = database
		.query("SELECT 1 FROM sources WHERE project <> ? AND project <> '' LIMIT 1")
		.get(filter.project);
	return other ? filter : { ...filter, project: undefined };
}

/** Of the terms those that stand in few passages; all where each stands in many. */
function telling(database: Database, terms: readonly Term[]): readonly Term[] {
	if (!database.query("SELECT 1 FROM common LIMIT 1").get()) return terms;
	const counts = passagesWith(database, terms);
	const order = terms.map((_, i) => i).sort((a, b) => counts[a]! - counts[b]!);
	let sum = 0;
	const kept = order.filter((i, place) => {
		if (place === 0) return true;
		sum += counts[i]!;
		return sum <= MOST_RANKED;
	});
	return kept.map((i) => terms[i]!);
}

/** In how many passages each term stands at most: of its words the rarest counts. `0` for few. */
function passagesWith(database: Database, terms: readonly Term[]): number[] {
	database.run("CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked USING fts5(text, tokenize='porter unicode61')");
	database.run("CREATE VIRTUAL TABLE IF NOT EXISTS temp.stems USING fts5vocab(temp, asked, instance)");
	database.run("DELETE FROM temp.asked");
	database
		.query(`INSERT INTO temp.asked(rowid, text) VALUES ${terms.map((_, i) => `(${i}, ?)`).join(", ")}`)
		.run(...terms.map(({ words }) => words.join(" ")));
	const rows = database
		.query(
			"SELECT doc, min(coalesce(common.passages, 0)) FROM temp.stems LEFT JOIN common ON common.word = stems.term GROUP BY doc",
		)
		.values() as [number, number][];
	const counts = new Map(rows);
	return terms.map((_, i) => counts.get(i) ?? Number.MAX_SAFE_INTEGER);
}

/** A passage by its id, with those before and after it in its source; `null` where there is none. */
/** Where the user's last message of a session stands; `null` where none is known. */
export function lastSaidAt(database: Database, session: string): number | null {
	const sql =
		"SELECT max(p.pos) AS pos FROM passages p JOIN sources s ON s.id = p.source WHERE s.session = ? AND p.kind = 'user'";
	return (database.query(sql).get(session) as { pos: number | null }).pos;
}

export function passagesAround(
	database: Database,
	id: string,
	{ before, after }: { before: number; after: number },
): FoundPassage[] | null {
	const [, tag, pos, part = "0"] = /^([0-9a-f]{5,64})\.([0-9a-z]{1,11})(?:\.([0-9a-z]{1,4}))?$/.exec(id) ?? [];
	if (!tag || !pos) return null;
	const place = [tag, Number.parseInt(pos, 36), Number.parseInt(part, 36)] as const;
	const select = (sql: string, most: number): FoundPassage[] =>
		(
			database
				.query(
					`SELECT p.*, s.tag, s.path AS source_path, s.project, s.session, s.rules, 0 AS score
					 FROM passages p JOIN sources s ON s.id = p.source WHERE s.tag = ? AND ${sql} LIMIT ?`,
				)
				.all(...place, most) as PassageRow[]
		).map(passageOf);
	const own = select("(p.pos, p.part) = (?, ?)", 1);
	if (own.length === 0) return null;
	const earlier = select("(p.pos, p.part) < (?, ?) AND p.gone = 0 ORDER BY p.pos DESC, p.part DESC", before);
	return [
		...earlier.reverse(),
		...own,
		...select("(p.pos, p.part) > (?, ?) AND p.gone = 0 ORDER BY p.pos, p.part", after),
	];
}

export function conditions({ kinds, tool, path, since, until }: Filter): {
	sql: string;
	values: (string | number)[];
} {
	const parts: [string, ...(string | number)[]][] = [];
	if (kinds?.length) parts.push([`p.kind IN (${kinds.map(() => "?").join(", ")})`, ...kinds]);
	if (tool !== undefined) parts.push(["p.tool = ? COLLATE NOCASE", tool]);
	if (path !== undefined) parts.push(["instr(p.path, ?) > 0", path]);
	if (since !== undefined) parts.push(["p.at >= ?", since]);
	if (until !== undefined) parts.push(["p.at <= ?", until]);
	return {
		sql: parts.map(([sql]) => ` AND ${sql}`).join(""),
		values: parts.flatMap(([, ...values]) => values),
	};
}

/** Words in quotes are nothing but words to FTS5; side by side they are a phrase. */
function matchOf(terms: readonly Term[], { project, session }: Filter): string {
	const wanted = `text : (${terms.map(({ words }) => `"${words.join(" ")}"`).join(" OR ")})`;
	const scopes = [
		...(project === undefined ? [] : [`(scope : ${scopeWord("p", project)} OR scope : ${scopeWord("p", "")})`]),
		...(session === undefined ? [] : [`scope : ${scopeWord("s", session)}`]),
	];
	return [`(${wanted})`, ...scopes].join(" AND ");
}

/** The project and the session as words of the index: what is not asked for is never ranked. */
export const scopeOf = ({ project, session }: { project: string; session: string }): string =>
	`${scopeWord("p", project)} ${scopeWord("s", session)}`;

const scopeWord = (what: string, name: string): string =>
	`${what}${new Bun.CryptoHasher("sha256").update(name).digest("hex").slice(0, 16)}x`;
