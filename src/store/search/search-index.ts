import type { Database } from "bun:sqlite";
import { RULES_VERSION } from "../../core/redact/rules-version.ts";
import { redactSecrets } from "../../core/redact/secrets.ts";
import type { FoundPassage, Passage } from "../../core/search/passage.ts";
import { indexText, type Term } from "../../core/search/words.ts";
import type { Tell } from "../problems.ts";
import {
	indexFailure,
	indexIdentity,
	isDamaged,
	openDatabase,
	setIndexAside,
	UnusableIndex,
} from "./index-database.ts";
import { type Filter, findPassages, passagesAround, scopeOf } from "./search-query.ts";
import { packed } from "./stored-passage.ts";

/** Where passages come from: a transcript, a file of notes. */
export interface Source {
	path: string;
	/** Key of the project in the store; `""` for what belongs to all. */
	project: string;
	session: string;
}

/** How far a source has been read. `state` is the reader's own. */
export interface Reached {
	reached: number;
	state: string;
}

/** Key of a project that nobody has: of a source whose project is not known yet, or can't be. Found where all are searched. */
export const NO_PROJECT = "?";

/** In the file's head: which transcripts the index is to hold was looked up. */
const LISTED = 1;

/** From so many passages on common words are counted; those in more than this share of them are common. */
const MANY = 5_000;
const COMMON = 0.02;

export interface OpenOptions {
	create?: boolean;
	/** Waited for another writer. */
	waitMs?: number;
	now?: Date;
	tell?: Tell;
}

/** The search index, open. Close it. */
export class SearchIndex {
	private constructor(
		readonly database: Database,
		readonly root: string,
	) {}

	/**
	 * Runs `act` with the index and closes it. One that is damaged or of another version, found so at the opening or while it is
	 * used, is set aside, told, and made anew; `act` then runs once more. `null` where there is none and `create` is not asked for.
	 */
	static use<T>(root: string, options: OpenOptions, act: (index: SearchIndex) => T): T | null {
		const { tell = () => {}, now = new Date() } = options;
		for (let tries = 0; ; tries++) {
			let index: SearchIndex | null = null;
			const identity = indexIdentity(root);
			try {
				index = SearchIndex.open(root, options);
				return index && act(index);
			} catch (error) {
				if (tries > 0 || !(error instanceof UnusableIndex || isDamaged(error))) throw indexFailure(error, root);
				// an MCP server that was started before ccg was updated would put the new one's away
				if (options.create === false && error instanceof UnusableIndex && error.isNewer)
					throw new Error(`${error.message}: a newer ccg made it; begin a new session, or update this ccg`);
				index?.close();
				index = null;
				const aside = setIndexAside(root, identity, now);
				const why = error instanceof Error ? error.message : String(error);
				if (aside)
					tell({
						text: `the search index could not be used (${why}) and was set aside as ${aside}; the ends of the next turns fill a new one, ccg index rebuild does it at once`,
						lasting: false,
					});
			} finally {
				index?.close();
			}
		}
	}

	/** Opens the index, for one that closes it. Throws `UnusableIndex`, or what SQLite says. */
	static open(root: string, { create = true, waitMs = 2_000 }: OpenOptions = {}): SearchIndex | null {
		const database = openDatabase(root, { create, waitMs });
		return database && new SearchIndex(database, root);
	}

	close(): void {
		this.database.close();
	}

	reachedOf(path: string): Reached | null {
		return this.database.query("SELECT reached, state FROM sources WHERE path = ?").get(path) as Reached | null;
	}

	/**
	 * Adds passages of a source in one transaction; one that is there already stays. `reached` is how far the source is done now.
	 * `leavesRest`: what is there and not among them lies on a branch that was left.
	 */
	add(
		source: Source,
		passages: readonly Passage[],
		{ reached, leavesRest = false }: { reached?: Reached; leavesRest?: boolean } = {},
	): void {
		this.database
			.transaction(() => {
				const { id, scope } = this.sourceRow(source);
				if (leavesRest) this.database.query("UPDATE passages SET gone = 1 WHERE source = ?").run(id);
				this.insert(id, scope, passages);
				if (reached) this.reach(id, reached);
			})
			.immediate();
	}

	/** Puts passages in the place of all that a source had: a file that is written anew, not added to. */
	replace(source: Source, passages: readonly Passage[], reached: Reached): void {
		this.database
			.transaction(() => {
				const { id } = this.sourceRow(source);
				this.dropPassages(id);
				this.database
					.query("UPDATE sources SET project = ?, session = ?, rules = ? WHERE id = ?")
					.run(source.project, source.session, RULES_VERSION, id);
				this.insert(id, scopeOf(source), passages);
				this.reach(id, reached);
			})
			.immediate();
	}

	/** Takes sources out of the index. Gives how many there were. */
	drop(where: { session: string } | { path: string }): number {
		const [column, value] = Object.entries(where)[0]!;
		this.database.run("PRAGMA secure_delete = ON");
		return this.database
			.transaction(() => {
				const ids = this.database.query(`SELECT id FROM sources WHERE ${column} = ?`).values(value) as [number][];
				for (const [id] of ids) {
					this.dropPassages(id);
					this.database.query("DELETE FROM sources WHERE id = ?").run(id);
				}
				return ids.length;
			})
			.immediate();
	}

	/**
	 * Counts the words that stand in many passages, when there are many more than at the last count: a query leaves them out where it
	 * has rarer ones, or ranking would take as long as the index is large.
	 */
	countCommon(): void {
		const { passages } = this.database.query("SELECT count(*) AS passages FROM passages").get() as { passages: number };
		const counted = this.database.query("SELECT passages FROM common WHERE word = ''").get() as {
			passages: number;
		} | null;
		if (passages < MANY || passages < (counted?.passages ?? 0) * 1.5) return;
		this.database.run("CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, words, row)");
		this.database
			.transaction(() => {
				this.database.run("DELETE FROM common");
				this.database
					.query("INSERT INTO common SELECT term, doc FROM temp.vocabulary WHERE doc > ? UNION ALL SELECT '', ?")
					.run(Math.max(MANY / 10, passages * COMMON), passages);
			})
			.immediate();
	}

	/** After much was written: the index of words in one piece, and what the database wrote beside itself taken in. */
	tidy(): void {
		this.database.run("INSERT INTO words(words) VALUES ('optimize')");
		this.countCommon();
		this.database.query("PRAGMA incremental_vacuum").all();
		this.database.run("PRAGMA wal_checkpoint(TRUNCATE)");
	}

	/** After sessions were deleted: none of their words stays in the file, neither among the common ones nor in pages that are free. */
	wipe(): void {
		this.database.run("DELETE FROM common");
		this.tidy();
		this.database.run("VACUUM");
		this.database.run("PRAGMA wal_checkpoint(TRUNCATE)");
	}

	private insert(source: number, scope: string, passages: readonly Passage[]): void {
		const isThere = this.knownFrom(source, passages);
		const insertPassage = this.database.query(
			"INSERT INTO passages(source, pos, part, at, kind, tool, path, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		);
		const insertWords = this.database.query("INSERT INTO words(rowid, text, scope) VALUES (?, ?, ?)");
		for (const passage of passages) {
			if (isThere(passage)) continue;
			const { pos, part, at, kind, tool, path, text } = passage;
			const safe = redactSecrets(text);
			const place = redactSecrets(path);
			const { changes, lastInsertRowid: id } = insertPassage.run(
				source,
				pos,
				part,
				at,
				kind,
				tool,
				place,
				packed(safe),
			);
			if (changes === 0) continue;
			insertWords.run(id, indexText(place && !safe.includes(place) ? `${safe}\n${place}` : safe), scope);
		}
	}

	/** Whether a passage is there already; then it stands again. Where none is from the first of these on, nothing is asked. */
	private knownFrom(source: number, passages: readonly Passage[]): (passage: Passage) => boolean {
		let first = Number.MAX_SAFE_INTEGER;
		for (const { pos } of passages) if (pos < first) first = pos;
		if (!this.database.query("SELECT 1 FROM passages WHERE source = ? AND pos >= ? LIMIT 1").get(source, first))
			return () => false;
		const find = this.database.query("SELECT id, gone FROM passages WHERE source = ? AND pos = ? AND part = ?");
		const stand = this.database.query("UPDATE passages SET gone = 0 WHERE id = ?");
		return ({ pos, part }) => {
			const known = find.get(source, pos, part) as { id: number; gone: number } | null;
			if (known?.gone) stand.run(known.id);
			return known !== null;
		};
	}

	private dropPassages(source: number): void {
		this.database.query("DELETE FROM words WHERE rowid IN (SELECT id FROM passages WHERE source = ?)").run(source);
		this.database.query("DELETE FROM passages WHERE source = ?").run(source);
	}

	private reach(source: number, { reached, state }: Reached): void {
		this.database.query("UPDATE sources SET reached = ?, state = ? WHERE id = ?").run(reached, state, source);
	}

	/** Passages that hold any of the terms, SQLite's best first, `most` of them. */
	find(terms: readonly Term[], filter: Filter = {}, most?: number): FoundPassage[] {
		return findPassages(this.database, terms, filter, most);
	}

	/** A passage by its id, with those before and after it in its source; `null` where there is none. */
	around(id: string, many: { before: number; after: number }): FoundPassage[] | null {
		return passagesAround(this.database, id, many);
	}

	/** The transcripts of a session. */
	transcriptsOf(session: string): Source[] {
		return this.database
			.query("SELECT path, project, session FROM sources WHERE session = ? AND path LIKE '%.jsonl'")
			.all(session) as Source[];
	}

	/** Whether a new index has been told which transcripts it is to hold. */
	isListed(): boolean {
		const row = this.database.query("PRAGMA application_id").get() as { application_id: number };
		return row.application_id === LISTED;
	}

	/** Notes transcripts that the index is to hold; those it does not know are read later. */
	list(transcripts: readonly Source[]): void {
		this.database
			.transaction(() => {
				for (const one of transcripts) this.sourceRow(one);
				this.database.run(`PRAGMA application_id = ${LISTED}`);
			})
			.immediate();
	}

	/** All transcripts, and how far each has been read. */
	transcripts(): (Source & { reached: number })[] {
		return this.database
			.query("SELECT path, project, session, reached FROM sources WHERE path LIKE '%.jsonl'")
			.all() as (Source & { reached: number })[];
	}

	/** The sessions whose id begins so. */
	sessionsLike(begin: string): string[] {
		const rows = this.database
			.query("SELECT DISTINCT session FROM sources WHERE session <> '' AND substr(session, 1, ?) = ? ORDER BY session")
			.values(begin.length, begin) as [string][];
		return rows.map(([session]) => session);
	}

	/** How much the index holds. */
	size(project?: string): { passages: number; sources: number; sessions: number } {
		const where = project === undefined ? "" : " WHERE s.project = ?";
		return this.database
			.query(
				`SELECT count(DISTINCT s.id) AS sources, count(DISTINCT nullif(s.session, '')) AS sessions, count(p.id) AS passages
				 FROM sources s LEFT JOIN passages p ON p.source = s.id${where}`,
			)
			.get(...(project === undefined ? [] : [project])) as { passages: number; sources: number; sessions: number };
	}

	/** A source's row, made where there is none, and the words its passages are found by. Whose it is, its first reading says. */
	private sourceRow({ path, project, session }: Source): { id: number; scope: string } {
		const known = this.database.query("SELECT id, project, session FROM sources WHERE path = ?").get(path) as
			| (Omit<Source, "path"> & { id: number })
			| null;
		if (known?.project === NO_PROJECT && project !== NO_PROJECT) {
			this.database.query("UPDATE sources SET project = ? WHERE id = ?").run(project, known.id);
			return { id: known.id, scope: scopeOf({ project, session: known.session }) };
		}
		// begun under other rules, it keeps their name: what is added later does not vouch for what was there
		if (known) return { id: known.id, scope: scopeOf(known) };
		const hash = new Bun.CryptoHasher("sha256").update(path).digest("hex");
		for (let length = 5; ; length++) {
			const tag = hash.slice(0, length);
			if (this.database.query("SELECT 1 FROM sources WHERE tag = ?").get(tag)) continue;
			const { lastInsertRowid } = this.database
				.query("INSERT INTO sources(tag, path, project, session, rules) VALUES (?, ?, ?, ?, ?)")
				.run(tag, path, project, session, RULES_VERSION);
			return { id: Number(lastInsertRowid), scope: scopeOf({ project, session }) };
		}
	}
}
