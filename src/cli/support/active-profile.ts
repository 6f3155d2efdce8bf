import type { SessionSnapshot } from "../../core/context/session-context.ts";
import { chosenProfile } from "../../store/config/profiles.ts";
import { projectOf } from "../../store/project.ts";
import { listSessions, readContext, updateSnapshot } from "../../store/session/session-snapshot.ts";

/** The name of the profile that counts for a session: what is shown, whatever its context was written under. */
export function activeProfile(root: string, sid: string, folder: string): string {
	return chosenProfile(root, { sid, folder })?.name ?? "default";
}

/**
 * Writes the profile that counts now into the context of the session, or of every session of the project, that names
 * another. A session's own choice is made with its context: one that can't be written is an error. Of a project's sessions
 * one that is being written stays as it is: its own hook brings it up to date.
 */
export function renewContexts(root: string, place: { sid: string } | { folder: string }, cwd: string, now: Date): void {
	if ("sid" in place) {
		renew(root, place.sid, cwd, now, 2_000);
		return;
	}
	const project = projectOf(place.folder).key;
	for (const sid of listSessions(root)) {
		const read = readContext(root, sid, now);
		if (read.found !== "good") continue;
		const { profile, system_state: state } = read.value;
		if (!state.cwd || projectOf(state.cwd).key !== project) continue;
		if (profile === activeProfile(root, sid, state.cwd)) continue;
		try {
			renew(root, sid, state.cwd, now, 50);
		} catch (error) {
			if (!["ELOCKED", "EUNUSABLE"].includes((error as { code?: string }).code ?? "")) throw error;
		}
	}
}

function renew(root: string, sid: string, cwd: string, now: Date, waitMs: number): void {
	const choose = (snapshot: SessionSnapshot): void => {
		snapshot.profile = activeProfile(root, sid, snapshot.state.cwd || cwd);
	};
	updateSnapshot(root, sid, now, choose, { waitMs });
}
