import { countWithNoun } from "../../core/text/text.ts";
import type { DoctorCheck } from "../../doctor/check.ts";
import { runDoctor } from "../../doctor/doctor.ts";
import { type Flags, JSON_OUT, type Spec } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { withTypableCommands } from "../support/own-name.ts";
import { printBesideLabel, printText } from "../support/text.ts";

export const doctor: Spec = {
	about: "check that ccg works here: run every registered command, and tell what keeps hooks from running",
	options: [JSON_OUT],
	help: `
Only commands that this ccg writes itself, letter by letter, are run; others that settings files hold are shown. They run \
in a store and a project of their own; nothing of yours is touched. It ends 1 where something failed.

Examples:
  ccg doctor
  ccg doctor --json | jq '.checks[] | select(.status == "fail")'
  ccg doctor --json | jq '.commands[] | {event, run, ms}'`,
	async run(io, { json }: Flags) {
		const progress = io.interactive && !json ? (what: string) => io.err(io.colours.dim(`… ${what}`)) : undefined;
		const { env, cwd, launcher, onProblem } = io;
		const report = await runDoctor({ env, cwd, launcher, onProblem, progress });
		if (!report.ok) io.setExitCode(1);
		const checks = report.checks.map((one) => (one.fix ? { ...one, fix: withTypableCommands(one.fix, io) } : one));
		return { json: { ...report, checks }, text: () => printChecks(checks, io) };
	},
};

/** The headings of the checks, by what the ids of their checks begin with. */
const HEADINGS: Record<string, string> = {
	runtime: "Runtime",
	store: "Store",
	settings: "Settings",
	blockers: "What can keep hooks from running",
	compaction: "Compaction",
	commands: "Registered commands",
};

/** Prints the checks under their headings, each with its fix where it did not pass, and a summary. */
function printChecks(checks: readonly DoctorCheck[], io: Io): void {
	const { colours: c } = io;
	const paints = { ok: c.green, warn: c.yellow, fail: c.red, info: c.dim };
	for (const [group, heading] of Object.entries(HEADINGS)) {
		const ofGroup = checks.filter(({ id }) => id.startsWith(`${group}.`));
		if (ofGroup.length === 0) continue;
		io.out(c.bold(heading));
		const width = Math.max(...ofGroup.map(({ title }) => title.length));
		for (const { status, title, detail, fix } of ofGroup) {
			const indent = 9 + width;
			const label = `  ${paints[status](SIGNS[status])} ${title.padEnd(width)}  `;
			printBesideLabel(io, label, indent, detail ?? "");
			if (fix && status !== "ok") printBesideLabel(io, "", indent, `-> ${fix}`, c.dim);
		}
		io.out("");
	}
	printText(checksSummary(checks), io, checks.some(({ status }) => status === "fail") ? c.red : c.green);
}

const SIGNS = { ok: "ok  ", warn: "warn", fail: "FAIL", info: "info" };

const UNTRUSTED =
	"But this folder is not trusted yet: in interactive sessions hooks and status line run here once it is. Start `claude` here and accept.";

/** Gives the last line of the report: how many checks failed or warned, and whether this folder is not trusted. */
function checksSummary(checks: readonly DoctorCheck[]): string {
	const count = (status: DoctorCheck["status"]): number => checks.filter((check) => check.status === status).length;
	const [failed, warned] = [count("fail"), count("warn")];
	if (failed > 0) return `${failed} failed, ${countWithNoun(warned, "warning")}.`;
	const passed = warned > 0 ? `Nothing failed, ${countWithNoun(warned, "warning")}.` : "All checks passed.";
	return checks.some(({ id, status }) => id === "blockers.trust" && status !== "ok")
		? `${passed} ${UNTRUSTED}`
		: passed;
}
