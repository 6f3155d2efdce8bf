import { existsSync } from "node:fs";
import { readEnvironment } from "../../claude/machine/environment.ts";
import { type LastCompaction, readLastCompaction } from "../../claude/transcript/compactions.ts";
import { environmentLines } from "../../core/context/environment.ts";
import { shortAge, shortTokens, sizesText } from "../../core/pressure/status-parts.ts";
import { freshStart } from "../../core/session/status.ts";
import { nameInBackticks, storePath } from "../../core/text/quoted.ts";
import { countWithNoun, durationText, oneLine, withThousands } from "../../core/text/text.ts";
import { errorText } from "../../files/system-failure.ts";
import { loadConfig } from "../../store/config.ts";
import { configPath, syncPath } from "../../store/paths.ts";
import { listSessions } from "../../store/session/cycles.ts";
import { readSessionProject, requireStore } from "../../store/session/place.ts";
import { type Store, sessionHandle } from "../../store/session-handle.ts";
import { readSessionStatuses, readSessionWork, type SessionStatus } from "../../store/status/session-status.ts";
import { localDayAndTime } from "../support/answer.ts";
import { type Answer, argument, type Flags, JSON_OUT, option, type Spec } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { findSession, isProjectBound, projectKey, projectName, readContext, refuseIfBound } from "../support/place.ts";
import { printBesideLabel, printTable, printText } from "../support/text.ts";

export const status: Spec = {
	about: "list sessions, this project's first: context use, distance to compaction, checkpoint, gate, task, failures",
	args: [argument("[session]", "show all of this session, by its id or the beginning of it")],
	options: [
		option("--all", "all sessions, not only those written to last"),
		option("--machine", "show the workspace and the machine as a session sees them"),
		JSON_OUT,
	],
	help: `
Examples:
  ccg status --json | jq '.[0].distance'
  ccg status 0c0ffee0 --json | jq .context.current_plan`,
	run(io, options: Flags & { machine?: boolean }, session?: string) {
		// processes are named without their command lines: those hold secrets
		if (options.machine) return describeMachine(io);
		const { root } = requireStore(io);
		for (const problem of loadConfig(root).problems) io.err(`${configPath(root)}: ${problem}`);
		return session === undefined ? listStatus(options, io) : sessionDetails(session, io);
	},
};

/** How many sessions are listed without `--all`: those written to last. */
const MAX_SESSIONS = 20;

/** Lists the status of sessions: this project's first, then the others'. A command bound to its project lists that one alone. */
function listStatus({ all }: Flags, io: Io): Answer {
	if (all) refuseIfBound("--all", io);
	const store = requireStore(io);
	const most = all ? undefined : MAX_SESSIONS;
	const own = new Set(listSessions(store, { project: projectKey(io), most }));
	const others = isProjectBound(io) ? [] : listSessions(store, { most }).filter((sid) => !own.has(sid));
	const rows = readSessionStatuses(store, [...own, ...others].slice(0, most))
		.map((session) => addToStatus(session, own.has(session.sessionId), store))
		// (a stable sort: within a project the session seen last stays first)
		.sort((a, b) => Number(b.inThisProject) - Number(a.inThisProject));
	const text = (): void => {
		const none = `No session was seen yet: \`ccg doctor\` checks whether Claude Code runs the hooks. Store: ${store.root}`;
		if (rows.length === 0) printText(none, io);
		else printSessions(rows, io);
		printSyncStatus(io);
	};
	return { json: rows, text };
}

/** Gives how many ms ago an ISO time was. */
const ageMs = (at: string, io: Io): number => io.now().getTime() - Date.parse(at);

/** Tells all that is known of one session. */
function sessionDetails(idPrefix: string, io: Io): Answer {
	const session = findSession(idPrefix, io);
	const [found] = readSessionStatuses(session, [session.id]);
	if (!found)
		return { json: null, text: "Nothing is known of this session yet: it is measured with its first answer." };
	const last = lastCompaction(found);
	const status = addToStatus(found, readSessionProject(session) === projectKey(io), session, last);
	const compactions = readCompactions(found, last);
	const text = (): void => printDetails({ ...status, compactions }, io);
	return { json: { ...status, compactions, context: readContext(session) }, text };
}

/** How often a session was compacted; of the last one the tokens before, after, and `anew`: not from the cache then; its time. `null`: unknown. */
function readCompactions({ cycle }: SessionStatus, { boundary, afterBoundary }: LastCompaction) {
	const { preTokens = null, postTokens = null, durationMs = null } = boundary() ?? {};
	const { usage } = afterBoundary();
	const after = { after: usage?.tokens ?? postTokens, anew: usage && usage.tokens - usage.cacheRead };
	const last = { before: preTokens, ...after, ms: durationMs };
	return { count: cycle.compactions ?? 0, last };
}

/** What a session's transcript shows of its last compaction. */
const lastCompaction = ({ transcriptPath }: SessionStatus): LastCompaction =>
	readLastCompaction(transcriptPath ?? undefined);

/** Describes the workspace and the machine as a session sees them, with a table of processes. */
function describeMachine(io: Io): Answer {
	const environment = readEnvironment(io.cwd, io.now());
	const text = (): void => {
		for (const line of environmentLines(environment)) printText(line, io);
		printTable(io, environment.processes ?? [], [
			{ title: "process", cell: ({ name }) => name },
			{ title: "pid", cell: ({ pid }) => pid, align: "right" },
			{ title: "cpu", cell: ({ cpu_percent: cpu }) => `${cpu}%`, align: "right" },
			{ title: "memory", cell: ({ memory_mb: mb }) => `${mb} MB`, align: "right" },
		]);
	};
	return { json: environment, text };
}

type ShownStatus = ReturnType<typeof addToStatus>;

/** Adds to the stored status of a session its work, its project's name, and whether the last block reached the model. */
function addToStatus(status: SessionStatus, inThisProject: boolean, store: Store, last = lastCompaction(status)) {
	const { checkpoint, cycle, ...rest } = status;
	const { sessionId, cwd } = rest;
	// (the block of a compaction, not of a checkpoint saved since)
	const key = checkpoint?.state === "saved" ? cycle.began?.key : checkpoint?.key;
	const delivered = key ? last.blockDelivery(key) : "unknown";
	return {
		...rest,
		inThisProject,
		...readSessionWork(sessionHandle(store, sessionId), cycle, cwd),
		project: cwd ? projectName(cwd) : null,
		checkpoint: checkpoint && { ...checkpoint, delivered },
	};
}

/** Prints when this store last exchanged with other machines, if it shares anything; prints a failure in place of throwing it. */
function printSyncStatus(io: Io): void {
	try {
		const store = requireStore(io);
		if (!existsSync(syncPath(store.root))) return;
		// loaded here: where nothing is shared nobody waits for its cryptography
		const sync: typeof import("../../sync/last.ts") = require("../../sync/last.ts");
		const lastSync = sync.syncLine(store, io.now().getTime());
		if (lastSync) printText(`last sync: ${lastSync.line}`, io, lastSync.isWrong ? io.colours.red : io.colours.dim);
	} catch (error) {
		printText(`! sync: ${errorText(error)}`, io, io.colours.red);
	}
}

/** Prints a table of sessions, then what is wrong with each. */
function printSessions(sessions: readonly ShownStatus[], io: Io): void {
	const c = io.colours;
	const paint = (cell: string, { ended, inThisProject }: ShownStatus): string =>
		ended !== null ? c.dim(cell) : inThisProject ? c.bold(cell) : cell;
	const markedId = ({ sessionId, inThisProject }: ShownStatus): string =>
		`${inThisProject ? "*" : " "} ${sessionId.slice(0, 8)}`;
	const tokensOfTrigger = ({ tokens, trigger, window }: ShownStatus): string =>
		`${tokensText(tokens)}/${tokensText(trigger ?? window)}`;
	printTable(io, sessions, [
		{ title: "session", cell: markedId, paint },
		{ title: "project", cell: ({ project }) => (project === null ? "?" : storePath(project)) },
		{ title: "seen", cell: (session) => seenText(session, io) },
		{ title: "tokens", align: "right", cell: tokensOfTrigger },
		{ title: "zone", cell: ({ zone }) => zone },
		{ title: "checkpoint", cell: (session) => checkpointText(session, io) },
		{ title: "guard", cell: guardText },
		...(sessions.some(({ task }) => task) ? [{ title: "task", cell: taskText }] : []),
		{ title: "model", cell: ({ model }) => model ?? "?" },
	]);
	for (const { sessionId, failure, task, checkpoint, unclear } of sessions) {
		const problems = [
			failure && `${failure.where}: ${oneLine(failure.reason)}`,
			task && "problem" in task && `task: ${oneLine(task.problem)}`,
			unclear,
			checkpoint?.state === "committed" && checkpoint.delivered === "no" && "what was injected did not reach the model",
		];
		for (const text of problems) if (text) printText(`! ${sessionId.slice(0, 8)} ${text}`, io, c.red);
	}
	const star = sessions.some(({ inThisProject }) => inThisProject) ? "A * marks sessions of this project; " : "";
	const hint = `${star}ccg status SESSION tells all of one, --all lists all; the status line's signs and colours: ccg statusline`;
	printText(hint, io, c.dim);
}

/** Prints the status of one session, a line for each fact that is known. */
function printDetails(status: ShownStatus & { compactions: ReturnType<typeof readCompactions> }, io: Io): void {
	const { colours: c } = io;
	const { count, last } = status.compactions;
	const took = durationText(last.ms ?? 0);
	const sizes = `, the last one ${sizesText(last)}${took && ` in ${took}`}`;
	const id = status.sessionId.slice(0, 8);
	const { checkpoint, profile, task, failure, model, claudeVersion, trigger, why, distance, zone } = status;
	const window = withThousands(status.window ?? 0);
	const isInjected = checkpoint?.state === "committed";
	const goal = task && ("problem" in task ? task.problem : `${task.goal || "(no goal)"} (${task.status})`);
	const failureText = failure && `${failure.where}: ${failure.reason} (${localDayAndTime(failure.at)})`;
	const lines: [string, string | null | undefined | false, boolean?][] = [
		["seen", `${seenText(status, io)}${status.ended ? `: ${status.ended}` : ""}`],
		["folder", status.cwd && nameInBackticks(status.cwd)],
		["model", model && `${model}${claudeVersion ? ` on Claude Code ${claudeVersion}` : ""}`],
		["tokens", status.tokens === null ? "unknown" : `${withThousands(status.tokens)} of a window of ${window}`],
		["compacts at", trigger === null ? (why ?? "unknown") : `${withThousands(trigger)} (${why})`],
		["compacted", count > 0 && `${countWithNoun(count, "time")}${last.before === null ? "" : sizes}`],
		["start afresh", count > 2 && freshStart(id)],
		["left", distance !== null && `${withThousands(distance)} tokens, zone ${zone}, flush flag ${status.marker}`],
		["checkpoint", checkpoint ? `${checkpoint.key} (${checkpointText(status, io)})` : "none"],
		["", checkpoint?.path],
		["injected", isInjected && `reached the model: ${checkpoint.delivered}`, checkpoint?.delivered === "no"],
		["guard", guardText(status)],
		["profile", profile && `${profile.name} (chosen for the ${profile.by})`],
		["task", goal, task !== null && "problem" in task],
		["next", task && "next_action" in task && task.next_action],
		["transcript", status.unclear, true],
		["last failure", failureText ?? "none", failure !== null],
	];
	io.out(c.bold(status.sessionId));
	for (const [name, value, isWrong] of lines)
		if (value) printBesideLabel(io, `  ${c.dim(name.padEnd(14))} `, 17, oneLine(value), isWrong ? c.red : String);
	printText(`ccg show ${id} prints what would be injected now; --json has all that is kept of it`, io, c.dim);
}

/** Says how long ago a session was seen, or since when it has ended. */
function seenText({ ended, seenAt }: ShownStatus, io: Io): string {
	const age = seenAt === null ? "?" : shortAge(ageMs(seenAt, io));
	return ended === null ? `${age} ago` : `ended ${age}`;
}

/** Gives a number of tokens in few characters, `?` where it is unknown. */
const tokensText = (tokens: number | null): string => (tokens === null ? "?" : shortTokens(tokens));

/** Says how old a session's checkpoint is, and whether it was injected. */
const checkpointText = ({ checkpoint }: ShownStatus, io: Io): string =>
	checkpoint ? `${shortAge(ageMs(checkpoint.at, io))} ago, ${checkpoint.state}` : "none";

/** Gives the mode of the halt gate, and its state where it halts something. */
const guardText = ({ haltGate: { mode, state } }: ShownStatus): string =>
	state === "idle" ? mode : `${mode}, ${state}`;

/** Gives the goal of the session's task; `""` without a task. */
function taskText({ task }: ShownStatus): string {
	if (!task) return "";
	return "problem" in task ? "damaged" : oneLine(task.goal) || "(no goal)";
}
