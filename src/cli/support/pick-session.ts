import { isSessionId } from "../../store/paths.ts";
import { listSessions } from "../../store/session/session-snapshot.ts";
import type { Store } from "../../store/session-handle.ts";
import { readSessions } from "../../store/status/session-status.ts";
import { isHeld, mayName } from "./held.ts";
import type { Io } from "./io.ts";

/**
 * The session somebody named, by its id or the beginning of it that only one has; without a name the one seen last. Of a held
 * command one of its project. Throws when there is none.
 */
export function pickSession(store: Store, named: string | undefined, io: Io, now: Date): string {
	const { root } = store;
	const where = isHeld(io) ? `this project in ${root}; for others: ccg --anyway COMMAND` : root;
	const isMeant = (sid: string): boolean => mayName(store, sid, io);
	if (named === undefined) {
		const last = readSessions(store, now).find(({ session }) => isMeant(session))?.session;
		if (!last) throw new Error(`no session in ${where} yet: a session's first hook makes it`);
		return last;
	}
	// the one at hand may have begun this minute
	if (named === io.env.CLAUDE_CODE_SESSION_ID && isSessionId(named)) return named;
	const begun = named === "" ? [] : listSessions(root).filter((sid) => sid.startsWith(named) && isMeant(sid));
	if (begun.includes(named)) return named;
	if (begun.length === 1) return begun[0]!;
	if (begun.length > 1)
		throw new Error(
			`'${named}' is the beginning of ${begun.length} sessions: ${begun.slice(0, 5).join(", ")}; give more of it`,
		);
	throw new Error(`no session '${named}' in ${where}; 'ccg sessions list' shows those there are`);
}
