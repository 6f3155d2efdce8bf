import { statSync } from "node:fs";
import { exact, mapSafe, redactSecrets, type Safe, safeTemplate } from "../core/redact/secrets.ts";
import { tryOrUndefined } from "../files/quietly.ts";
import { closeDatabase, type SafeDatabase } from "../store/database.ts";
import { readIdentity } from "../store/database-file.ts";
import { indexPath } from "../store/paths.ts";
import type { OnProblem } from "../store/session-handle.ts";
import {
	BLOCK_CHARACTERS,
	BLOCK_PASSAGES,
	deleteIndex,
	indexError,
	isIndexUnusable,
	openDatabase,
	packBlock,
	projectWord,
	unpackBlock,
} from "./database.ts";
import type { Passage, Source } from "./passage.ts";
import { indexText } from "./words.ts";

/** Key of a project that nobody has: of a source whose project is not known yet, or can't be. Found where all are searched. */
export const NO_PROJECT = "?";

/** In the file's head: which transcripts the index is to hold was looked up. */
const LISTED = 1;

interface OpenOptions {
	create?: boolean;
	/** Waited for another writer. */
	waitMs?: number;
	onProblem?: OnProblem;
}

/** How far a source has been read, in bytes. */
interface Reached {
	offset: number;
	/** The reader's own. */
	state: string;
	/** Where its last compaction stands; 0 where it has none. */
	compacted?: number;
}

/** The search index, open. */
export class SearchIndex {
	private constructor(
		readonly database: SafeDatabase,
		readonly root: string,
	) {}

	/**
	 * Runs `act` with the index. One that is damaged or of an older version, found so at the opening or while it is used, is told and made
	 * anew; `act` then runs once more. `null` where there is none and `create` is not asked for. Throws what SQLite says.
	 */
	static use<T>(root: string, options: OpenOptions, act: (index: SearchIndex) => T): T | null {
		for (let isAgain = false; ; isAgain = true) {
			const identity = readIdentity(indexPath(root));
			try {
				const index = SearchIndex.open(root, options);
				return index && act(index);
			} catch (error) {
				closeDatabase(indexPath(root));
				if (isAgain || !isIndexUnusable(error)) throw indexError(error, root);
				deleteIndex(root, identity);
				options.onProblem?.(
					`the search index could not be used (${(error as Error).message}) and is made anew; the end of the next turn fills it, ccg index --fill does it at once`,
				);
			}
		}
	}

	/** Gives the index that is open, or opens it. */
	static open(root: string, { create = true, waitMs = 2_000 }: OpenOptions = {}): SearchIndex | null {
		const database = openDatabase(root, { create, waitMs });
		return database && new SearchIndex(database, root);
	}

	reachedOf(path: string): Reached | null {
		const query = this.database.query<Reached, [string]>(
			"SELECT reached AS offset, state, compacted FROM sources WHERE path = ?",
		);
		return query.get(path);
	}

	/**
	 * Adds passages of a source in one transaction; one that is there already stays. `reached` is how far the source is done now.
	 * The `others` that are there stay, lie on a branch that was `left`, or `go`: a file that is written anew, not added to.
	 */
	add(
		source: Source,
		passages: readonly Passage[],
		{ reached, others = "stay" }: { reached?: Reached; others?: "stay" | "left" | "go" } = {},
	): void {
		this.write(() => {
			if (others === "go") this.dropSources("path", source.path);
			const { id, project } = this.sourceRow(source);
			if (others === "left") this.database.query("UPDATE blocks SET gone = (1 << many) - 1 WHERE source = ?").run(id);
			this.insert(id, project, passages);
			if (reached)
				this.database
					.query("UPDATE sources SET reached = ?, state = ?, compacted = ? WHERE id = ?")
					.run(reached.offset, exact(reached.state), reached.compacted ?? 0, id);
		});
	}

	/** Takes a file, or all that is of a session, out of the index, and overwrites what stood there. Gives how many sources there were. */
	drop(column: "session" | "path", value: string): number {
		this.database.run("PRAGMA secure_delete = ON");
		const found = this.write(() => this.dropSources(column, value));
		if (found > 0) this.database.run("PRAGMA wal_checkpoint(TRUNCATE)");
		return found;
	}

	/** After much was written or deleted: the index of words in one piece, no page free, so that no word of what is gone stays in the file. */
	tidy(): void {
		this.database.run("INSERT INTO words(words) VALUES ('optimize')");
		this.database.run("VACUUM");
		this.database.run("PRAGMA wal_checkpoint(TRUNCATE)");
	}

	/** Whether a new index has been told which transcripts it is to hold. */
	isListed(): boolean {
		return this.database.query("PRAGMA application_id").values()[0]?.[0] === LISTED;
	}

	/** Notes transcripts that the index is to hold; those it does not know are read later. */
	list(transcripts: readonly Omit<Source, "project">[]): void {
		this.write(() => {
			for (const { path, session } of transcripts) this.sourceRow({ path, session, project: NO_PROJECT });
			this.database.run(`PRAGMA application_id = ${LISTED}`);
		});
	}

	/** The transcripts, of one session or of all, and how far each has been read. */
	transcripts(session?: string): (Source & { reached: number })[] {
		const sql = `SELECT path, project, session, reached FROM sources WHERE path LIKE '%.jsonl' AND session = coalesce(?, session)`;
		return this.database.query<Source & { reached: number }, [string | null]>(sql).all(session ?? null);
	}

	/** The sessions whose id begins so. */
	sessionsLike(begin: string): string[] {
		const sql = `SELECT DISTINCT session FROM sources WHERE session <> '' AND substr(session, 1, ?) = ? ORDER BY session`;
		return this.database.query(sql).values(begin.length, begin).flat().map(String);
	}

	/** How much the index holds, of one project or of all. */
	size(project?: string): { passages: number; sources: number; sessions: number } {
		const sql = `SELECT count(DISTINCT s.id) AS sources, count(DISTINCT nullif(s.session, '')) AS sessions, coalesce(sum(b.many), 0) AS passages
			FROM sources s LEFT JOIN blocks b ON b.source = s.id WHERE s.project = coalesce(?, s.project)`;
		return this.database.query(sql).get(project ?? null) as ReturnType<SearchIndex["size"]>;
	}

	private write = <T>(act: () => T): T => this.database.transaction(act).immediate();

	/** The one place that puts text into the index: each passage passes redaction. */
	private insert(source: number, project: string, passages: readonly Passage[]): void {
		if (passages.length === 0) return;
		const known = this.known(
			source,
			passages.reduce((least, { pos }) => Math.min(least, pos), Infinity),
		);
		const stand = this.database.query("UPDATE blocks SET gone = gone & ~(1 << ?) WHERE id = ?");
		const insertWords = this.database.query("INSERT INTO words(rowid, text, project) VALUES (?, ?, ?)");
		const insertBlock = this.database.query("INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?, 0, ?)");
		const word = exact(projectWord(project));
		// no id of a passage that is gone is given to another
		const next = `SELECT seq + coalesce((SELECT many FROM blocks WHERE id = seq), ${BLOCK_PASSAGES}) FROM sqlite_sequence WHERE name = 'blocks'`;
		let id = Number(this.database.query(next).values()[0]?.[0] ?? 1);
		let block: Parameters<typeof packBlock>[0][number][] = [];
		let times: number[] = [];
		let [last, at, length] = [0, 0, 0];
		const close = (): void => {
			const [first, latest] = [Math.min(...times), Math.max(...times)];
			if (block.length > 0) insertBlock.run(id, source, last, block.length, first, latest, packBlock(block));
			[id, block, times, last, at, length] = [id + block.length, [], [], 0, 0, 0];
		};
		for (const passage of passages) {
			const place = known.get(`${passage.pos} ${passage.part}`);
			if (place) {
				stand.run(place.n, place.id);
				continue;
			}
			if (block.length === BLOCK_PASSAGES || length > BLOCK_CHARACTERS || passage.pos < last) close();
			const [tool, path, text] = [passage.tool, passage.path, passage.text].map(redactSecrets) as [Safe, Safe, Safe];
			const words = path && !text.includes(path) ? safeTemplate`${text}\n${path}` : text;
			insertWords.run(id + block.length, mapSafe(words, indexText), word);
			times.push(passage.at);
			block.push([passage.pos - last, passage.part, passage.at - at, exact(passage.kind), tool, path, text]);
			[last, at, length] = [passage.pos, passage.at, length + text.length];
		}
		close();
	}

	/** Where the passages of a source that begin at `from` or behind it are: what is read again stands as it did. */
	private known(source: number, from: number): Map<string, { id: number; n: number }> {
		const sql = "SELECT id, passages FROM blocks WHERE source = ? AND last >= ?";
		const rows = this.database.query(sql).values(source, from) as [number, Uint8Array][];
		return new Map(
			rows.flatMap(([id, all]) => unpackBlock(all).map((one, n) => [`${one.pos} ${one.part}`, { id, n }])),
		);
	}

	/** With their passages and vectors. */
	private dropSources(column: "session" | "path", value: string): number {
		const ids = this.database.query(`SELECT id FROM sources WHERE ${column} = ?`).values(value) as [number][];
		for (const [source] of ids) {
			const blocks = this.database.query("SELECT id, id + many FROM blocks WHERE source = ?").values(source);
			for (const [from, to] of blocks as [number, number][]) {
				this.database.query("DELETE FROM words WHERE rowid >= ? AND rowid < ?").run(from, to);
				this.database.query("DELETE FROM vectors WHERE passage >= ? AND passage < ?").run(from, to);
			}
			this.database.query("DELETE FROM blocks WHERE source = ?").run(source);
			this.database.query("DELETE FROM sources WHERE id = ?").run(source);
		}
		return ids.length;
	}

	/** A source's row, made where there is none. Whose it is, its first reading says; what is added later does not vouch for what was there. */
	private sourceRow({ path, project, session }: Source): { id: number; project: string } {
		const sql = `INSERT INTO sources(path, project, session) VALUES (?, ?, ?) ON CONFLICT(path) DO UPDATE SET
			project = iif(project = '${NO_PROJECT}', excluded.project, project) RETURNING id, project`;
		return this.database.query(sql).get(path, project, session) as { id: number; project: string };
	}
}

/** A transcript that is longer than what the index has read of it. */
interface Unread extends Source {
	/** Not read yet. */
	bytes: number;
	mtimeMs: number;
	/** Nothing of it was read yet. */
	isNew: boolean;
}

/** The transcripts that the index has not read to their end, the one that was written last first. */
export function unreadTranscripts(index: SearchIndex): Unread[] {
	const found: Unread[] = [];
	for (const { reached, ...source } of index.transcripts())
		tryOrUndefined(() => {
			const { size, mtimeMs } = statSync(source.path);
			if (size > reached) found.push({ ...source, bytes: size - reached, mtimeMs, isNew: reached === 0 });
		});
	return found.sort((a, b) => b.mtimeMs - a.mtimeMs);
}

/** Less is what a running turn has said, or half a line that a killed session left. */
const MIN_UNREAD = 64 * 1024;

/** How many transcripts, of a project or of all, the index has not read to the end, and how many bytes. Small rests do not count. */
export function countUnread(index: SearchIndex, project?: string): { transcripts: number; bytes: number } {
	const unread = unreadTranscripts(index).filter(
		(one) => (one.isNew || one.bytes > MIN_UNREAD) && (!project || [project, NO_PROJECT].includes(one.project)),
	);
	return { transcripts: unread.length, bytes: unread.reduce((sum, { bytes }) => sum + bytes, 0) };
}
