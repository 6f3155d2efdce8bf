import { resolve } from "node:path";
import { tokensAfterCompaction } from "../../claude/transcript/compactions.ts";
import type { LossReport } from "../../core/recovery/loss-report.ts";
import { withFollowUp } from "../../core/recovery/loss-report.ts";
import { statementsIn, verdict } from "../../core/recovery/loss-verdict.ts";
import { readUsage } from "../../store/pressure/usage-record.ts";
import { projectOf } from "../../store/project.ts";
import { loadCheckpoint } from "../../store/recovery/checkpoints.ts";
import { isFollowUpInjected, readReports } from "../../store/recovery/compaction-record.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { projectFolderOf } from "../../store/session/session-project.ts";
import { listSessions, readContext } from "../../store/session/session-snapshot.ts";
import { type Store, sessionAt } from "../../store/session-handle.ts";
import { reportMarkdown } from "../report/markdown.ts";
import { printReports } from "../report/print.ts";
import type { ShownReport } from "../report/shown.ts";
import { answerJson } from "../support/answer-json.ts";
import { isHeld, refuseCrossing } from "../support/held.ts";
import type { Io } from "../support/io.ts";
import { pickSession } from "../support/pick-session.ts";
import { nameOf } from "../support/project-name.ts";
import { say } from "../support/say.ts";

export interface ReportOptions {
	session?: string;
	project?: string | true;
	since?: Since;
	last?: boolean;
	json?: boolean;
	markdown?: boolean;
}

export function report(options: ReportOptions, io: Io, now = new Date()): void {
	const store = storeOf(io);
	const { root } = store;
	const sessions = options.session === undefined ? listSessions(root) : [pickSession(store, options.session, io, now)];
	if (typeof options.project === "string") refuseCrossing("--project of another", io);
	const wanted = wantedProject(options.project ?? ((options.session === undefined && isHeld(io)) || undefined), io);
	const since = options.since?.(now) ?? 0;
	const chosen = sessions
		.flatMap((sid) => {
			const session = sessionAt(store, sid);
			return readReports(session).map((one) => (isFollowUpInjected(session, one.key) ? withFollowUp(one) : one));
		})
		.filter(({ at }) => Date.parse(at) >= since || since === 0)
		.sort((a, b) => (a.at < b.at ? -1 : 1))
		// a project is looked for in checkpoints, each a file of its own
		.slice(options.last && !wanted ? -1 : 0)
		.map((one): ShownReport => {
			const folder = folderOf(store, one, now);
			return { ...one, tokensAfter: null, folder, project: folder && nameOf(folder) };
		})
		.filter((one) => wanted === null || (one.folder !== "" && wanted(one)))
		.slice(options.last ? -1 : 0)
		.map((one) => ({ ...one, tokensAfter: tokensAfter(store, one) }));
	if (options.json) return answerJson(io, chosen.map(forPrograms));
	if (chosen.length > 0 && options.markdown) return io.out(reportMarkdown(chosen));
	if (chosen.length > 0) return printReports(chosen, io);
	const limited = options.session !== undefined || options.since || wanted;
	say(
		limited && listSessions(root).some((sid) => readReports(sessionAt(store, sid)).length > 0)
			? "No compaction fits; without --session, --project and --since all are shown."
			: "No compaction was reported yet: a report is made when Claude Code hands over the summary.",
		io,
	);
}

function forPrograms({ version: _, session, folder, ...rest }: ShownReport) {
	const { total, verbatim, reworded, lost, back, later } = statementsIn([rest]);
	return {
		sessionId: session,
		cwd: folder || null,
		verdict: verdict([rest]),
		said: { total, verbatim, ownWords: reworded, lost, back, later },
		...rest,
	};
}

/** The folder a session worked in, from what is still there to tell it. */
function folderOf(store: Store, { session, key }: LossReport, now: Date): string {
	const checkpoint = loadCheckpoint(sessionAt(store, session), key)?.projectDir;
	if (checkpoint) return checkpoint;
	const usage = readUsage(sessionAt(store, session));
	if (usage?.projectDir || usage?.cwd) return usage.projectDir || usage.cwd || "";
	const context = readContext(sessionAt(store, session), now);
	return context.found === "good" ? context.value.system_state.cwd : "";
}

function wantedProject(asked: string | true | undefined, io: Io): ((one: ShownReport) => boolean) | null {
	if (asked === undefined) return null;
	const { key } = projectOf(asked === true ? projectFolderOf(io) : resolve(io.cwd, asked));
	return ({ folder, project }) => projectOf(folder).key === key || project === asked;
}

function tokensAfter(store: Store, { session, key, at }: LossReport): number | null {
	const path = loadCheckpoint(sessionAt(store, session), key)?.transcriptPath;
	try {
		return path ? tokensAfterCompaction(path, at) : null;
	} catch {
		return null;
	}
}

/** From which moment on, in ms, seen from now. */
export type Since = (now: Date) => number;
