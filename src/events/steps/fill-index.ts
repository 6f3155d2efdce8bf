import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { indexFiles } from "../../claude/machine/index-files.ts";
import { indexTranscript } from "../../claude/transcript/index-transcript.ts";
import { transcriptsBelow } from "../../claude/transcript/transcripts.ts";
import { workFolderOf } from "../../claude/transcript/work-folder.ts";
import { sessionPaths } from "../../store/paths.ts";
import { projectOf } from "../../store/project.ts";
import { isBusy, isDamaged, transcriptsAside } from "../../store/search/index-database.ts";
import { NO_PROJECT, type SearchIndex } from "../../store/search/search-index.ts";
import { type Unread, unreadTranscripts } from "../../store/search/unread.ts";
import { sessionProject } from "../../store/session/session-project.ts";
import { type Store, sessionAt } from "../../store/session-handle.ts";

interface Filling {
	store: Store;
	claudeRoot: string | null;
	/** The session's own transcript: those of its project lie beside it, and come first. */
	beside: string;
	/** Bytes read at most. */
	most: number;
	pace(): "all" | "none";
}

/**
 * Reads on in the transcripts that the index does not hold to their end: those of a damaged index that was set aside, of a rebuild or
 * a session that was killed. A new index is first told which there are: of the sessions that the store knows (one that was deleted
 * stays so), and those that the index before it held. What can't be read is passed over.
 */
export function fillIndex(index: SearchIndex, filling: Filling): void {
	const { store, claudeRoot, beside, most, pace } = filling;
	if (!index.isListed()) index.list(transcriptsToHold(store.root, claudeRoot));
	const unread = unreadTranscripts(index);
	const isNear = ({ path }: Unread): boolean => dirname(path) === dirname(beside);
	let left = most;
	for (const one of [...unread.filter(isNear), ...unread.filter((other) => !isNear(other))]) {
		if (left <= 0 || pace() === "none") return;
		try {
			left -= readOn(index, one, { ...filling, most: left });
		} catch (error) {
			if (isDamaged(error)) throw error;
			// others write; the next turn goes on
			if (isBusy(error)) return;
		}
	}
}

function transcriptsToHold(root: string, claudeRoot: string | null) {
	const held = transcriptsAside(root);
	const found = claudeRoot ? transcriptsBelow(claudeRoot) : [];
	return found
		.filter(({ path, session }) => held.has(path) || existsSync(sessionPaths(root, session).folder))
		.map(({ path, session }) => ({ path, session, project: held.get(path) ?? NO_PROJECT }));
}

/** Gives the bytes that were read. */
function readOn(index: SearchIndex, unread: Unread, { store, claudeRoot, most, pace }: Filling): number {
	const { path, session, project, isNew } = unread;
	const before = index.reachedOf(path)?.reached ?? 0;
	const own = sessionAt(store, session);
	const folder = isNew ? sessionProject(own)?.folder || workFolderOf(path) : null;
	const source = { path, session, project: project === NO_PROJECT && folder ? projectOf(folder).key : project };
	const reached = indexTranscript(index, source, { pace, most });
	// its notes and its checkpoint went with the index too
	if (folder) indexFiles(index, { root: store.root, claudeRoot, folder, session: own });
	return reached - before;
}
