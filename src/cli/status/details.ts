import { shortAge } from "../../core/pressure/status-text.ts";
import { grouped as number } from "../../core/text.ts";
import type { Io } from "../io.ts";
import { wrapped } from "../layout/fit.ts";
import { moment } from "../layout/moment.ts";
import { asTyped } from "../own-name.ts";
import { oneLine } from "../task/answer.ts";
import { paintZone } from "./paint.ts";
import type { Shown } from "./shown.ts";

const INDENT = 19;

/** All that is known of one session. */
export function printSession(one: Shown, io: Io): void {
	const { out, colours: c } = io;
	const line = (name: string, value: string): void => {
		const [first, ...more] = wrapped(value, (io.columns ?? Infinity) - INDENT);
		out(`  ${c.dim(name.padEnd(16))} ${first}`);
		for (const part of more) out(" ".repeat(INDENT) + part);
	};
	out(c.bold(one.session));
	const seen = one.seenMs === null ? "?" : `${shortAge(one.seenMs)} ago`;
	line("seen", one.ended === null ? seen : `${seen}, ended: ${one.ended}`);
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
	checkpointLines(one, line, c);
	line("guard", guardText(one.guard, c));
	if (one.profile) line("profile", `${one.profile.name} (chosen for the ${one.profile.by})`);
	if (one.task && "problem" in one.task)
		line("task", c.red(asTyped(`${one.task.problem}; ccg task status --session ${one.session}`, io)));
	else if (one.task) {
		line("task", `${oneLine(one.task.goal) || "(no goal)"} (${one.task.status}, revision ${one.task.revision})`);
		line("next", oneLine(one.task.next_action) || "(empty)");
	}
	line(
		"last failure",
		one.failure ? c.red(`${one.failure.where}: ${one.failure.reason} (${moment(one.failure.at)})`) : "none",
	);
}

function checkpointLines({ checkpoint }: Shown, line: (name: string, value: string) => void, c: Io["colours"]): void {
	if (!checkpoint) return line("checkpoint", "none");
	const { key, ageMs, state, path, delivered } = checkpoint;
	line("checkpoint", `${key} (${ageMs === null ? "?" : shortAge(ageMs)} ago, ${state})`);
	line("", c.dim(path));
	if (state !== "committed") return;
	const told = { yes: "reached the model", no: c.red("did not reach the model"), unknown: "not known" };
	line("given back", told[delivered]);
}

function guardText({ mode, state, until }: Shown["guard"], c: Io["colours"]): string {
	if (state === "held back") return `${mode}, ${c.red("changes are held back until a task checkpoint")}`;
	if (state === "free") return `${mode}, ${c.yellow("a checkpoint was written: one change is free")}`;
	if (state === "lifted") return `${mode}, lifted by a person until ${until ? moment(until) : "the next compaction"}`;
	return `${mode}, ${state === "critical" ? c.yellow("the pressure is critical; nothing is held back") : "nothing is held back"}`;
}
