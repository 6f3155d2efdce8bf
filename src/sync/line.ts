import { ago, counted } from "../core/text/text.ts";
import type { Store } from "../store/session-handle.ts";
import { openSpace } from "./space.ts";
import { type membersHere, syncStatus } from "./sync.ts";

/** When the last exchange was and what waits, in a line; `isWrong`: something was refused or failed, or a clock is off. `null` where nothing is shared. */
export function syncLine(store: Store, now: number): { line: string; isWrong: boolean } | null {
	const opened = openSpace(store);
	if (!opened) return null;
	try {
		const found = syncStatus(opened);
		const { last, members, address, paused, role } = found;
		const [clock, ...clocks] = clocksAhead(members, found.machine);
		const missing = members.reduce((sum, { batches, seen }) => sum + Math.max(0, seen - batches), 0);
		const refused = last.problems.length + last.failures.length;
		const isLate = last.failed !== null && !(now - Date.parse(last.at ?? "") < LATE_MS);
		const parts = [
			`${last.at === null ? "never yet" : ago(now - Date.parse(last.at))} by ${address}`,
			toSend(found),
			...(missing > 0 ? [`${counted(missing, "batch", "batches")} of others not here yet`] : []),
			...(role === "none" ? ["no member has taken this machine in"] : []),
			...(paused ? ["paused"] : []),
			...(clock ? [`${clock}${clocks.length > 0 ? ` (${clocks.length} more: ccg sync status)` : ""}`] : []),
			...(last.failed ? [`the last try failed ${ago(now - Date.parse(last.failed.at))}`] : []),
			...(refused > 0 ? [`${counted(refused, "problem")}: ccg sync status`] : []),
		];
		return { line: parts.join(", "), isWrong: refused > 0 || clock !== undefined || isLate };
	} finally {
		opened.close();
	}
}

/** What the next exchange would send. */
export function toSend({ changes, waiting }: Pick<ReturnType<typeof syncStatus>, "changes" | "waiting">): string {
	const batches = waiting > 0 ? counted(waiting, "batch", "batches") : "nothing";
	return `${changes > 0 ? counted(changes, "change") : batches} to send`;
}

/** Where nothing was exchanged for so long, a failure is told as one. */
const LATE_MS = 24 * 60 * 60_000;

/** Of each machine whose clock is hours ahead that it is, the furthest first. Which of the two is wrong nobody here knows. */
export const clocksAhead = (members: ReturnType<typeof membersHere>, own: string): string[] =>
	members
		.filter(({ aheadMs, machine }) => aheadMs > 0 && machine !== own)
		.sort((a, b) => b.aheadMs - a.aheadMs)
		.map(({ person, name, aheadMs }) => {
			const far = counted(Math.round(aheadMs / 3_600_000), "hour");
			return `the clock of ${person} on ${name} is ${far} ahead of this machine's`;
		});
