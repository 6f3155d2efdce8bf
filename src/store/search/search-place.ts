import { projectOf } from "../project.ts";
import { storeOf } from "../session/chosen-store.ts";
import { projectFolderOf } from "../session/session-project.ts";
import type { Place } from "../session-handle.ts";
import type { Asker } from "./recall.ts";
import { SearchIndex } from "./search-index.ts";

/** Waited for a writer. */
const WAIT_MS = 2_000;

/** Who asks: in a session that session and the project it began in, else the project of the folder. */
export const askerOf = (place: Place, now: Date): Asker => ({
	project: projectOf(projectFolderOf(place)).key,
	session: place.env.CLAUDE_CODE_SESSION_ID ?? "",
	now,
});

/** Runs `act` with the index. Where there is none yet `without` answers, else it throws. */
export function withIndex<T>(place: Place, now: Date, act: (index: SearchIndex) => T, without?: (why: string) => T): T {
	const { root, tell } = storeOf(place);
	const result = SearchIndex.use(root, { create: false, waitMs: WAIT_MS, now, tell }, (index) => ({ of: act(index) }));
	if (result) return result.of;
	const why = "there is no search index yet: the end of a session's next turn makes it, or at once: ccg index rebuild";
	if (!without) throw new Error(why);
	return without(why);
}
