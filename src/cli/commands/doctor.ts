import { counted } from "../../core/text/text.ts";
import type { DoctorCheck } from "../../doctor/check.ts";
import { runDoctor } from "../../doctor/doctor.ts";
import { type Given, JSON_OUT, type Spec } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { asTyped } from "../support/own-name.ts";
import { printBeside, say } from "../support/text.ts";

/** `ccg doctor`: checks everything and runs each registered command. */
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
	async act(io, { json }: Given) {
		const progress = io.interactive && !json ? (what: string) => io.err(io.colours.dim(`… ${what}`)) : undefined;
		const { env, cwd, launcher, tell } = io;
		const report = await runDoctor({ env, cwd, launcher, tell, progress });
		if (!report.ok) io.exit(1);
		const checks = report.checks.map((one) => (one.fix ? { ...one, fix: asTyped(one.fix, io) } : one));
		return { json: { ...report, checks }, text: () => printChecks(checks, io) };
	},
};

const GROUPS: Record<string, string> = {
	runtime: "Runtime",
	store: "Store",
	settings: "Settings",
	blockers: "What can keep hooks from running",
	compaction: "Compaction",
	commands: "Registered commands",
};

function printChecks(checks: readonly DoctorCheck[], io: Io): void {
	const { colours: c } = io;
	const paints = { ok: c.green, warn: c.yellow, fail: c.red, info: c.dim };
	for (const [group, heading] of Object.entries(GROUPS)) {
		const own = checks.filter(({ id }) => id.startsWith(`${group}.`));
		if (own.length === 0) continue;
		io.out(c.bold(heading));
		const width = Math.max(...own.map(({ title }) => title.length));
		for (const { status, title, detail, fix } of own) {
			const indent = 9 + width;
			printBeside(io, { label: `  ${paints[status](SIGNS[status])} ${title.padEnd(width)}  `, indent }, detail ?? "");
			if (fix && status !== "ok") printBeside(io, { label: "", indent }, `-> ${fix}`, c.dim);
		}
		io.out("");
	}
	say(summary(checks), io, checks.some(({ status }) => status === "fail") ? c.red : c.green);
}

const SIGNS = { ok: "ok  ", warn: "warn", fail: "FAIL", info: "info" };

const UNTRUSTED =
	"But this folder is not trusted yet: in interactive sessions hooks and status line run here once it is. Start `claude` here and accept.";

function summary(checks: readonly DoctorCheck[]): string {
	const count = (status: DoctorCheck["status"]): number => checks.filter((check) => check.status === status).length;
	const [failed, warned] = [count("fail"), count("warn")];
	if (failed > 0) return `${failed} failed, ${counted(warned, "warning")}.`;
	const all = warned > 0 ? `Nothing failed, ${counted(warned, "warning")}.` : "All checks passed.";
	return checks.some(({ id, status }) => id === "blockers.trust" && status !== "ok") ? `${all} ${UNTRUSTED}` : all;
}
