import { readEnvironment } from "../../claude/machine/environment.ts";
import { environmentLines } from "../../core/context/environment.ts";
import { short, shortAge } from "../../core/pressure/status-parts.ts";
import { storePath } from "../../core/text/quoted.ts";
import { oneLine } from "../../core/text/text.ts";
import { loadConfig } from "../../store/config/config.ts";
import { configPath } from "../../store/paths.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { readSessions } from "../../store/status/session-status.ts";
import { DATA_KEYS, isoOf, withIsoTimes } from "../support/answer.ts";
import { type Answer, argument, type Given, JSON_OUT, option, type Spec } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { contextOf, mayName, pickSession, refuseCrossing, shortId } from "../support/place.ts";
import { paintZone, printContext, printStatus, type ShownStatus, shownOf } from "../support/session-details.ts";
import { printTable, say, wrapped } from "../support/text.ts";

/** `ccg status`: the sessions in a table, all of one session, or the machine. */
export const status: Spec = {
	about: "sessions in a table, this project's first: context use, zone, checkpoint, guard, task, failures",
	args: [argument("[session]", "all that is known of this one, by its id or the beginning of it")],
	options: [
		option("--all", "also sessions not seen for two days"),
		option(
			"--machine",
			"the workspace and the machine as a session sees them; what a machine does not have is left out",
		),
		JSON_OUT,
	],
	help: `
Of a session are told measurements, checkpoint, task, facts, history, plan and tokens. Processes are named without their command lines:
those hold secrets.

Examples:
  ccg status
  ccg status 0c0ffee0
  ccg status --json | jq '.[0].distance'
  ccg status 0c0ffee0 --json | jq .context.current_plan
  ccg status --machine`,
	act(io, given: Given & { machine?: boolean }, session?: string) {
		if (given.machine) return machine(io);
		const { root } = storeOf(io);
		for (const problem of loadConfig(root).problems) io.err(`${configPath(root)}: ${problem}`);
		return session === undefined ? overview(given.all, io) : details(session, io);
	},
};

const RECENT_MS = 2 * 86_400_000;

function overview(all: boolean | undefined, io: Io): Answer {
	if (all) refuseCrossing("--all", io);
	const store = storeOf(io);
	const every = readSessions(store, io.now()).filter(({ session }) => mayName(session, io));
	const chosen = every
		.filter(({ seenMs }) => all || seenMs === null || seenMs < RECENT_MS)
		.map((one) => shownOf(one, io))
		// stable: within a project the one seen last stays first
		.sort((a, b) => Number(b.here) - Number(a.here));
	const none =
		every.length > 0
			? `No session seen in the last two days (--all shows older ones). Store: ${store.root}`
			: `No session yet: one is seen here when Claude Code runs with ccg's hooks; \`ccg install\` registers them, \`ccg doctor\` checks them. Store: ${store.root}`;
	return {
		json: chosen.map((one) => forPrograms(one, io.now())),
		text: chosen.length === 0 ? none : () => printSessions(chosen, io),
	};
}

function details(named: string, io: Io): Answer {
	const session = pickSession(named, io);
	const one = readSessions(session, io.now()).find(({ session: sid }) => sid === session.id);
	const context = contextOf(session);
	if (!one) return { json: null, text: "Nothing is known of this session yet: it is measured with its first answer." };
	const shown = shownOf(one, io);
	const text = (): void => {
		printStatus(shown, io);
		if (context) printContext(context, io);
	};
	const json = { ...forPrograms(shown, io.now()), context: context && withIsoTimes(context) };
	return { json, asIs: DATA_KEYS, text };
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

/** The sessions as a table in the terminal's width, and what failed below it. */
function printSessions(sessions: readonly ShownStatus[], io: Io): void {
	const { out, colours: c, columns = Infinity } = io;
	const ids = sessions.map(({ session }) => session);
	const dimmed = (cell: string, { ended }: ShownStatus): string => (ended === null ? cell : c.dim(cell));
	const column = (title: string, rank: number, cell: (one: ShownStatus) => string) => ({
		title,
		rank,
		cell,
		paint: dimmed,
	});
	const left = printTable(
		sessions,
		[
			{
				...column("session", 0, ({ session, here }) => `${here ? "*" : " "} ${shortId(session, ids)}`),
				paint: (cell, one) => (one.ended === null && one.here ? c.bold(cell) : dimmed(cell, one)),
			},
			{ ...column("project", 2, ({ project }) => (project === null ? "?" : storePath(project))), least: 8 },
			column("seen", 0, seenText),
			{ ...column("tokens", 1, tokensText), align: "right" },
			{
				...column("zone", 3, ({ zone }) => zone),
				paint: (cell, one) => (one.ended === null ? paintZone(cell, c) : c.dim(cell)),
			},
			column("checkpoint", 4, checkpointText),
			column("guard", 6, ({ haltGate: { mode, state } }) => (state === "idle" ? mode : `${mode}, ${state}`)),
			...(sessions.some(({ task }) => task) ? [{ ...column("task", 5, taskText), least: 16 }] : []),
			{ ...column("model", 7, ({ model }) => model ?? "?"), least: 10 },
		],
		io,
	);
	for (const { session, failure, task, checkpoint, unclear } of sessions) {
		const wrong = [
			failure && `${failure.where}: ${oneLine(failure.reason)}`,
			task && "problem" in task && `task: ${oneLine(task.problem)}`,
			unclear,
			checkpoint?.state === "committed" && checkpoint.delivered === "no" && "what was injected did not reach the model",
		];
		for (const text of wrong.filter((one) => typeof one === "string"))
			for (const [i, part] of wrapped(`${shortId(session, ids)} ${text}`, columns - 2).entries())
				out(`${i === 0 ? c.red("!") : " "} ${part}`);
	}
	if (left.length > 0) say(`Not shown in this width: ${left.join(", ")}.`, io, c.dim);
	const star = sessions.some(({ here }) => here) ? "A * marks sessions of this project; " : "";
	const more = `${star}ccg status SESSION tells all of one; the status line's signs and colours: ccg statusline`;
	say(more, io, c.dim);
}

/** The session that runs and the one that has ended look alike but for this. */
function seenText({ ended, seenMs }: ShownStatus): string {
	const age = seenMs === null ? "?" : shortAge(seenMs);
	return ended === null ? `${age} ago` : `ended ${age}`;
}

function tokensText({ tokens, trigger, window }: ShownStatus): string {
	const goal = trigger ?? window;
	return `${tokens === null ? "?" : short(tokens)}/${goal === null ? "?" : short(goal)}`;
}

function checkpointText({ checkpoint }: ShownStatus): string {
	if (!checkpoint) return "none";
	return `${checkpoint.ageMs === null ? "" : `${shortAge(checkpoint.ageMs)} ago, `}${checkpoint.state}`;
}

function taskText({ task }: ShownStatus): string {
	if (!task) return "";
	return "problem" in task ? "damaged" : oneLine(task.goal) || "(no goal)";
}

function machine(io: Io): Answer {
	const environment = readEnvironment(io.cwd, io.now());
	const text = (): void => {
		for (const line of environmentLines(environment)) say(line, io);
		// those that wait for something are left out
		const busy = (environment.processes ?? []).filter(({ cpu_percent: cpu }) => cpu.toFixed(1) !== "0.0");
		if (busy.length === 0) return;
		printTable(
			busy,
			[
				{ title: "pid", rank: 0, align: "right", cell: ({ pid }) => pid },
				{ title: "cpu", rank: 0, align: "right", cell: ({ cpu_percent: cpu }) => `${cpu.toFixed(1)}%` },
				{ title: "memory", rank: 1, align: "right", cell: ({ memory_mb: memory }) => `${memory} MB` },
				{ title: "process", rank: 0, least: 8, cell: ({ name }) => name },
			],
			io,
		);
	};
	return { json: { ...environment, captured_at: isoOf(environment.captured_at) }, text };
}
