import { ago, counted } from "../../core/text/text.ts";
import type { Store } from "../../store/session-handle.ts";
import { lastSync } from "./exchange.ts";
import { openSpace } from "./space.ts";

/** Where nothing was exchanged for so long, a failure is told as one. */
const LATE_MS = 24 * 60 * 60_000;

/** When the last exchange was, in a line; `isWrong`: something was refused, failed or waits. `null` where nothing is shared. */
export function syncLine(store: Store, now: number): { line: string; isWrong: boolean } | null {
	const opened = openSpace(store);
	if (!opened) return null;
	const { at, failed, problems, waiting, isMember } = lastSync(opened);
	const isLate = failed !== null && !(now - Date.parse(at ?? "") < LATE_MS);
	const parts = [
		`${at === null ? "never yet" : ago(now - Date.parse(at))} by ${opened.space.address}`,
		...(at !== null && !isMember ? ["no member has let this machine in"] : []),
		...(opened.space.isPaused ? ["paused"] : []),
		...(failed ? [`the last try failed ${ago(now - Date.parse(failed.at))}`] : []),
		...(waiting.length > 0 ? ["something waits for a yes: ccg sync now"] : []),
		...(problems.length > 0 ? [`${counted(problems.length, "problem")}: ccg sync status`] : []),
	];
	return { line: parts.join(", "), isWrong: problems.length > 0 || waiting.length > 0 || isLate };
}
