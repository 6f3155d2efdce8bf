import { compact, compactSnapshot, summarisedRecord, tokensOf } from "../../core/context/compact.ts";
import { environmentLines } from "../../core/context/environment.ts";
import { sessionContext } from "../../core/context/project.ts";
import type { SessionContext, SessionSnapshot } from "../../core/context/session-context.ts";
import { summarisedText } from "../../core/context/summary.ts";
import { barred, quotedName } from "../../core/text/quoted.ts";
import { counted, cut, grouped, oneLine } from "../../core/text/text.ts";
import { loadConfig } from "../../store/config/config.ts";
import { forgetSessions } from "../../store/search/forget-sessions.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { deleteSession } from "../../store/session/delete-session.ts";
import { appendRecord, eventLogSize, readRecords } from "../../store/session/event-log.ts";
import { listSessions, loadSnapshot, readContext, updateSnapshot } from "../../store/session/session-snapshot.ts";
import { type Session, sessionAt } from "../../store/session-handle.ts";
import { activeProfile } from "../support/active-profile.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Ask } from "../support/ask-on-terminal.ts";
import { DATA_KEYS, recordsWithIsoTimes, withIsoTimes } from "../support/context-json.ts";
import type { Io } from "../support/io.ts";
import { isoOf, moment } from "../support/layout/moment.ts";
import { columnsOver, table } from "../support/layout/table.ts";
import { pickSession } from "../support/pick-session.ts";
import { say } from "../support/say.ts";
import { shortId } from "../support/short-id.ts";
import { storeFailure } from "../support/store-failure.ts";

export function list(io: Io, now: Date, json?: boolean): void {
	const store = storeOf(io);
	const { root } = store;
	const rows = listSessions(root)
		.map((sid) => ({ sid, read: readContext(sessionAt(store, sid), now) }))
		.map(({ sid, read }) => ({
			...rowOf(sessionAt(store, sid), read.found === "good" ? read.value : null),
			event_log_bytes: eventLogSize(sessionAt(store, sid)),
			...(read.problem && { problem: read.problem }),
		}))
		.sort((a, b) => (b.updated_at ?? 0) - (a.updated_at ?? 0) || (a.session_id < b.session_id ? -1 : 1));
	if (json)
		return answerJson(
			io,
			rows.map((row) => ({ ...row, updated_at: isoOf(row.updated_at) })),
		);
	if (rows.length === 0) return io.out(`No session in ${root} yet: a session's first hook makes it.`);
	const { bold, dim } = io.colours;
	const known = rows.map(({ session_id: sid }) => sid);
	const column = columnsOver(rows);
	const count = (title: string, rank: number, of: (row: (typeof rows)[number]) => number) =>
		column(title, rank, (row) => (row.updated_at === null ? "" : of(row)), { align: "right" });
	const { lines } = table(
		[
			column("session", 0, ({ session_id: sid }) => (io.columns ? shortId(sid, known) : sid), { paint: bold }),
			column("updated", 0, ({ updated_at: at }) => (at === null ? "no context yet" : moment(at))),
			count("entries", 1, ({ entries }) => entries),
			count("facts", 3, ({ facts }) => facts),
			count("tasks", 4, ({ tasks }) => tasks),
			column("profile", 2, ({ profile }) => profile ?? ""),
			column("folder", 0, ({ cwd }) => (cwd ? quotedName(cwd) : ""), { least: 12, middle: true }),
		],
		io.columns ?? Infinity,
		dim,
	);
	io.out(lines.join("\n"));
	for (const { session_id: sid, problem } of rows) if (problem) say(`! ${shortId(sid, known)} ${problem}`, io);
}

function rowOf(session: Session, context: SessionContext | null) {
	return {
		session_id: session.id,
		updated_at: context?.updated_at ?? null,
		cwd: context?.system_state.cwd ?? null,
		model: context?.system_state.model ?? null,
		profile: context && activeProfile(session, context.system_state.cwd),
		entries: context?.recent_history.length ?? 0,
		summarised: context?.summarised.entries ?? 0,
		facts: context?.facts.length ?? 0,
		tasks: context?.active_tasks.length ?? 0,
		tool_calls: context?.tool_stats.total_calls ?? 0,
	};
}

function contextOf(session: Session, now: Date): SessionContext {
	if (readContext(session, now).found === "absent")
		throw new Error(
			`session ${session.id} has no context yet: it is made when a turn ends, before a compaction and when the session ends`,
		);
	return sessionContext(loadSnapshot(session, now));
}

export function show(io: Io, now: Date, named: string | undefined, json?: boolean): void {
	const store = storeOf(io);
	const sid = pickSession(store, named, io, now);
	const session = sessionAt(store, sid);
	const kept = contextOf(session, now);
	const context = { ...kept, profile: activeProfile(session, kept.system_state.cwd) };
	if (json) return answerJson(io, withIsoTimes(context), DATA_KEYS);
	const { out, colours: c } = io;
	const line = (name: string, value: string): void => out(`  ${c.dim(name.padEnd(14))} ${value}`);
	const heading = (text: string): void => out(c.bold(text));
	const { system_state: state, tool_stats: tools, recent_history: history } = context;
	heading(sid);
	line("updated", `${moment(context.updated_at)}${state.ended ? `, ended: ${state.ended}` : ""}`);
	line("profile", context.profile);
	if (state.cwd) line("folder", `${quotedName(state.cwd)}${state.branch ? ` on ${quotedName(state.branch)}` : ""}`);
	if (state.model)
		line("model", `${state.model}${state.claude_version ? ` on Claude Code ${state.claude_version}` : ""}`);
	line(
		"history",
		`${counted(history.length, "entry", "entries")} of about ${counted(tokensOf(history), "token")}; ${context.summarised.entries} summarised`,
	);
	line("tools", `${counted(tools.total_calls, "call")}, ${tools.failures} failed${topTools(tools.by_tool)}`);
	for (const [model, used] of Object.entries(context.token_usage))
		line(
			"tokens",
			`${model}: ${counted(used.messages, "message")}, ${grouped(used.input_tokens)} in, ${grouped(used.output_tokens)} out, ${grouped(used.cache_read_tokens)} from cache`,
		);
	if (context.last_known_environment)
		for (const one of environmentLines(context.last_known_environment)) line("environment", one);
	for (const text of planLines(context)) out(text);
	if (context.active_tasks.length) heading("Tasks");
	for (const { description, status } of context.active_tasks) out(`  [${status}] ${oneLine(description)}`);
	if (context.background_tasks.length) heading("Background");
	for (const { id, kind, status, description } of context.background_tasks)
		out(`  [${status}] ${oneLine(`${kind} ${id}: ${description}`)}`);
	if (context.facts.length) heading("Facts");
	for (const fact of context.facts.slice(-20)) out(`  - ${oneLine(fact)}`);
	if (context.facts.length > 20) out(c.dim(`  ${context.facts.length - 20} older ones: --json shows all`));
	if (context.long_term_summary) heading("Long-term summary");
	for (const text of context.long_term_summary.split("\n").filter(Boolean)) out(`  ${barred(text)}`);
	heading("Last entries");
	for (const entry of history.slice(-8))
		out(`  ${c.dim(moment(entry.timestamp))} ${entry.role}: ${cut(entry.content.replace(/\s+/g, " "), 140)}`);
}

function planLines({ current_plan: plan }: SessionContext): string[] {
	if (!plan) return [];
	const done = plan.steps.filter(({ status }) => status === "Completed").length;
	return [
		`Plan (${plan.status}, ${done} of ${counted(plan.steps.length, "step")} done): ${oneLine(plan.goal)}`,
		...plan.steps.map(({ status, description }) => `  [${status}] ${oneLine(description)}`),
	];
}

function topTools(by: Record<string, number>): string {
	const top = Object.entries(by).sort(([, a], [, b]) => b - a);
	if (top.length === 0) return "";
	const shown = top.slice(0, 5).map(([tool, calls]) => `${tool} ${calls}`);
	const rest = top.slice(5);
	const calls = rest.reduce((sum, [, count]) => sum + count, 0);
	if (rest.length > 0) shown.push(`… ${calls} more of ${counted(rest.length, "other tool")}`);
	return ` (${shown.join(", ")})`;
}

export function exportSession(io: Io, now: Date, named: string | undefined): void {
	const store = storeOf(io);
	const sid = pickSession(store, named, io, now);
	const session = sessionAt(store, sid);
	const read = readContext(session, now);
	const { records, broken } = readRecords(session);
	const context = read.found === "good" ? sessionContext(loadSnapshot(session, now)) : null;
	answerJson(
		io,
		{
			version: 1,
			exported_at: now.toISOString(),
			session_id: sid,
			context: context && withIsoTimes(context),
			event_log: recordsWithIsoTimes(records),
			event_log_broken_lines: broken,
			...(read.problem && { problem: read.problem }),
		},
		DATA_KEYS,
	);
}

export async function remove(
	io: Io,
	now: Date,
	named: string,
	{ yes, json }: { yes?: boolean; json?: boolean },
	ask: Ask,
): Promise<void> {
	const store = storeOf(io);
	const { root } = store;
	const sid = pickSession(store, named, io, now);
	if (!yes && !io.interactive) {
		io.err(`Nothing was deleted: there is no terminal to ask on. To delete it: ccg sessions delete ${sid} --yes`);
		return io.exit(2);
	}
	if (!yes && !(await ask(`Delete everything ccg keeps of session ${sid}? [y/N] `)))
		return io.err("Nothing was deleted.");
	try {
		deleteSession(sessionAt(store, sid));
		forgetSessions(root, [sid], now);
	} catch (error) {
		throw storeFailure(`session ${sid} was not deleted`, error, root);
	}
	io.out(
		json
			? JSON.stringify({ deleted: sid })
			: `Deleted what ccg kept of session ${sid}. Claude Code's transcript is untouched.`,
	);
}

export function compactNow(
	io: Io,
	now: Date,
	{ session, dryRun, json }: { session?: string; dryRun?: boolean; json?: boolean },
): void {
	const store = storeOf(io);
	const { root } = store;
	const sid = pickSession(store, session, io, now);
	const folder = contextOf(sessionAt(store, sid), now).system_state.cwd;
	const { config } = loadConfig(root, { sid, folder, tell: store.tell });
	const seconds = Math.floor(now.getTime() / 1000);
	let done = compact(contextOf(sessionAt(store, sid), now), config.context, seconds);
	const change = (snapshot: SessionSnapshot): boolean => {
		done = compactSnapshot(snapshot, config.context, seconds);
		// told before it is gone from the snapshot; the entries themselves stand in the event log since they were made
		if (done.entries.length > 0) appendRecord(sessionAt(store, sid), now, summarisedRecord(done.entries));
		return done.compacted;
	};
	try {
		if (!dryRun) updateSnapshot(sessionAt(store, sid), now, change, { waitMs: 2_000 });
	} catch (error) {
		throw storeFailure(`session ${sid} was not compacted`, error, root);
	}
	const facts = {
		session_id: sid,
		dry_run: Boolean(dryRun),
		compacted: done.compacted,
		summarised_entries: done.entries.length,
		first_id: done.entries[0]?.id ?? null,
		last_id: done.entries.at(-1)?.id ?? null,
		tokens_before: done.tokensBefore,
		tokens_after: tokensOf(done.context.recent_history),
		kept_entries: done.context.recent_history.length,
		dropped_tasks: done.droppedTasks,
		dropped_facts: done.droppedFacts,
	};
	if (json) return answerJson(io, facts);
	if (!done.compacted)
		return io.out(
			`Nothing to summarise in ${sid}: ${counted(facts.kept_entries, "entry", "entries")} of about ${counted(facts.tokens_after, "token")}.`,
		);
	const would = dryRun ? "Would summarise" : "Summarised";
	io.out(
		`${would} ${counted(facts.summarised_entries, "entry", "entries")} of ${sid}; ${facts.kept_entries} stay (${grouped(facts.tokens_before)} -> ${grouped(facts.tokens_after)} tokens).`,
	);
	if (done.entries.length > 0) for (const line of summarisedText(done.entries).split("\n")) io.out(`  ${line}`);
	if (done.droppedTasks.length) io.out(`  finished tasks dropped: ${done.droppedTasks.join(", ")}`);
	if (done.droppedFacts) io.out(`  facts said twice or beyond the bound: ${done.droppedFacts}`);
}
