import type { Target } from "../../core/checkpoint/checkpoint.ts";
import { claimRestore } from "../../store/recovery/restore-request.ts";
import type { Hook } from "../run/event.ts";

/**
 * The restored checkpoint that waits for this session, or the next one of its project, for the one event that takes it; `null` for all
 * others. Hours may lie between the restore and this event: they are told behind the text.
 */
export function restoredText(target: Target, hook: Hook): string | null {
	const { now, config } = hook;
	const request = claimRestore(hook, target, now, config.checkpoints.freshHours);
	if (!request) return null;
	const { text, at } = request;
	const hours = Math.floor((now.getTime() - Date.parse(at)) / 3_600_000);
	return hours < 1 ? text : `${text}\n- since ${at}: ${hours} h have passed until now`;
}
