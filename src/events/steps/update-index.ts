import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { indexFiles } from "../../claude/machine/index-files.ts";
import { indexTranscript } from "../../claude/transcript/index-transcript.ts";
import { transcriptsBelow, workFolderOf } from "../../claude/transcript/transcripts.ts";
import { indexFailure, isUnusable } from "../../search/database.ts";
import { fillVectors } from "../../search/meaning.ts";
import { NO_PROJECT, SearchIndex, type Unread, unreadTranscripts } from "../../search/search-index.ts";
import { isBusy } from "../../store/database-errors.ts";
import { claudeRoot } from "../../store/paths.ts";
import { projectOf } from "../../store/project.ts";
import { listSessions } from "../../store/session/cycles.ts";
import { folderOf } from "../../store/session/place.ts";
import { type Store, sessionAt } from "../../store/session-handle.ts";
import type { Hook } from "../run/event.ts";

/** Milliseconds of the process's time until the reading of a long transcript ends; the next hook goes on. */
const LIMIT_MS = 800;
/** With more spent, the session's own update had much to do: the index follows after the next turn. */
const BEGIN_MS = 500;
/** Read of a transcript at once. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Waited for another writer. */
const WAIT_MS = 1_000;

/**
 * Adds to the search index what the session and its project's notes have gained; `fills`: then what it lacks of other sessions. It is
 * derived: what fails here costs nothing else.
 */
export function updateIndex(hook: Hook, fills: boolean): void {
	const { input, session, folder, root, env, log, budget, tell } = hook;
	if (!folder || budget.spentMs() > BEGIN_MS) return;
	const source = { path: input.transcript_path ?? "", project: projectOf(folder).key, session: session.id };
	const isSpent = (): boolean => budget.spentMs() >= LIMIT_MS;
	const part = (act: () => void): void => {
		try {
			if (!isSpent()) act();
		} catch (error) {
			// the index is made anew then; with others at it, the next turn goes on
			if (isUnusable(error)) throw error;
			if (!isBusy(error)) log(indexFailure(error, root));
		}
	};
	let most = MOST_BYTES;
	const use = (index: SearchIndex): void => {
		part(() => {
			// before the first message there is none
			if (!existsSync(source.path)) return;
			const before = index.reachedOf(source.path)?.reached ?? 0;
			most -= indexTranscript(index, source, { isSpent, most }) - before;
		});
		part(() => indexFiles(index, { root, claudeRoot: claudeRoot(env), folder, session }));
		if (fills)
			part(() => fillIndex(index, { store: hook, claudeRoot: claudeRoot(env), beside: source.path, most, isSpent }));
	};
	SearchIndex.use(root, { waitMs: WAIT_MS, tell }, use);
}

/** Passages of one turn: what a turn says is fewer, and the rest waits for the next or for `ccg index --embed`. */
const MOST_VECTORS = 64;
/** The turn is over and nobody waits; a new one may begin. */
const EMBED_MS = 5_000;

/**
 * Makes vectors of the newest passages that have none. Goes on behind the hook's answer; a model that can't be asked is not a failure of
 * the hook: recall says so, and `ccg index` what is missing.
 */
export function embedPassages({ root, env, config: { embeddings } }: Hook): void {
	fillVectors(root, embeddings, { env, most: MOST_VECTORS, signal: AbortSignal.timeout(EMBED_MS) }).catch(() => {});
}

interface Filling {
	store: Store;
	claudeRoot: string | null;
	/** The session's own transcript: those of its project lie beside it, and come first. */
	beside: string;
	/** Bytes read at most. */
	most: number;
	isSpent(): boolean;
}

/**
 * Reads on in the transcripts that the index does not hold to their end: of an index that was made anew, of a rebuild or a session that
 * was killed. A new index is first told which there are: of the sessions that the store knows, so that one that was deleted stays so.
 * What can't be read is passed over.
 */
export function fillIndex(index: SearchIndex, filling: Filling): void {
	const { store, claudeRoot, beside, most, isSpent } = filling;
	if (!index.isListed()) index.list(transcriptsToHold(store, claudeRoot));
	const unread = unreadTranscripts(index);
	const isNear = ({ path }: Unread): boolean => dirname(path) === dirname(beside);
	let left = most;
	for (const one of [...unread.filter(isNear), ...unread.filter((other) => !isNear(other))]) {
		if (left <= 0 || isSpent()) return;
		try {
			left -= indexOn(index, one, { ...filling, most: left });
		} catch (error) {
			if (isUnusable(error)) throw error;
			// others write; the next turn goes on
			if (isBusy(error)) return;
		}
	}
}

function transcriptsToHold(store: Store, claudeRoot: string | null) {
	const known = new Set(listSessions(store));
	return (claudeRoot ? transcriptsBelow(claudeRoot) : []).filter(({ session }) => known.has(session));
}

/** Gives the bytes that were read. */
function indexOn(index: SearchIndex, unread: Unread, { store, claudeRoot, most, isSpent }: Filling): number {
	const { path, session, project, isNew } = unread;
	const before = index.reachedOf(path)?.reached ?? 0;
	const own = sessionAt(store, session);
	const folder = isNew ? folderOf(own) || workFolderOf(path) : null;
	const source = { path, session, project: project === NO_PROJECT && folder ? projectOf(folder).key : project };
	const reached = indexTranscript(index, source, { isSpent, most });
	// its notes and its checkpoint went with the index too
	if (folder) indexFiles(index, { root: store.root, claudeRoot, folder, session: own });
	return reached - before;
}
