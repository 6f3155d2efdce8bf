import { existsSync } from "node:fs";
import { indexFiles } from "../../claude/machine/index-files.ts";
import { indexTranscript } from "../../claude/transcript/index-transcript.ts";
import { claudeRoot } from "../../store/paths.ts";
import { projectOf } from "../../store/project.ts";
import { indexFailure, isBusy, isDamaged } from "../../store/search/index-database.ts";
import { SearchIndex } from "../../store/search/search-index.ts";
import { sessionAt } from "../../store/session-handle.ts";
import type { Services, SessionInput } from "../run/event.ts";
import { fillIndex } from "./fill-index.ts";

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
export function updateIndex(input: SessionInput, services: Services, { fills = false } = {}): void {
	const { root, env, log, now, budget } = services;
	const folder = env.CLAUDE_PROJECT_DIR || input.cwd;
	if (!folder) return;
	const spentMs = (): number => budget?.spentMs() ?? 0;
	if (spentMs() > BEGIN_MS) return;
	const source = { path: input.transcript_path ?? "", project: projectOf(folder).key, session: input.session_id };
	const session = sessionAt(services, input.session_id);
	const pace = () => (spentMs() < LIMIT_MS ? "all" : "none") as "all" | "none";
	const part = (act: () => void): void => {
		try {
			act();
		} catch (error) {
			// the index is made anew then; with others at it, the next turn goes on
			if (isDamaged(error)) throw error;
			if (!isBusy(error)) log(indexFailure(error, root));
		}
	};
	SearchIndex.use(root, { waitMs: WAIT_MS, now, tell: services.tell }, (index) => {
		// before the first message there is none
		let most = MOST_BYTES;
		if (existsSync(source.path))
			part(() => {
				const before = index.reachedOf(source.path)?.reached ?? 0;
				most -= indexTranscript(index, source, { pace, most }) - before;
			});
		if (pace() === "all") part(() => indexFiles(index, { root, claudeRoot: claudeRoot(env), folder, session }));
		if (fills && pace() === "all")
			part(() => fillIndex(index, { store: services, claudeRoot: claudeRoot(env), beside: source.path, most, pace }));
		if (pace() === "all") part(() => index.countCommon());
	});
}
