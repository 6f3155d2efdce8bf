import type { Approval } from "../../core/context/session-context.ts";
import { cut, oneLine } from "../../core/text/text.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { readRecords } from "../../store/session/event-log.ts";
import { listSessions, readContext } from "../../store/session/session-snapshot.ts";
import { type Session, sessionAt } from "../../store/session-handle.ts";
import { answerJson } from "../support/answer-json.ts";
import { mayName } from "../support/held.ts";
import type { Io } from "../support/io.ts";
import { wrapped } from "../support/layout/fit.ts";
import { isoOf, moment } from "../support/layout/moment.ts";
import { pickSession } from "../support/pick-session.ts";

interface ListedApproval extends Approval {
	session_id: string;
}

export function approvals({ session, json }: { session?: string; json?: boolean }, io: Io, now: Date): void {
	const store = storeOf(io);
	const { root } = store;
	const sids =
		session === undefined
			? listSessions(root).filter((sid) => mayName(store, sid, io))
			: [pickSession(store, session, io, now)];
	const found = sids
		.flatMap((sid) => approvalsOf(sessionAt(store, sid), now))
		.sort((a, b) => a.timestamp - b.timestamp);
	if (json)
		return answerJson(
			io,
			found.map((one) => ({ ...one, timestamp: isoOf(one.timestamp) })),
		);
	if (found.length === 0)
		return io.out(
			session === undefined
				? "Nothing was approved or denied in any session yet."
				: `Nothing was approved or denied in session ${sids[0]} yet.`,
		);
	for (const one of found) {
		const paint = /rejected|denied|interrupted/.test(one.kind) ? io.colours.red : io.colours.green;
		const words = one.words ? ` — "${cut(oneLine(one.words), 160)}"` : "";
		const where = session === undefined ? `, session ${one.session_id.slice(0, 8)}` : "";
		const about = cut(oneLine(one.subject), 160);
		// most subjects begin with the tool
		const text = `${!one.tool || about.startsWith(`${one.tool} `) ? "" : `${one.tool}: `}${about}${words}${where}`;
		const [first = "", ...more] = wrapped(
			`${moment(one.timestamp)}  ${one.kind}  ${text}`,
			(io.columns ?? Infinity) - 2,
		);
		io.out(first.replace(one.kind, paint));
		for (const line of more) io.out(`  ${line}`);
	}
}

/** The event log holds all of them, the context the last ones: what a lost log no longer tells, the context does. */
function approvalsOf(session: Session, now: Date): ListedApproval[] {
	const found = new Map<string, ListedApproval>();
	const read = readContext(session, now);
	for (const one of read.found === "good" ? read.value.approvals : [])
		found.set(one.id, { ...one, session_id: session.id });
	for (const record of readRecords(session).records)
		if (record.kind === "decision" && !found.has(record.id))
			found.set(record.id, {
				timestamp: Math.floor((Date.parse(record.at) || 0) / 1000),
				kind: record.decision as Approval["kind"],
				tool: record.tool,
				subject: record.subject,
				words: record.words,
				id: record.id,
				session_id: session.id,
			});
	return [...found.values()];
}
