import { inProjectOf } from "../../store/pressure/halted-here.ts";
import { projectOf } from "../../store/project.ts";
import type { Store } from "../../store/session-handle.ts";
import { readSessions } from "../../store/status/session-status.ts";

/** The session of a folder's project seen last: a task of another project is never meant. */
export function lastOfProject(store: Store, folder: string, now: Date): string {
	const isHere = inProjectOf(store, folder);
	const last = readSessions(store, now).find(({ session }) => isHere(session));
	if (last) return last.session;
	throw new Error(
		`no session is known of this project (${projectOf(folder).root}) in ${store.root}; name one with --session ID ('ccg sessions list' shows those there are), or a folder for the task with CCG_TASK_ROOT`,
	);
}
