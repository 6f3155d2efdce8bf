import { shortAge } from "../../core/pressure/status-text.ts";
import { quotedName } from "../../core/text/quoted.ts";
import { grouped as number } from "../../core/text/text.ts";
import type { Io } from "../support/io.ts";
import { wrapped } from "../support/layout/fit.ts";
import { moment } from "../support/layout/moment.ts";
import { asTyped } from "../support/own-name.ts";
import { shortLine } from "../task/answer.ts";
import { paintZone } from "./paint.ts";
import type { ShownStatus } from "./shown.ts";

const INDENT = 19;

type Line = (name: string, value: string, paint?: (part: string) => string) => void;

/** All that is known of one session. */
export function printSession(one: ShownStatus, io: Io): void {
	const { out, colours: c } = io;
	const line: Line = (name, value, paint = String) => {
		const [first, ...more] = wrapped(value, (io.columns ?? Infinity) - INDENT);
		out(`  ${c.dim(name.padEnd(16))} ${paint(first!)}`);
		for (const part of more) out(" ".repeat(INDENT) + paint(part));
	};
	out(c.bold(one.session));
	const seen = one.seenMs === null ? "?" : `${shortAge(one.seenMs)} ago`;
	line("seen", one.ended === null ? seen : `${seen}, ended: ${one.ended}`);
	if (one.cwd) line("folder", quotedName(one.cwd));
	if (one.model)
		line("model", `${shortLine(one.model)}${one.claudeVersion ? ` on Claude Code ${one.claudeVersion}` : ""}`);
	line("tokens", one.tokens === null ? "unknown" : `${number(one.tokens)} of a window of ${number(one.window ?? 0)}`);
	line("compacts at", one.trigger === null ? (one.why ?? "unknown") : `${number(one.trigger)} (${one.why})`);
	if (one.distance !== null) line("distance", `${number(one.distance)} tokens`);
	line("zone", one.zone, (part) => paintZone(part, c));
	line(
		"marker",
		one.marker === "nudged" ? "nudged in this cycle" : one.marker === "marker" ? "set, nudge due" : "none",
	);
	checkpointLines(one, line, c);
	haltGateLine(one.haltGate, line, c);
	if (one.profile) line("profile", `${shortLine(one.profile.name)} (chosen for the ${one.profile.by})`);
	if (one.task && "problem" in one.task)
		line("task", asTyped(`${shortLine(one.task.problem)}; ccg task status --session ${one.session}`, io), c.red);
	else if (one.task) {
		line("task", `${shortLine(one.task.goal) || "(no goal)"} (${one.task.status}, revision ${one.task.revision})`);
		line("next", shortLine(one.task.next_action) || "(empty)");
	}
	if (one.unclear) line("who spoke", one.unclear, c.red);
	const { failure } = one;
	if (!failure) return line("last failure", "none");
	line("last failure", shortLine(`${failure.where}: ${failure.reason} (${moment(failure.at)})`), c.red);
}

function checkpointLines({ checkpoint }: ShownStatus, line: Line, c: Io["colours"]): void {
	if (!checkpoint) return line("checkpoint", "none");
	const { key, ageMs, state, path, delivered } = checkpoint;
	line("checkpoint", `${key} (${ageMs === null ? "?" : shortAge(ageMs)} ago, ${state})`);
	line("", path, c.dim);
	if (state !== "committed") return;
	const told = { yes: "reached the model", no: "did not reach the model", unknown: "not known" };
	line("injected", told[delivered], delivered === "no" ? c.red : undefined);
}

function haltGateLine({ mode, state, until }: ShownStatus["haltGate"], line: Line, c: Io["colours"]): void {
	const told: Record<ShownStatus["haltGate"]["state"], [string, ((part: string) => string)?]> = {
		"held back": ["changes are held back until a task checkpoint", c.red],
		free: ["a checkpoint was written: one change is free", c.yellow],
		lifted: [`lifted by a person until ${until ? moment(until) : "the next compaction"}`],
		critical: ["the pressure is critical; nothing is held back", c.yellow],
		idle: ["nothing is held back"],
	};
	const [text, paint] = told[state];
	line("halt gate", `${mode}, ${text}`, paint);
}
