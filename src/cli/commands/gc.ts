import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { joinSafe, knownSafe, redactSecrets } from "../../core/redact/secrets.ts";
import { countWithNoun } from "../../core/text/text.ts";
import { errorText } from "../../files/system-failure.ts";
import { forgetSessions } from "../../search/recall.ts";
import { copyStore } from "../../store/database.ts";
import { addToLog, logFailure } from "../../store/failure-log.ts";
import { withLongLock } from "../../store/lock.ts";
import { databasePath, indexPath } from "../../store/paths.ts";
import { removeOldRestores } from "../../store/recovery/restore-request.ts";
import { deleteSession } from "../../store/session/cycles.ts";
import { requireStore } from "../../store/session/place.ts";
import { type Deletion, deletePlanned, deletionCutoff, type GcRequest, planGc } from "../../store/upkeep/gc.ts";
import { confirmChange, withProgress } from "../support/answer.ts";
import { type Answer, AUTO, argument, DRY_RUN, type Flags, JSON_OUT, type Spec, YES } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { configFor, findSession } from "../support/place.ts";

export const gc: Spec = {
	about: "delete old sessions, checkpoints, reports and leftovers of the store, or one session; says what and why",
	args: [argument("[session]", "delete all that the store keeps of this one, by its id or the beginning of it")],
	options: [YES, DRY_RUN, JSON_OUT, AUTO],
	help: `
Never deleted: a session touched within 24 hours, the one that asks, MEMORY.md, the daily logs, and Claude Code's transcripts. A \
session that is named goes whatever its age. How long the rest stays is said in config.json (retention). gc runs by itself once a day, \
when a session starts, and writes to log/gc.log.

Examples:
  ccg gc --dry-run  # what would go, and why
  ccg gc 0c0ffee0  # one session
  ccg gc --json | jq '.deleted[].path'`,
	run(io, options: Flags, session?: string) {
		return session === undefined ? cleanStore(options, io) : eraseSession(session, options, io);
	},
};

/** Deletes what is old in the store, or with `dryRun` only says what it would delete; `auto`: says it in the log. */
function cleanStore({ auto, dryRun = false }: Flags, io: Io): Answer | undefined | Promise<Answer | undefined> {
	const { root, onProblem } = requireStore(io);
	const store = { root, onProblem: auto ? (problem: string) => void logFailure(root, "gc", problem) : onProblem };
	if (!existsSync(root))
		return { json: { dryRun, deleted: [] }, text: `Nothing to delete: there is no store at ${root} yet.` };
	const { retention } = configFor({}, io);
	const request = { ...store, now: io.now(), retention, requesterId: io.env.CLAUDE_CODE_SESSION_ID };
	const collect = (): Answer | undefined => {
		const { deletions, sessions, live } = planGc(request);
		const { deleted, failures } = dryRun ? { deleted: deletions, failures: [] } : runDeletions(deletions, request, io);
		if (failures.length > 0) io.setExitCode(1);
		// (redacted part by part: a path by itself needs no rules, a sentence with a path does)
		const joinRedacted = (...parts: string[]) => joinSafe(parts.map(redactSecrets));
		const lines = deleted.map(({ what, path, reason }) => joinRedacted(what, " ", path, ": ", reason));
		if (auto) {
			const log = [...lines, ...failures].map((line) => `${io.now().toISOString()} ${line}\n`);
			if (log.length > 0) addToLog(root, join(root, "log", "gc.log"), log.join(""));
			return;
		}
		for (const failure of failures) io.err(`ccg: ${failure}`);
		const start = `${dryRun ? "Would delete" : "Deleted"} ${countWithNoun(deleted.length, "thing")}, in `;
		lines.push(joinRedacted(start, root, `: ${countWithNoun(sessions, "session")} there, ${live} of them live.`));
		const json = { dryRun, deleted, failures, sessions, live };
		return { json, text: () => io.out(knownSafe`${joinSafe(lines, "\n")}`) };
	};
	if (dryRun) return collect();
	return withLongLock(join(root, "run", "gc"), collect, { waitMs: auto ? 0 : 10_000 });
}

/** Deletes what is planned, old restore requests, and deleted sessions from the index; if nothing failed it copies the database. */
function runDeletions(deletions: Deletion[], request: GcRequest, io: Io): { deleted: Deletion[]; failures: string[] } {
	const { root } = request;
	const failures: string[] = [];
	const attempt = <T>(path: string, deleteIt: () => T): T | undefined => {
		try {
			return deleteIt();
		} catch (error) {
			failures.push(`${path} could not be deleted: ${errorText(error)}; make the folder it lies in writable for you`);
		}
	};
	const tryDelete = (deletion: Deletion) => attempt(deletion.path, () => deletePlanned(deletion, request));
	const deleted = [...withProgress(deletions, "deleting", io).filter(tryDelete)];
	const sids = deleted.flatMap(({ what, path }) => (what === "session" ? basename(path) : []));
	attempt(databasePath(root), () => removeOldRestores(request, deletionCutoff(request)));
	attempt(indexPath(root), () => forgetSessions(root, sids));
	if (failures.length === 0) copyStore(request);
	return { deleted, failures };
}

/** Deletes all that the store and the index keep of one session, once a person has confirmed it. */
async function eraseSession(idPrefix: string, { yes, dryRun = false }: Flags, io: Io): Promise<Answer | undefined> {
	const session = findSession(idPrefix, io);
	const { id, root } = session;
	const all = `everything ccg keeps of session ${id}`;
	if (dryRun) return { json: { dryRun, deleted: id }, text: `Would delete ${all}.` };
	if (!(await confirmChange(`Delete ${all}?`, yes, io))) return;
	deleteSession(session);
	forgetSessions(root, [id]);
	return { json: { dryRun, deleted: id }, text: `Deleted ${all}. Claude Code's transcript is untouched.` };
}
