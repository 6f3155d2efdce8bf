import { deliveryOf } from "../../claude/transcript/delivery.ts";
import { unclearText } from "../../core/state/unclear.ts";
import { loadConfig } from "../../store/config/config.ts";
import { configPath } from "../../store/paths.ts";
import { projectOf } from "../../store/project.ts";
import { readCommitted } from "../../store/recovery/pending.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { readSnapshot } from "../../store/session/session-snapshot.ts";
import { type Store, sessionAt } from "../../store/session-handle.ts";
import { readSessions, readWork, type SessionStatus } from "../../store/status/session-status.ts";
import { printSession } from "../status/details.ts";
import { printSessions } from "../status/overview.ts";
import type { ShownStatus } from "../status/shown.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { wrapped } from "../support/layout/fit.ts";
import { asTyped } from "../support/own-name.ts";
import { pickSession } from "../support/pick-session.ts";
import { nameOf } from "../support/project-name.ts";
import { say } from "../support/say.ts";

export interface StatusOptions {
	session?: string;
	all?: boolean;
	json?: boolean;
}

const RECENT_MS = 2 * 86_400_000;

export function status(options: StatusOptions, io: Io, now = new Date()): void {
	const store = storeOf(io);
	const { root } = store;
	const every = readSessions(store, now);
	const wanted = options.session && pickSession(store, options.session, io, now);
	const here = projectOf(io.cwd).key;
	const chosen = every
		.filter(({ session, seenMs }) => {
			if (wanted) return session === wanted;
			return options.all || seenMs === null || seenMs < RECENT_MS;
		})
		.map((one): ShownStatus => shownOf(store, one, here, now))
		// stable: within a project the one seen last stays first
		.sort((a, b) => Number(b.here) - Number(a.here));
	if (options.json)
		return answerJson(
			io,
			chosen.map((one) => forPrograms(one, now)),
		);
	if (chosen.length === 0 && wanted)
		say("Nothing is known of this session yet: it is measured with its first answer.", io);
	else if (chosen.length === 0)
		say(
			every.length > 0
				? `No session seen in the last two days (--all shows older ones). Store: ${root}`
				: `No session yet: one is seen here when Claude Code runs with ccg's hooks; \`ccg install\` registers them, \`ccg doctor\` checks them. Store: ${root}`,
			io,
		);
	else if (wanted) printSession(chosen[0]!, io);
	else printSessions(chosen, io);
	for (const problem of loadConfig(root).problems) io.err(`${configPath(root)}: ${problem}`);
	if (wanted || chosen.length === 0) return;
	const star = chosen.some((one) => one.here) ? "A * marks sessions of this project; " : "";
	const more = "ccg status --session ID tells all of one; the status line's signs and colours: ccg statusline legend";
	for (const line of wrapped(star + asTyped(more, io), io.columns ?? Infinity)) io.out(io.colours.dim(line));
}

function shownOf(store: Store, one: SessionStatus, here: string, now: Date): ShownStatus {
	const { checkpoint, transcriptPath, cwd } = one;
	const read = readSnapshot(sessionAt(store, one.session), now);
	const kept = read.found === "good" ? read.value : null;
	// of a compaction's checkpoint: the others come back only when they are asked for
	const key = checkpoint?.state === "saved" ? readCommitted(sessionAt(store, one.session))?.key : checkpoint?.key;
	const delivered = checkpoint && (transcriptPath && key ? deliveryOf(transcriptPath, key) : "unknown");
	return {
		...one,
		...readWork(store, one, now),
		checkpoint: checkpoint && { ...checkpoint, delivered: delivered! },
		project: cwd ? nameOf(cwd) : null,
		here: cwd !== null && projectOf(cwd).key === here,
		ended: kept?.ended || null,
		unclear: kept && unclearText(kept.state),
	};
}

/** Moments instead of ages: an answer that is kept stays true. */
function forPrograms({ session, seenMs, checkpoint, here, ...rest }: ShownStatus, now: Date) {
	const before = (ms: number | null): string | null =>
		ms === null ? null : new Date(now.getTime() - ms).toISOString();
	return {
		sessionId: session,
		inThisProject: here,
		seenAt: before(seenMs),
		...rest,
		checkpoint: checkpoint && (({ ageMs, ...of }) => ({ ...of, at: before(ageMs) }))(checkpoint),
	};
}
