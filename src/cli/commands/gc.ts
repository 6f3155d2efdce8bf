import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { joinSafe, redactSecrets, told } from "../../core/redact/secrets.ts";
import { counted } from "../../core/text/text.ts";
import { whyOf } from "../../files/system-failure.ts";
import { forgetSessions } from "../../search/recall.ts";
import { copyStore } from "../../store/database.ts";
import { addToLog, logFailure } from "../../store/failure-log.ts";
import { withColdLock } from "../../store/lock.ts";
import { databasePath, indexPath } from "../../store/paths.ts";
import { removeOldRestores } from "../../store/recovery/restore-request.ts";
import { deleteSession } from "../../store/session/cycles.ts";
import { storeOf } from "../../store/session/place.ts";
import { type Deletion, deleteOne, type GcRequest, oldestKept, planGc } from "../../store/upkeep/gc.ts";
import { isConfirmed, watchProgress } from "../support/answer.ts";
import { type Answer, AUTO, argument, DRY_RUN, type Given, JSON_OUT, type Spec, YES } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { configFor, sessionNamed } from "../support/place.ts";

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
	act(io, options: Given, session?: string) {
		return session === undefined ? clean(options, io) : remove(session, options, io);
	},
};

/** Deletes what is old in the store, or with `dryRun` only says what would go; `auto`: it writes that to the log. */
function clean({ auto, dryRun = false }: Given, io: Io): Answer | undefined | Promise<Answer | undefined> {
	const { root, tell } = storeOf(io);
	const store = { root, tell: auto ? (problem: string) => void logFailure(root, "gc", problem) : tell };
	if (!existsSync(root))
		return { json: { dryRun, deleted: [] }, text: `Nothing to delete: there is no store at ${root} yet.` };
	const { retention } = configFor({}, io);
	const request = { ...store, now: io.now(), retention, asking: io.env.CLAUDE_CODE_SESSION_ID };
	const work = (): Answer | undefined => {
		const { deletions, sessions, live } = planGc(request);
		const { deleted, failures } = dryRun ? { deleted: deletions, failures: [] } : deleteAll(deletions, request, io);
		if (failures.length > 0) io.exit(1);
		// (redacted part by part: a path by itself needs no rules, a sentence with a path does)
		const joinRedacted = (...parts: string[]) => joinSafe(parts.map(redactSecrets));
		const lines = deleted.map(({ what, path, reason }) => joinRedacted(what, " ", path, ": ", reason));
		if (auto) {
			const log = [...lines, ...failures].map((line) => `${io.now().toISOString()} ${line}\n`);
			if (log.length > 0) addToLog(root, join(root, "log", "gc.log"), log.join(""));
			return;
		}
		for (const failure of failures) io.err(`ccg: ${failure}`);
		const start = `${dryRun ? "Would delete" : "Deleted"} ${counted(deleted.length, "thing")}, in `;
		lines.push(joinRedacted(start, root, `: ${counted(sessions, "session")} there, ${live} of them live.`));
		const json = { dryRun, deleted, failures, sessions, live };
		return { json, text: () => io.out(told`${joinSafe(lines, "\n")}`) };
	};
	if (dryRun) return work();
	return withColdLock(join(root, "run", "gc"), work, { waitMs: auto ? 0 : 10_000 });
}

/** Deletes what a plan names, old restores and what the index has of deleted sessions; where all of it went well the store is copied. */
function deleteAll(deletions: Deletion[], request: GcRequest, io: Io): { deleted: Deletion[]; failures: string[] } {
	const { root } = request;
	const failures: string[] = [];
	const attempt = <T>(path: string, act: () => T): T | undefined => {
		try {
			return act();
		} catch (error) {
			failures.push(`${path} could not be deleted: ${whyOf(error)}; make the folder it lies in writable for you`);
		}
	};
	const going = watchProgress(deletions, "deleting", io);
	const deleted = [...going.filter((one) => attempt(one.path, () => deleteOne(one, request)))];
	const sids = deleted.flatMap(({ what, path }) => (what === "session" ? basename(path) : []));
	attempt(databasePath(root), () => removeOldRestores(request, oldestKept(request)));
	attempt(indexPath(root), () => forgetSessions(root, sids));
	if (failures.length === 0) copyStore(request);
	return { deleted, failures };
}

async function remove(named: string, { yes, dryRun = false }: Given, io: Io): Promise<Answer | undefined> {
	const session = sessionNamed(named, io);
	const { id, root } = session;
	const all = `everything ccg keeps of session ${id}`;
	if (dryRun) return { json: { dryRun, deleted: id }, text: `Would delete ${all}.` };
	if (!(await isConfirmed(`Delete ${all}?`, yes, io))) return;
	deleteSession(session);
	forgetSessions(root, [id]);
	return { json: { dryRun, deleted: id }, text: `Deleted ${all}. Claude Code's transcript is untouched.` };
}
