import { unclearText } from "../core/state/unclear.ts";
import { readSnapshot } from "../store/session/session-snapshot.ts";
import { type Store, sessionAt } from "../store/session-handle.ts";
import { readSessions } from "../store/status/session-status.ts";
import type { DoctorCheck } from "./check.ts";

/** Whether the transcripts of the last sessions tell who spoke: a change in what Claude Code writes shows on its first day. */
export function checkSpeakers(store: Store | null, now: Date): DoctorCheck[] {
	const unclear = (store ? readSessions(store, now).slice(0, 10) : []).flatMap(({ session }) => {
		const read = readSnapshot(sessionAt(store!, session), now);
		const text = read.found === "good" && unclearText(read.value.state);
		return text ? [`session ${session}: ${text}`] : [];
	});
	if (unclear.length === 0) return [];
	const fix =
		"these are told as unclear, not as yours; update ccg, whose hook UserPromptSubmit also tells which prompts are yours";
	return [{ id: "store.speakers", title: "who spoke", status: "warn", detail: unclear.join("; "), fix }];
}
