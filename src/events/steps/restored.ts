import { foreign } from "../../core/text/quoted.ts";
import { readHead } from "../../git/head.ts";
import { repositoryOf } from "../../git/repository.ts";
import { claimRestore, type RestoreRequest, type Target } from "../../store/recovery/restore-request.ts";
import type { Hook } from "../run/event.ts";

/** The restored checkpoint that waits for this session, or the next one of its project, for the one event that takes it; `null` for all others. */
export function restoredText(target: Target, hook: Hook): string | null {
	const { now, config } = hook;
	const request = claimRestore(hook, target, now, config.checkpoints.freshHours);
	return request && withPresent(request, now);
}

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
