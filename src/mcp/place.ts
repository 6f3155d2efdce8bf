import { findStore, type Place, refuseStore, storeOf } from "../store/chosen-store.ts";
import { logFailure } from "../store/failure-log.ts";
import { projectOf } from "../store/project.ts";
import { projectFolderOf } from "../store/session/session-project.ts";

/** Where one call works. Asked anew for each: a session's hooks may have told more, and rights may have changed. */
export interface CallPlace extends Place {
	/** The store's root. */
	root: string;
	/** The project's folder, and its key in the store. */
	folder: string;
	project: string;
}

/** The store and the project of a call. Throws, in words, where the store is one that no command uses. */
export function placeOf(place: Place): CallPlace {
	refuseStore(place);
	const folder = projectFolderOf(place);
	return { ...place, root: storeOf(place).root, folder, project: projectOf(folder).key };
}

/** One line in ccg's log; none where a repository named the store. */
export function logIn(place: Place, reason: unknown): void {
	let root: string | null;
	try {
		refuseStore(place);
		root = findStore(place);
	} catch {
		return;
	}
	logFailure(root, "mcp", reason);
}
