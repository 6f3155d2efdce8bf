import { ago, counted } from "../core/text/text.ts";
import type { Store } from "../store/session-handle.ts";
import { openSpace } from "./space.ts";
import { syncStatus } from "./sync.ts";

/** When the last exchange was and what waits, in a line; `isWrong`: something was refused or failed. `null` where nothing is shared. */
export function syncLine(store: Store, now: number): { line: string; isWrong: boolean } | null {
	const opened = openSpace(store);
	if (!opened) return null;
	try {
		const { last, members, waiting, address, paused, role } = syncStatus(opened);
		const missing = members.reduce((sum, { batches, seen }) => sum + Math.max(0, seen - batches), 0);
		const refused = last.problems.length + last.failures.length;
		const parts = [
			`${last.at === null ? "never yet" : ago(now - Date.parse(last.at))} by ${address}`,
			`${counted(waiting, "batch", "batches")} to send`,
			...(missing > 0 ? [`${counted(missing, "batch", "batches")} of others not here yet`] : []),
			...(role === "none" ? ["no member has taken this machine in"] : []),
			...(paused ? ["paused"] : []),
			...(refused > 0 ? [`${counted(refused, "problem")}: ccg sync status`] : []),
		];
		return { line: parts.join(", "), isWrong: refused > 0 };
	} finally {
		opened.close();
	}
}
