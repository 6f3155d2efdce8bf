import { foreign } from "../../core/text/quoted.ts";
import { readHead } from "../../git/head.ts";
import { repositoryOf } from "../../git/repository.ts";
import { projectOf } from "../../store/project.ts";
import {
	type AgeLimit,
	claimRestore,
	claimRestoreNext,
	type RestoreRequest,
} from "../../store/recovery/restore-request.ts";
import { sessionAt } from "../../store/session-handle.ts";
import type { Services } from "../run/event.ts";

/** The restored checkpoint that waits for this session, for the one event that takes it; `null` for all others. */
export function restoredText(sid: string, services: Services): string | null {
	const request = claimRestore(sessionAt(services, sid), limitOf(services));
	return request && withPresent(request, services.now);
}

/** The same for a session that begins in a project. */
export function nextRestoredText(folder: string, services: Services): string | null {
	const request = claimRestoreNext(services, projectOf(folder).key, limitOf(services));
	return request && withPresent(request, services.now);
}

const limitOf = ({ now, config }: Services): AgeLimit => ({ now, maxHours: config.checkpoints.freshHours });

/** Hours may lie between the restore and this event: they are told behind the text, and a branch or commit that is another one now. */
function withPresent(request: RestoreRequest, now: Date): string {
	const { text, at } = request;
	const hours = Math.floor((now.getTime() - Date.parse(at)) / 3_600_000);
	const changed = [...(hours >= 1 ? [`${hours} h have passed until now`] : []), ...headChanges(request)];
	return changed.length ? `${text}\n- since ${at}: ${changed.join(", ")}` : text;
}

function headChanges({ folder, branch, commit }: RestoreRequest): string[] {
	const repository = folder ? repositoryOf(folder) : null;
	const head = repository && readHead(repository);
	if (!head || !branch) return [];
	const now = head.branch ?? "HEAD (no branch)";
	return [
		...(now === branch ? [] : [`the branch is ${foreign(now)} by now`]),
		...(!commit || !head.commit || head.commit.startsWith(commit) ? [] : ["there is another commit by now"]),
	];
}
