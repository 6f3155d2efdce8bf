import type { Target } from "../../core/checkpoint/checkpoint.ts";
import { claimRestore } from "../../store/recovery/restore-request.ts";
import type { Hook } from "../run/event.ts";

/**
 * The text of a restored checkpoint that waits for this session or project, with how many hours ago it was restored. Claims it: one hook
 * gets it, `null` for all others.
 */
export function claimRestoredText(target: Target, hook: Hook): string | null {
	const { now, config } = hook;
	const request = claimRestore(hook, target, now, config.checkpoints.freshHours);
	if (!request) return null;
	const { text, at } = request;
	const hours = Math.floor((now.getTime() - Date.parse(at)) / 3_600_000);
	return hours < 1 ? text : `${text}\n- since ${at}: ${hours} h have passed until now`;
}
