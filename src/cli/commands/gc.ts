import { renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { compact, summarisedText, tokensOf } from "../../core/context/compact.ts";
import type { SessionSnapshot } from "../../core/context/session-context.ts";
import { counted, grouped } from "../../core/text/text.ts";
import { whyOf } from "../../files/system-failure.ts";
import { forgetSessions } from "../../search/recall.ts";
import { quietly } from "../../store/atomic-write.ts";
import { COMMAND_WAIT_MS, copyStore } from "../../store/database.ts";
import { appendText } from "../../store/gate.ts";
import { withColdLock } from "../../store/lock.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { deleteSession } from "../../store/session/cycles.ts";
import { changeRecord, readRecord } from "../../store/session/records.ts";
import { applyGc, type Deletion, type GcPlan, planGc } from "../../store/upkeep/gc.ts";
import { isConfirmed, progressBar, storeFailure } from "../support/answer.ts";
import {
	type Answer,
	argument,
	DRY_RUN,
	type Given,
	hidden,
	JSON_OUT,
	option,
	type Spec,
	wholeNumber,
	YES,
} from "../support/command.ts";
import { type Io, WrongUse } from "../support/io.ts";
import { configFor, pickSession } from "../support/place.ts";

interface Options extends Given {
	compact?: boolean;
	olderThan?: number;
	auto?: boolean;
}

/** `ccg gc`: deletes what retention does not keep; a session whole; or folds a session's older history. */
export const gc: Spec = {
	about: "delete old sessions, checkpoints, reports and leftovers of the store, or one session; says what and why",
	args: [argument("[session]", "delete all that the store keeps of this one, by its id or the beginning of it")],
	options: [
		option("--compact", "summarise the session's older history instead, by the rules of the configuration"),
		option("--older-than <days>", "age instead of retention.maxAgeDays of config.json", wholeNumber()),
		YES,
		DRY_RUN,
		JSON_OUT,
		hidden("--auto", "started by a session: what is said goes to log/gc.log"),
	],
	help: `
Never deleted: a session touched within 24 hours, the one that asks, MEMORY.md and the daily logs; a session that is named goes whatever its age.
Claude Code's own transcripts stay. It also runs by itself once a day, when a session starts (retention.enabled in config.json);
then it tells log/gc.log.

Examples:
  ccg gc --dry-run                    what would go, and why
  ccg gc --older-than 30              less than config.json keeps
  ccg gc 0c0ffee0                     one session
  ccg gc 0c0ffee0 --compact --dry-run what of its history would be summarised
  ccg gc --json | jq '.deleted[].path'

Exit codes: 0 done or declined, 1 something could not be deleted (it is named), or another ccg is at work, 2 nobody to ask and no --yes.`,
	act(io, options: Options, session?: string) {
		if (session !== undefined) return options.compact ? summarise(session, options, io) : remove(session, options, io);
		if (options.compact) throw new WrongUse("name the session whose history is to be summarised");
		return clean(options, io);
	},
};

async function clean({ auto, dryRun = false, olderThan }: Options, io: Io): Promise<Answer | undefined> {
	const store = storeOf(io);
	const { root } = store;
	const isThere = statSync(root, { throwIfNoEntry: false }) !== undefined;
	if (!isThere) return auto ? undefined : cleaned({ sessions: 0, live: 0, bytes: 0 }, [], [], dryRun, io);
	const { retention } = configFor({}, io);
	const bar = progressBar(io, "looking through sessions");
	const request = {
		...store,
		now: io.now(),
		retention: { ...retention, ...(olderThan !== undefined && { maxAgeDays: olderThan }) },
		asking: io.env.CLAUDE_CODE_SESSION_ID,
		onProgress: bar,
	};
	const work = (): Answer | undefined => {
		const plan = planGc(request);
		const failures: string[] = [];
		const failed = ({ path }: Deletion, reason: unknown) =>
			failures.push(`${path} could not be deleted: ${whyOf(reason)}; make the folder it lies in writable for you`);
		const forget = (sids: readonly string[]): void => forgetSessions(root, sids);
		const gone = dryRun ? plan.deletions : applyGc(plan, request, failed, forget);
		if (!dryRun && failures.length === 0) copyStore(store);
		bar(null);
		if (!auto) return cleaned(plan, gone, failures, dryRun, io);
		return void logCleaning([...gone.map(lineOf), ...failures], failures.length > 0, io);
	};
	if (dryRun) return work();
	try {
		return await withColdLock(join(root, "run", "gc"), work, { waitMs: auto ? 0 : 10_000 });
	} catch (error) {
		throw storeFailure("the store was not cleaned", error, root);
	}
}

function cleaned(
	plan: Pick<GcPlan, "sessions" | "live" | "bytes">,
	gone: readonly Deletion[],
	failures: readonly string[],
	dryRun: boolean,
	io: Io,
): Answer {
	const { root } = storeOf(io);
	const { sessions, live, bytes: storeBytes } = plan;
	const bytes = gone.reduce((sum, one) => sum + one.bytes, 0);
	if (failures.length) io.exit(1);
	for (const failure of failures) io.err(`ccg: ${failure}`);
	const verb = dryRun ? "Would delete" : "Deleted";
	const kept = `${counted(sessions, "session")} there, ${live} of them live.`;
	const isIdle = gone.length === 0 && failures.length === 0;
	const lines = [
		...gone.map(lineOf),
		isIdle
			? `Nothing to delete. In ${root}: ${kept}`
			: `${verb} ${counted(gone.length, "thing")}, ${counted(bytes, "byte")}, in ${root}: ${kept}`,
	];
	const text = (): void => {
		io.out(lines.join("\n"));
		if (dryRun) io.err("Dry run: nothing was deleted.");
	};
	return { json: { dryRun, deleted: gone, failures, bytes, sessions, live, storeBytes }, text };
}

const lineOf = ({ what, path, reason }: Deletion): string => `${what} ${path}: ${reason}`;

const MAX_LOG_BYTES = 1024 * 1024;

/** Of a cleaning that nobody watches. */
function logCleaning(lines: readonly string[], hasFailed: boolean, io: Io): void {
	if (hasFailed) io.exit(1);
	const path = join(storeOf(io).root, "log", "gc.log");
	quietly(() => statSync(path).size > MAX_LOG_BYTES && renameSync(path, `${path}.1`));
	if (lines.length > 0) appendText(path, lines.map((line) => `${io.now().toISOString()} ${line}\n`).join(""));
}

async function remove(named: string, { yes, dryRun }: Options, io: Io): Promise<Answer | undefined> {
	const session = pickSession(named, io);
	const { id, root } = session;
	if (dryRun) return { json: { dryRun, deleted: id }, text: `Would delete everything ccg keeps of session ${id}.` };
	if (!(await isConfirmed(`Delete everything ccg keeps of session ${id}?`, yes, io))) return;
	try {
		deleteSession(session);
		forgetSessions(root, [id]);
	} catch (error) {
		throw storeFailure(`session ${id} was not deleted`, error, root);
	}
	const text = `Deleted what ccg kept of session ${id}. Claude Code's transcript is untouched.`;
	return { json: { dryRun: false, deleted: id }, text };
}

function summarise(named: string, { dryRun = false }: Options, io: Io): Answer {
	const session = pickSession(named, io);
	const { id } = session;
	const record = readRecord(session)?.record;
	if (!record)
		throw new Error(
			`session ${id} has no history yet: it is kept when a turn ends, before a compaction and at its end`,
		);
	const { context } = configFor({ sid: id, folder: record.state.cwd }, io);
	const fold = (of: SessionSnapshot) => ({
		...compact(of, context, Math.floor(io.now().getTime() / 1000)),
		left: of.recent_history,
	});
	let done = fold(record);
	const change = (of: SessionSnapshot): boolean => {
		done = fold(of);
		return done.compacted;
	};
	try {
		if (!dryRun) changeRecord(session, io.now(), change, COMMAND_WAIT_MS);
	} catch (error) {
		throw storeFailure(`session ${id} was not compacted`, error, session.root);
	}
	const { entries, left, compacted, droppedTasks, tokensBefore } = done;
	const tokensAfter = tokensOf(left);
	const stay = counted(left.length, "entry", "entries");
	const what = counted(entries.length, "entry", "entries");
	const lines = compacted
		? [
				`${dryRun ? "Would summarise" : "Summarised"} ${what} of ${id}; ${left.length} stay (${grouped(tokensBefore)} -> ${grouped(tokensAfter)} tokens).`,
				...(entries.length > 0 ? summarisedText(entries).split("\n") : []).map((line) => `  ${line}`),
				...(droppedTasks.length ? [`  finished tasks dropped: ${droppedTasks.join(", ")}`] : []),
			]
		: [`Nothing to summarise in ${id}: ${stay} of about ${counted(tokensAfter, "token")}.`];
	const json = {
		session_id: id,
		dry_run: dryRun,
		compacted,
		summarised_entries: entries.length,
		first_id: entries[0]?.id ?? null,
		last_id: entries.at(-1)?.id ?? null,
		tokensBefore,
		tokensAfter,
		kept_entries: left.length,
		droppedTasks,
	};
	return { json, text: () => io.out(lines.join("\n")) };
}
