import { existsSync } from "node:fs";
import { indexProjectMemory } from "../../claude/machine/index-files.ts";
import { indexTranscript } from "../../claude/transcript/index-transcript.ts";
import { startDetached } from "../../files/on-path.ts";
import { indexError, isIndexUnusable } from "../../search/database.ts";
import { addMissingVectors } from "../../search/meaning.ts";
import { SearchIndex } from "../../search/search-index.ts";
import { shortenLog } from "../../store/database.ts";
import { isBusy } from "../../store/database-errors.ts";
import { claudeRoot, indexPath } from "../../store/paths.ts";
import { findProject } from "../../store/project.ts";
import type { Hook } from "../run/event.ts";
import { claimIfDue } from "./beside.ts";

/** Milliseconds of the process's time until the reading of a long transcript ends; the next hook goes on. */
const LIMIT_MS = 800;
/** A hook that has spent more leaves the index to the next turn. */
const MAX_SPENT_MS = 500;
/** Read of a transcript at once. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Waited for another writer. */
const WAIT_MS = 1_000;
const HOUR_MS = 3_600_000;

/**
 * Adds to the search index what the session and its project's notes have gained. Once an hour, or where the index was made anew, it starts
 * a background process that adds what is missing of other sessions. A part that fails is logged, and the rest goes on.
 */
export function updateIndex(hook: Hook): void {
	const { input, session, folder, root, env, log, budget, onProblem } = hook;
	if (!folder || budget.spentMs() > MAX_SPENT_MS) return;
	const source = { path: input.transcript_path ?? "", project: findProject(folder).key, session: session.id };
	const isTimeUp = (): boolean => budget.spentMs() >= LIMIT_MS;
	const runPart = (act: () => void): void => {
		try {
			if (!isTimeUp()) act();
		} catch (error) {
			// `use` makes an unusable index anew; one in use by another process is left to the next turn
			if (isIndexUnusable(error)) throw error;
			if (!isBusy(error)) log(indexError(error, root));
		}
	};
	const isListed = SearchIndex.use(root, { waitMs: WAIT_MS, onProblem }, (index) => {
		runPart(() => existsSync(source.path) && indexTranscript(index, source, { isTimeUp, maxBytes: MOST_BYTES }));
		runPart(() => indexProjectMemory(index, { root, claudeRoot: claudeRoot(env), folder }));
		runPart(() => shortenLog(index.database, indexPath(root)));
		return index.isListed();
	});
	if (claimIfDue(hook, "index-hour", HOUR_MS) || !isListed) startDetached(hook.launcher, ["index", "--fill"], hook.env);
}

/** Passages of one turn: what a turn says is fewer, and the rest waits for the next or for `ccg index --embed`. */
const MOST_VECTORS = 64;
/** The turn is over and nobody waits; a new one may begin. */
const EMBED_MS = 5_000;

/**
 * Makes vectors of the newest passages that have none, after the hook has answered. A model that can't be reached is no failure of the hook:
 * recall says so.
 */
export function embedPassages({ root, env, config: { embeddings } }: Hook): void {
	const signal = AbortSignal.timeout(EMBED_MS);
	addMissingVectors(root, embeddings, { env, most: MOST_VECTORS, signal }).catch(() => {});
}
