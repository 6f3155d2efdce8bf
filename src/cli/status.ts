import type { Command } from "commander";
import { deliveryOf } from "../claude/delivery.ts";
import { shortAge } from "../core/pressure/status-text.ts";
import { grouped as number } from "../core/text.ts";
import { storeRoot } from "../store/paths.ts";
import { readSessions, readWork, type SessionStatus, type SessionWork } from "../store/session-status.ts";
import type { Io } from "./io.ts";
import { pickSession } from "./pick-session.ts";
import { legend } from "./statusline.ts";
import { oneLine } from "./task/answer.ts";

export function registerStatus(program: Command, io: Io): void {
	program
		.command("status")
		.description(
			"show what ccg knows of each session: context use, compaction trigger, marker, checkpoints, guard, task, failures",
		)
		.option("--session <id>", "only this session")
		.option("--all", "also sessions not seen for two days")
		.option("--legend", "what the signs and colours of the status line mean")
		.option("--json", "machine-readable")
		.addHelpText(
			"after",
			"\nExamples:\n  ccg status\n  ccg status --json | jq '.[0].distance'\n  ccg status --session 0c0ffee0-0000-4000-8000-000000000000",
		)
		.action((options: Options & { legend?: boolean }) => (options.legend ? legend(options, io) : status(options, io)));
}

interface Options {
	session?: string;
	all?: boolean;
	json?: boolean;
}

const RECENT_MS = 2 * 86_400_000;

export function status(options: Options, io: Io, now = new Date()): void {
	const root = storeRoot(io.env);
	if (!root) throw new Error("neither CCG_HOME nor HOME is set, so there is no store to read; set one of them");
	const every = readSessions(root, now);
	const wanted = options.session && pickSession(root, options.session, now);
	const chosen = every
		.filter(({ session, seenMs }) => {
			if (wanted) return session === wanted;
			return options.all || seenMs === null || seenMs < RECENT_MS;
		})
		.map((one): Shown => ({ ...withReceipt(one), ...readWork(root, one, now) }));
	if (options.json) return io.out(JSON.stringify(chosen, null, 2));
	if (chosen.length === 0)
		return io.out(
			`No session seen in the last two days${every.length ? " (--all shows older ones)" : ""}. Store: ${root}`,
		);
	for (const [i, one] of chosen.entries()) {
		if (i > 0) io.out("");
		print(one, io);
	}
	io.out(`\n${io.colours.dim("what the status line's signs and colours mean: ccg status --legend")}`);
}

type Shown = WithReceipt & SessionWork;

type WithReceipt = Omit<SessionStatus, "checkpoint"> & {
	/** `delivered`: whether the transcript shows that the block reached the model; `unknown` where it shows neither. */
	checkpoint: (NonNullable<SessionStatus["checkpoint"]> & { delivered: "yes" | "no" | "unknown" }) | null;
};

/** Looks for the block among what Claude Code recorded of its hooks behind the last compaction. */
function withReceipt(one: SessionStatus): WithReceipt {
	const { checkpoint, transcriptPath } = one;
	if (!checkpoint) return { ...one, checkpoint: null };
	return {
		...one,
		checkpoint: { ...checkpoint, delivered: transcriptPath ? deliveryOf(transcriptPath, checkpoint.key) : "unknown" },
	};
}

function print(one: Shown, { out, colours: c }: Io): void {
	const line = (name: string, value: string): void => out(`  ${c.dim(name.padEnd(16))} ${value}`);
	out(`${c.bold(one.session)}${one.seenMs === null ? "" : c.dim(`  seen ${shortAge(one.seenMs)} ago`)}`);
	if (one.cwd) line("folder", one.cwd);
	if (one.model) line("model", `${one.model}${one.claudeVersion ? ` on Claude Code ${one.claudeVersion}` : ""}`);
	line("tokens", one.tokens === null ? "unknown" : `${number(one.tokens)} of a window of ${number(one.window ?? 0)}`);
	line("compacts at", one.trigger === null ? (one.why ?? "unknown") : `${number(one.trigger)} (${one.why})`);
	if (one.distance !== null) line("distance", `${number(one.distance)} tokens`);
	line("zone", paintZone(one.zone, c));
	line(
		"marker",
		one.marker === "nudged" ? "nudged in this cycle" : one.marker === "marker" ? "set, nudge due" : "none",
	);
	const { checkpoint } = one;
	line(
		"checkpoint",
		checkpoint
			? `${checkpoint.key} (${checkpoint.ageMs === null ? "?" : shortAge(checkpoint.ageMs)} ago, ${checkpoint.state})`
			: "none",
	);
	if (checkpoint) line("", c.dim(checkpoint.path));
	if (checkpoint?.state === "committed")
		line(
			"given back",
			checkpoint.delivered === "yes"
				? "reached the model"
				: checkpoint.delivered === "no"
					? c.red("did not reach the model")
					: "not known",
		);
	line("guard", guardText(one.guard, c));
	if (one.profile) line("profile", `${one.profile.name} (chosen for the ${one.profile.by})`);
	if (one.task && "problem" in one.task)
		line("task", c.red(`${one.task.problem}; ccg task status --session ${one.session}`));
	else if (one.task) {
		line("task", `${oneLine(one.task.goal) || "(no goal)"} (${one.task.status}, revision ${one.task.revision})`);
		line("next", oneLine(one.task.next_action) || "(empty)");
	}
	line("last failure", one.failure ? c.red(`${one.failure.where}: ${one.failure.reason} (${one.failure.at})`) : "none");
}

function guardText({ mode, state, until }: Shown["guard"], c: Io["colours"]): string {
	if (state === "held back") return `${mode}, ${c.red("changes are held back until a task checkpoint")}`;
	if (state === "free") return `${mode}, ${c.yellow("a checkpoint was written: one change is free")}`;
	if (state === "lifted") return `${mode}, lifted by a person until ${until ?? "the next compaction"}`;
	return `${mode}, ${state === "critical" ? c.yellow("the pressure is critical; nothing is held back") : "nothing is held back"}`;
}

function paintZone(zone: string, c: Io["colours"]): string {
	if (zone === "flush") return c.yellow(zone);
	return zone === "imminent" ? c.red(zone) : zone === "calm" ? c.green(zone) : zone;
}
