import { existsSync } from "node:fs";
import { indexFiles } from "../../claude/machine/index-files.ts";
import { indexTranscript } from "../../claude/transcript/index-transcript.ts";
import { indexFailure, isUnusable } from "../../search/database.ts";
import { fillVectors } from "../../search/meaning.ts";
import { SearchIndex } from "../../search/search-index.ts";
import { isBusy } from "../../store/database-errors.ts";
import { claudeRoot } from "../../store/paths.ts";
import { projectOf } from "../../store/project.ts";
import type { Hook } from "../run/event.ts";
import { isDue, startBeside } from "./beside.ts";

/** Milliseconds of the process's time until the reading of a long transcript ends; the next hook goes on. */
const LIMIT_MS = 800;
/** With more spent, the session's own update had much to do: the index follows after the next turn. */
const BEGIN_MS = 500;
/** Read of a transcript at once. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Waited for another writer. */
const WAIT_MS = 1_000;
const HOUR_MS = 3_600_000;

/**
 * Adds to the search index what the session and its project's notes have gained. What it lacks of other sessions a process beside this
 * one reads: once an hour, and at once into an index that was made anew. It is derived: what fails here costs nothing else.
 */
export function updateIndex(hook: Hook): void {
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
	const isListed = SearchIndex.use(root, { waitMs: WAIT_MS, tell }, (index) => {
		// before the first message there is none
		part(() => existsSync(source.path) && indexTranscript(index, source, { isSpent, most: MOST_BYTES }));
		part(() => indexFiles(index, { root, claudeRoot: claudeRoot(env), folder }));
		return index.isListed();
	});
	if (isDue(hook, "index-hour", HOUR_MS) || !isListed) startBeside(hook, ["index", "--fill"]);
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
