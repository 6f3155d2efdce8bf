import { unclearText } from "../core/state/unclear.ts";
import { readSnapshot } from "../store/session/session-snapshot.ts";
import { type Store, sessionAt } from "../store/session-handle.ts";
import { readSessions } from "../store/status/session-status.ts";
import type { DoctorCheck } from "./check.ts";

/** Sessions looked at, those seen last. */
const MOST = 10;

/** Whether the transcripts tell who spoke: a change in what Claude Code writes shows here on its first day. */
export function checkSpeakers(store: Store | null, now: Date): DoctorCheck[] {
	const check = { id: "store.speakers", title: "who spoke" };
	const read = (store ? readSessions(store, now) : []).slice(0, MOST).flatMap(({ session }) => {
		const found = readSnapshot(sessionAt(store!, session), now);
		return found.found === "good" ? [found.value] : [];
	});
	if (read.length === 0) return [];
	const unclear = read.flatMap(({ session_id: id, state }) => {
		const text = unclearText(state);
		return text ? [`session ${id}: ${text}`] : [];
	});
	if (unclear.length === 0)
		return [{ ...check, status: "ok", detail: `the transcripts tell it, in the last ${read.length} sessions` }];
	return [
		{
			...check,
			status: "warn",
			detail: unclear.join("; "),
			fix: "what these say is told as unclear, not as yours; update ccg, and see that its hook UserPromptSubmit is registered, which tells of prompts that they are yours",
		},
	];
}
