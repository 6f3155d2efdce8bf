import { dropIndexAside } from "./index-database.ts";
import { SearchIndex } from "./search-index.ts";

/** Waited for a writer. */
const WAIT_MS = 2_000;

/**
 * Takes sessions out of the search index, where there is one; what stood in it is overwritten. One that was set aside goes whole.
 * Throws what SQLite says.
 */
export function forgetSessions(root: string, sessions: readonly string[], now: Date): void {
	if (sessions.length === 0) return;
	dropIndexAside(root);
	SearchIndex.use(root, { create: false, waitMs: WAIT_MS, now }, (index) => {
		let found = 0;
		for (const session of sessions) found += index.drop({ session });
		if (found > 0) index.wipe();
	});
}
