import { applier, applyLate } from "../../src/core/context/apply.ts";
import { sessionContext } from "../../src/core/context/project.ts";
import type { LateRecord, SessionRecord } from "../../src/core/context/record.ts";
import { emptySnapshot, type SessionContext, type SessionSnapshot } from "../../src/core/context/session-context.ts";
import type { EventLine, TranscriptEvent } from "../../src/core/transcript/event.ts";

/** A session as people see it, and the snapshot behind it. */
export interface Seen {
	snapshot: SessionSnapshot;
	context: SessionContext;
	/** What went into the event log. */
	records: SessionRecord[];
}

const seen = (snapshot: SessionSnapshot, records: SessionRecord[] = []): Seen => ({
	snapshot,
	context: sessionContext(snapshot),
	records,
});

export const begun = (sid = "s", now = 0): Seen => seen(emptySnapshot(sid, now));

/** The session after some lines; the one given is not changed. */
export function afterLines(before: Seen, lines: readonly EventLine[]): Seen {
	const snapshot = structuredClone(before.snapshot);
	return seen(snapshot, lines.flatMap(applier(snapshot)));
}

export const afterEvent = (before: Seen, event: TranscriptEvent, id = ""): Seen =>
	afterLines(before, [{ pos: 0, uuid: id, events: [event] }]);

export function afterLate(before: Seen, records: readonly LateRecord[]): Seen {
	const snapshot = structuredClone(before.snapshot);
	applyLate(snapshot, records);
	return seen(snapshot);
}
