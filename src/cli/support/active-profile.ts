import type { SessionSnapshot } from "../../core/context/session-context.ts";
import { chosenProfile } from "../../store/config/profiles.ts";
import { projectOf } from "../../store/project.ts";
import { listSessions, readContext, updateSnapshot } from "../../store/session/session-snapshot.ts";
import { type Session, type Store, sessionAt } from "../../store/session-handle.ts";

/** The name of the profile that counts for a session: what is shown, whatever its context was written under. */
export function activeProfile(session: Session, folder: string): string {
	return chosenProfile(session.root, { sid: session.id, folder, tell: session.tell })?.name ?? "default";
}

/**
 * Writes the profile that counts now into the context of the session, or of every session of the project, that names
 * another. A session's own choice is made with its context: one that can't be written is an error. Of a project's sessions
 * one that is being written stays as it is: its own hook brings it up to date.
 */
export function renewContexts(store: Store, place: { sid: string } | { folder: string }, cwd: string, now: Date): void {
	if ("sid" in place) {
		renew(sessionAt(store, place.sid), cwd, now, 2_000);
		return;
	}
	const project = projectOf(place.folder).key;
	for (const sid of listSessions(store.root)) {
		const session = sessionAt(store, sid);
		const read = readContext(session, now);
		if (read.found !== "good") continue;
		const { profile, system_state: state } = read.value;
		if (!state.cwd || projectOf(state.cwd).key !== project) continue;
		if (profile === activeProfile(session, state.cwd)) continue;
		try {
			renew(session, state.cwd, now, 50);
		} catch (error) {
			if (!["ELOCKED", "EUNUSABLE"].includes((error as { code?: string }).code ?? "")) throw error;
		}
	}
}

function renew(session: Session, cwd: string, now: Date, waitMs: number): void {
	const choose = (snapshot: SessionSnapshot): void => {
		snapshot.profile = activeProfile(session, snapshot.state.cwd || cwd);
	};
	updateSnapshot(session, now, choose, { waitMs });
}
