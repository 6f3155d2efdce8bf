import { deliveryOf } from "../../claude/transcript/compactions.ts";
import { tokensOf } from "../../core/context/compact.ts";
import type { SessionContext } from "../../core/context/project.ts";
import { shortAge } from "../../core/pressure/status-parts.ts";
import { unclearText } from "../../core/state/messages.ts";
import { barred, quotedName } from "../../core/text/quoted.ts";
import { counted, cut, grouped as number, oneLine } from "../../core/text/text.ts";
import { projectOf } from "../../store/project.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { readCycle } from "../../store/session/cycles.ts";
import { readRecord } from "../../store/session/records.ts";
import { sessionAt } from "../../store/session-handle.ts";
import { readWork, type SessionStatus } from "../../store/status/session-status.ts";
import { moment } from "./answer.ts";
import type { Io } from "./io.ts";
import { asTyped } from "./own-name.ts";
import { nameOf } from "./place.ts";
import { beside } from "./text.ts";

/** A session with what is looked up beside its row. */
export type ShownStatus = ReturnType<typeof shownOf>;

export function shownOf(one: SessionStatus, io: Io) {
	const store = storeOf(io);
	const { checkpoint, transcriptPath, cwd } = one;
	const session = sessionAt(store, one.session);
	const kept = readRecord(session)?.record ?? null;
	// of a compaction's checkpoint: the others come back only when they are asked for
	const key = checkpoint?.state === "saved" ? readCycle(session).began?.key : checkpoint?.key;
	/** Whether the transcript shows that the block reached the model; `unknown` where it shows neither. */
	const delivered = transcriptPath && key ? deliveryOf(transcriptPath, key) : ("unknown" as const);
	return {
		...one,
		...readWork(store, one, io.now()),
		checkpoint: checkpoint && { ...checkpoint, delivered },
		/** Name of its project; `null` while its folder is unknown. */
		project: cwd ? nameOf(cwd) : null,
		/** Of the project this runs in. */
		here: cwd !== null && projectOf(cwd).key === projectOf(io.cwd).key,
		/** Why Claude Code said it ended; `null` while it runs. */
		ended: kept?.ended || null,
		/** What of its transcript is not known, so that it does not tell who spoke; `null` where it does. */
		unclear: kept && unclearText(kept.state),
	};
}

/** The zone in the status line's colour. The text may be padded. */
export function paintZone(zone: string, c: Io["colours"]): string {
	const paint: Record<string, (part: string) => string> = {
		flush: c.yellow,
		imminent: c.red,
		calm: c.green,
		watch: c.cyan,
	};
	return (paint[zone.trim()] ?? String)(zone);
}

/** A value beside its name; what is false is left out. */
type Line = [name: string, value: string, paint?: ((part: string) => string) | undefined] | false | null | "";

function printLines(lines: readonly Line[], io: Io): void {
	for (const line of lines) {
		if (!line) continue;
		const [name, value, paint] = line;
		beside(io, { label: `  ${io.colours.dim(name.padEnd(16))} `, indent: 19 }, value, paint);
	}
}

const shortLine = (text: string): string => oneLine(text).slice(0, 200);
const MARKERS = { nudged: "nudged in this cycle", marker: "set, nudge due", none: "none" };

/** What was measured of a session, and what it works under. */
export function printStatus(one: ShownStatus, io: Io): void {
	const { colours: c } = io;
	const { ended, model, tokens, trigger, profile, task, failure } = one;
	const seen = one.seenMs === null ? "?" : `${shortAge(one.seenMs)} ago`;
	const client = one.claudeVersion ? ` on Claude Code ${one.claudeVersion}` : "";
	io.out(c.bold(one.session));
	printLines(
		[
			["seen", ended === null ? seen : `${seen}, ended: ${ended}`],
			one.cwd && ["folder", quotedName(one.cwd)],
			model && ["model", `${shortLine(model)}${client}`],
			["tokens", tokens === null ? "unknown" : `${number(tokens)} of a window of ${number(one.window ?? 0)}`],
			["compacts at", trigger === null ? (one.why ?? "unknown") : `${number(trigger)} (${one.why})`],
			one.distance !== null && ["distance", `${number(one.distance)} tokens`],
			["zone", one.zone, (part) => paintZone(part, c)],
			["marker", MARKERS[one.marker]],
			...checkpointLines(one, c),
			guardLine(one.haltGate, c),
			profile && ["profile", `${shortLine(profile.name)} (chosen for the ${profile.by})`],
			...taskLines(task, one.session, io),
			one.unclear && ["who spoke", one.unclear, c.red],
			failure
				? ["last failure", shortLine(`${failure.where}: ${failure.reason} (${moment(failure.at)})`), c.red]
				: ["last failure", "none"],
		],
		io,
	);
}

function taskLines(task: ShownStatus["task"], session: string, io: Io): Line[] {
	if (!task) return [];
	if ("problem" in task)
		return [["task", asTyped(`${shortLine(task.problem)}; ccg task status --session ${session}`, io), io.colours.red]];
	return [
		["task", `${shortLine(task.goal) || "(no goal)"} (${task.status}, revision ${task.revision})`],
		["next", shortLine(task.next_action) || "(empty)"],
	];
}

const DELIVERED = { yes: "reached the model", no: "did not reach the model", unknown: "not known" };

function checkpointLines({ checkpoint }: ShownStatus, c: Io["colours"]): Line[] {
	if (!checkpoint) return [["checkpoint", "none"]];
	const { key, ageMs, state, path, delivered } = checkpoint;
	return [
		["checkpoint", `${key} (${ageMs === null ? "?" : shortAge(ageMs)} ago, ${state})`],
		["", path, c.dim],
		state === "committed" && ["injected", DELIVERED[delivered], delivered === "no" ? c.red : undefined],
	];
}

function guardLine({ mode, state, until }: ShownStatus["haltGate"], c: Io["colours"]): Line {
	const told = {
		"held back": "changes are held back until a task checkpoint",
		free: "a checkpoint was written: one change is free",
		lifted: `lifted by a person until ${until ? moment(until) : "the next compaction"}`,
		critical: "the pressure is critical; nothing is held back",
		idle: "nothing is held back",
	}[state];
	const paint = state === "held back" ? c.red : ["free", "critical"].includes(state) ? c.yellow : undefined;
	return ["guard", `${mode}, ${told}`, paint];
}

/** Of tools, facts and entries so many are shown. */
const [TOOLS, FACTS, ENTRIES] = [5, 20, 8];

/** What is kept of what a session said and did; `--json` has all of it. */
export function printContext(context: SessionContext, io: Io): void {
	const { system_state: state, tool_stats: tools, recent_history: history, summarised, facts } = context;
	const { current_plan: plan, active_tasks: tasks, background_tasks: background } = context;
	const branch = state.branch ? ` on ${quotedName(state.branch)}` : "";
	const entries = counted(history.length, "entry", "entries");
	const top = Object.entries(tools.by_tool).sort(([, a], [, b]) => b - a);
	const most = top.slice(0, TOOLS).map(([tool, calls]) => `, ${tool} ${calls}`);
	printLines(
		[
			["kept", `${moment(context.updated_at)}${branch}, profile ${context.profile}`],
			["history", `${entries} of about ${counted(tokensOf(history), "token")}; ${summarised.entries} summarised`],
			["tools", `${counted(tools.total_calls, "call")}, ${tools.failures} failed${most.join("")}`],
			...Object.entries(context.token_usage).map(
				([model, { input_tokens: read, output_tokens: written, cache_read_tokens: cached }]): Line => [
					"used",
					`${model}: ${number(read)} tokens in, ${number(written)} out, ${number(cached)} from cache`,
				],
			),
		],
		io,
	);
	const steps = plan?.steps.map(({ status, description }) => `[${status}] ${description}`) ?? [];
	const sections: Record<string, string[]> = {
		[plan ? `Plan (${plan.status}): ${oneLine(plan.goal)}` : "Plan"]: steps,
		Tasks: tasks.map(({ description, status }) => `[${status}] ${description}`),
		Background: background.map(({ id, kind, status, description }) => `[${status}] ${kind} ${id}: ${description}`),
		Facts: facts.slice(-FACTS).map((fact) => `- ${fact}`),
		"Long-term summary": context.long_term_summary.split("\n").filter(Boolean).map(barred),
		"Last entries": history
			.slice(-ENTRIES)
			.map(({ timestamp, role, content }) => `${moment(timestamp)} ${role}: ${cut(oneLine(content), 140)}`),
	};
	for (const [heading, items] of Object.entries(sections)) {
		if (items.length > 0) io.out(io.colours.bold(heading));
		for (const item of items) beside(io, { label: "  ", indent: 2 }, oneLine(item));
	}
}
