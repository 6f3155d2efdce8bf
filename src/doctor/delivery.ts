import { deliveryOf } from "../claude/transcript/delivery.ts";
import type { Store } from "../store/session-handle.ts";
import { readSessions } from "../store/status/session-status.ts";
import type { DoctorCheck } from "./check.ts";

/** Whether what was injected after the newest compaction reached the model, as the transcript shows. */
export function checkDelivery(store: Store | null, now: Date): DoctorCheck[] {
	const check = { id: "store.delivery", title: "last recovery block" };
	const last = (store ? readSessions(store, now) : []).find(
		({ checkpoint, transcriptPath }) => checkpoint?.state === "committed" && transcriptPath,
	);
	if (!last) return [];
	const { key } = last.checkpoint!;
	const delivered = deliveryOf(last.transcriptPath!, key);
	if (delivered === "yes") return [{ ...check, status: "ok", detail: `${key} reached the model` }];
	if (delivered === "unknown")
		return [
			{ ...check, status: "info", detail: `${key}: the transcript shows neither that it arrived nor that it did not` },
		];
	return [
		{
			...check,
			status: "warn",
			detail: `${key} did not reach the model of session ${last.session}`,
			fix: `it is injected again with the next tool call or prompt; 'ccg show --session ${last.session}' prints it`,
		},
	];
}
