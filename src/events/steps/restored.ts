import { foreign } from "../../core/text/quoted.ts";
import { readHead } from "../../git/head.ts";
import { repositoryOf } from "../../git/repository.ts";
import { projectOf } from "../../store/project.ts";
import { claimRestore, claimRestoreNext, type RestoreRequest } from "../../store/recovery/restore-request.ts";
import type { Session, Store } from "../../store/session-handle.ts";

/** The restored checkpoint that waits for this session, for the one event that takes it; `null` for all others. */
export function restoredText(session: Session): string | null {
	const request = claimRestore(session);
	return request && withHead(request);
}

/** The same for a session that begins in a project. */
export function nextRestoredText(folder: string, store: Store): string | null {
	const request = claimRestoreNext(store, projectOf(folder).key);
	return request && withHead(request);
}

/** Hours may lie between the restore and this event: a branch or commit of now that is another one is told behind the text. */
function withHead({ text, folder, branch, commit, at }: RestoreRequest): string {
	const repository = folder ? repositoryOf(folder) : null;
	const head = repository && readHead(repository);
	if (!head || !branch) return text;
	const now = head.branch ?? "HEAD (no branch)";
	const changed = [
		...(now === branch ? [] : [`the branch is ${foreign(now)} by now`]),
		...(!commit || !head.commit || head.commit.startsWith(commit) ? [] : ["there is another commit by now"]),
	];
	return changed.length ? `${text}\n- since ${at}: ${changed.join(", ")}` : text;
}
