import { readEnvironment } from "../../claude/machine/environment.ts";
import { lastCompaction } from "../../claude/transcript/compactions.ts";
import { environmentLines } from "../../core/context/environment.ts";
import { shortAge, shortTokens } from "../../core/pressure/status-parts.ts";
import { quotedName, storePath } from "../../core/text/quoted.ts";
import { grouped, oneLine } from "../../core/text/text.ts";
import { lastRun, UNHEARD } from "../../doctor/ran.ts";
import { collectSeen } from "../../doctor/seen.ts";
import { quietly } from "../../files/quietly.ts";
import { whyOf } from "../../files/system-failure.ts";
import { loadConfig } from "../../store/config.ts";
import { configPath } from "../../store/paths.ts";
import { listSessions } from "../../store/session/cycles.ts";
import { projectIn, storeOf } from "../../store/session/place.ts";
import { type Store, sessionAt } from "../../store/session-handle.ts";
import { readSessions, readWork, type SessionStatus } from "../../store/status/session-status.ts";
import { syncLine } from "../../sync/last.ts";
import { moment } from "../support/answer.ts";
import { type Answer, argument, type Given, JSON_OUT, option, type Spec } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { contextOf, isHeld, ownProject, projectName, refuseCrossing, sessionNamed } from "../support/place.ts";
import { printBeside, printTable, say } from "../support/text.ts";

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
	act(io, given: Given & { machine?: boolean }, session?: string) {
		// processes are named without their command lines: those hold secrets
		if (given.machine) return describeMachine(io);
		const { root } = storeOf(io);
		for (const problem of loadConfig(root).problems) io.err(`${configPath(root)}: ${problem}`);
		return session === undefined ? overview(given, io) : details(session, io);
	},
};

/** So many sessions are listed, those written to last. */
const SHOWN = 20;

/** Lists sessions: this project's first, then the others'. */
function overview({ all }: Given, io: Io): Answer {
	if (all) refuseCrossing("--all", io);
	const store = storeOf(io);
	const most = all ? undefined : SHOWN;
	const own = new Set(listSessions(store, { project: ownProject(io), most }));
	const ids = [...own, ...(isHeld(io) ? [] : listSessions(store, { most }).filter((sid) => !own.has(sid)))];
	const rows = readSessions(store, ids.slice(0, most))
		.map((one) => rowOf(one, own.has(one.sessionId), store))
		// (a stable sort: within a project the session seen last stays first)
		.sort((a, b) => Number(b.inThisProject) - Number(a.inThisProject));
	const text = (): void => {
		if (rows.length === 0)
			say(
				`No session was seen yet: \`ccg doctor\` checks whether Claude Code runs the hooks. Store: ${store.root}`,
				io,
			);
		else printSessions(rows, io);
		sayUnheard(io);
		sayShared(io);
	};
	return { json: rows, text };
}

const agoMs = (at: string, io: Io): number => io.now().getTime() - Date.parse(at);

function details(named: string, io: Io): Answer {
	const session = sessionNamed(named, io);
	const [one] = readSessions(session, [session.id]);
	if (!one) return { json: null, text: "Nothing is known of this session yet: it is measured with its first answer." };
	const shown = rowOf(one, projectIn(session) === ownProject(io), session);
	return { json: { ...shown, context: contextOf(session) }, text: () => printDetails(shown, io) };
}

function describeMachine(io: Io): Answer {
	const found = readEnvironment(io.cwd, io.now());
	const text = (): void => {
		for (const line of environmentLines(found)) say(line, io);
		printTable(io, found.processes ?? [], [
			{ title: "process", cell: ({ name }) => name },
			{ title: "pid", cell: ({ pid }) => pid, align: "right" },
			{ title: "cpu", cell: ({ cpu_percent: cpu }) => `${cpu}%`, align: "right" },
			{ title: "memory", cell: ({ memory_mb: mb }) => `${mb} MB`, align: "right" },
		]);
	};
	return { json: found, text };
}

/** A session's row in the store with what is looked up beside it. */
type ShownStatus = ReturnType<typeof rowOf>;

function rowOf(status: SessionStatus, inThisProject: boolean, store: Store) {
	const { checkpoint, cycle, ...rest } = status;
	const { sessionId, transcriptPath, cwd } = rest;
	// the checkpoint of the last compaction: the others are injected only when somebody restores them
	const key = checkpoint?.state === "saved" ? cycle.began?.key : checkpoint?.key;
	/** Whether the transcript shows that the block reached the model; `unknown` where it shows neither. */
	const delivered = key ? lastCompaction(transcriptPath ?? undefined).delivered(key) : "unknown";
	return {
		...rest,
		inThisProject,
		...readWork(sessionAt(store, sessionId), cycle, cwd),
		/** Name of its project; `null` while its folder is unknown. */
		project: cwd ? projectName(cwd) : null,
		checkpoint: checkpoint && { ...checkpoint, delivered },
	};
}

/** Warns where the last session in this folder did not start ccg's hooks. A failure does not keep the rest from being printed. */
function sayUnheard(io: Io): void {
	const run = quietly(() => lastRun(collectSeen(io, []), io.now().getTime()));
	if (run?.isHere && !run.isHeard)
		say(`! ${run.title}${UNHEARD}; \`ccg doctor\` looks for the reason`, io, io.colours.red);
}

/** Says when the last exchange with other machines was, where a space is shared. A failure does not keep the rest from being printed. */
function sayShared(io: Io): void {
	try {
		const found = syncLine(storeOf(io), io.now().getTime());
		if (found) say(`last sync: ${found.line}`, io, found.isWrong ? io.colours.red : io.colours.dim);
	} catch (error) {
		say(`! sync: ${whyOf(error)}`, io, io.colours.red);
	}
}

function printSessions(sessions: readonly ShownStatus[], io: Io): void {
	const c = io.colours;
	const paint = (cell: string, { ended, inThisProject }: ShownStatus): string =>
		ended !== null ? c.dim(cell) : inThisProject ? c.bold(cell) : cell;
	const markedId = ({ sessionId, inThisProject }: ShownStatus): string =>
		`${inThisProject ? "*" : " "} ${sessionId.slice(0, 8)}`;
	printTable(io, sessions, [
		{ title: "session", cell: markedId, paint },
		{ title: "project", cell: ({ project }) => (project === null ? "?" : storePath(project)) },
		{ title: "seen", cell: (one) => seenText(one, io) },
		{
			title: "tokens",
			cell: ({ tokens, trigger, window }) => `${about(tokens)}/${about(trigger ?? window)}`,
			align: "right",
		},
		{ title: "zone", cell: ({ zone }) => zone },
		{ title: "checkpoint", cell: (one) => describeCheckpoint(one, io) },
		{ title: "guard", cell: guardText },
		...(sessions.some(({ task }) => task) ? [{ title: "task", cell: taskText }] : []),
		{ title: "model", cell: ({ model }) => model ?? "?" },
	]);
	for (const { sessionId, failure, task, checkpoint, unclear } of sessions) {
		const wrong = [
			failure && `${failure.where}: ${oneLine(failure.reason)}`,
			task && "problem" in task && `task: ${oneLine(task.problem)}`,
			unclear,
			checkpoint?.state === "committed" && checkpoint.delivered === "no" && "what was injected did not reach the model",
		];
		for (const text of wrong) if (text) say(`! ${sessionId.slice(0, 8)} ${text}`, io, c.red);
	}
	const star = sessions.some(({ inThisProject }) => inThisProject) ? "A * marks sessions of this project; " : "";
	const more = `${star}ccg status SESSION tells all of one, --all lists all; the status line's signs and colours: ccg statusline`;
	say(more, io, c.dim);
}

function printDetails(one: ShownStatus, io: Io): void {
	const { colours: c } = io;
	const { checkpoint, profile, task, failure } = one;
	const goal = task && ("problem" in task ? task.problem : `${task.goal || "(no goal)"} (${task.status})`);
	const lines: [string, string | null | undefined | false, boolean?][] = [
		["seen", `${seenText(one, io)}${one.ended ? `: ${one.ended}` : ""}`],
		["folder", one.cwd && quotedName(one.cwd)],
		["model", one.model && `${one.model}${one.claudeVersion ? ` on Claude Code ${one.claudeVersion}` : ""}`],
		["tokens", one.tokens === null ? "unknown" : `${grouped(one.tokens)} of a window of ${grouped(one.window ?? 0)}`],
		["compacts at", one.trigger === null ? (one.why ?? "unknown") : `${grouped(one.trigger)} (${one.why})`],
		["left", one.distance !== null && `${grouped(one.distance)} tokens, zone ${one.zone}, flush marker ${one.marker}`],
		["checkpoint", checkpoint ? `${checkpoint.key} (${describeCheckpoint(one, io)})` : "none"],
		["", checkpoint?.path],
		[
			"injected",
			checkpoint?.state === "committed" && `reached the model: ${checkpoint.delivered}`,
			checkpoint?.delivered === "no",
		],
		["guard", guardText(one)],
		["profile", profile && `${profile.name} (chosen for the ${profile.by})`],
		["task", goal, task !== null && "problem" in task],
		["next", task && "next_action" in task && task.next_action],
		["transcript", one.unclear, true],
		[
			"last failure",
			failure ? `${failure.where}: ${failure.reason} (${moment(failure.at)})` : "none",
			failure !== null,
		],
	];
	io.out(c.bold(one.sessionId));
	for (const [name, value, isWrong] of lines)
		if (value)
			printBeside(io, { label: `  ${c.dim(name.padEnd(14))} `, indent: 17 }, oneLine(value), isWrong ? c.red : String);
	const id = one.sessionId.slice(0, 8);
	say(`ccg show ${id} prints what would be injected now; --json has all that is kept of it`, io, c.dim);
}

/** Says how long ago a session was seen, or since when it has ended. */
function seenText({ ended, seenAt }: ShownStatus, io: Io): string {
	const age = seenAt === null ? "?" : shortAge(agoMs(seenAt, io));
	return ended === null ? `${age} ago` : `ended ${age}`;
}

const about = (tokens: number | null): string => (tokens === null ? "?" : shortTokens(tokens));

const describeCheckpoint = ({ checkpoint }: ShownStatus, io: Io): string =>
	checkpoint ? `${shortAge(agoMs(checkpoint.at, io))} ago, ${checkpoint.state}` : "none";

const guardText = ({ haltGate: { mode, state } }: ShownStatus): string =>
	state === "idle" ? mode : `${mode}, ${state}`;

function taskText({ task }: ShownStatus): string {
	if (!task) return "";
	return "problem" in task ? "damaged" : oneLine(task.goal) || "(no goal)";
}
