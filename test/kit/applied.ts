import { applyLine } from "../../src/core/context/apply.ts";
import { sessionContext } from "../../src/core/context/project.ts";
import { emptySnapshot, type SessionSnapshot } from "../../src/core/context/session-context.ts";
import type { TranscriptEvent } from "../../src/core/transcript/event.ts";
import { at } from "./session-events.ts";

/** The session after these events, each a line of its own, as people see it, and the snapshot behind it; the one given is not changed. */
function after(before: SessionSnapshot, events: TranscriptEvent[]) {
	const snapshot = structuredClone(before);
	for (const [n, event] of events.entries()) applyLine(snapshot, { pos: n * 10, uuid: `u${n}`, events: [event] });
	return { snapshot, context: sessionContext(snapshot, "") };
}
type Seen = ReturnType<typeof after>;

export const afterEvent = ({ snapshot }: Seen, event: TranscriptEvent): Seen => after(snapshot, [event]);

/** A session of these events alone; it began at the first one's time. */
export const sessionOf = (...events: (TranscriptEvent | TranscriptEvent[])[]): Seen =>
	after(emptySnapshot("s", Date.parse(at) / 1000), events.flat());

export const contextOf = (...events: (TranscriptEvent | TranscriptEvent[])[]) => sessionOf(...events).context;
