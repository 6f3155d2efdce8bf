import { applyLine } from "../../src/core/context/apply.ts";
import { sessionContext } from "../../src/core/context/project.ts";
import { emptySnapshot, type SessionSnapshot } from "../../src/core/context/session-context.ts";
import type { EventLine, TranscriptEvent } from "../../src/core/transcript/event.ts";
import { at } from "./session-events.ts";

/** A session as people see it, and the snapshot behind it. */
export interface Seen {
	snapshot: SessionSnapshot;
	context: ReturnType<typeof sessionContext>;
}

const seen = (snapshot: SessionSnapshot): Seen => ({ snapshot, context: sessionContext(snapshot, "") });

export const begun = (sid = "s", now = 0): Seen => seen(emptySnapshot(sid, now));

/** The session after some lines; the one given is not changed. */
export function afterLines(before: Seen, lines: readonly EventLine[]): Seen {
	const snapshot = structuredClone(before.snapshot);
	for (const line of lines) applyLine(snapshot, line);
	return seen(snapshot);
}

export const afterEvent = (before: Seen, event: TranscriptEvent, id = ""): Seen =>
	afterLines(before, [{ pos: 0, uuid: id, events: [event] }]);

/** A session of these events alone, each a line of its own; it began at the first one's time. */
export function sessionOf(...events: (TranscriptEvent | TranscriptEvent[])[]): Seen {
	const lines = events.flat().map((event, n) => ({ pos: n * 10, uuid: `u${n}`, events: [event] }));
	return afterLines(begun("s", Date.parse(at) / 1000), lines);
}

export const contextOf = (...events: (TranscriptEvent | TranscriptEvent[])[]) => sessionOf(...events).context;
