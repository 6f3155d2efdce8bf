import { type Env, isSessionId } from "../../store/paths.ts";
import { listSessions } from "../../store/session/session-snapshot.ts";
import type { Store } from "../../store/session-handle.ts";
import { readSessions } from "../../store/status/session-status.ts";

/** The session somebody named, by its id or the beginning of it that only one has; without a name the one seen last. Throws when there is none. */
export function pickSession(store: Store, named: string | undefined, now: Date, { env }: { env?: Env } = {}): string {
	const { root } = store;
	const known = listSessions(root);
	if (named === undefined) {
		const last = readSessions(store, now)[0]?.session;
		if (!last) throw new Error(`no session in ${root} yet: a session's first hook makes it`);
		return last;
	}
	// the one at hand may have begun this minute
	if (known.includes(named) || (named === env?.CLAUDE_CODE_SESSION_ID && isSessionId(named))) return named;
	const begun = named === "" ? [] : known.filter((sid) => sid.startsWith(named));
	if (begun.length === 1) return begun[0]!;
	if (begun.length > 1)
		throw new Error(
			`'${named}' is the beginning of ${begun.length} sessions: ${begun.slice(0, 5).join(", ")}; give more of it`,
		);
	throw new Error(`no session '${named}' in ${root}; 'ccg sessions list' shows those there are`);
}
