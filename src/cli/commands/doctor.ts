import { counted } from "../../core/text/text.ts";
import type { CheckStatus, DoctorCheck } from "../../doctor/check.ts";
import { runDoctor } from "../../doctor/doctor.ts";
import { type Given, JSON_OUT, type Spec } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { asTyped } from "../support/own-name.ts";
import { beside, wrapped } from "../support/text.ts";

/** `ccg doctor`: checks everything and runs each registered command. */
export const doctor: Spec = {
	about: "check that ccg works here: run every registered command, and tell what keeps hooks from running",
	options: [JSON_OUT],
	help: `
Only commands that this ccg writes itself, letter by letter, are run; others that settings files hold are shown. They run
in a store and a project of their own; nothing of yours is touched. A status line that ccg wraps in your own settings is
run once, too.

Examples:
  ccg doctor
  ccg doctor --json | jq '.checks[] | select(.status == "fail")'
  ccg doctor --json | jq '.commands[] | {event, run, ms}'

Exit codes: 0 nothing failed, 1 something failed.`,
	async act(io, { json }: Given) {
		const progress = io.interactive && !json ? (what: string) => io.err(io.colours.dim(`… ${what}`)) : undefined;
		const { env, cwd, launcher, tell } = io;
		const report = await runDoctor({ env, cwd, launcher, tell, progress });
		if (!report.ok) io.exit(1);
		const checks = report.checks.map((one) => (one.fix ? { ...one, fix: asTyped(one.fix, io) } : one));
		return { json: { ...report, checks }, text: () => print(checks, io) };
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

function print(checks: readonly DoctorCheck[], io: Io): void {
	for (const [group, heading] of Object.entries(GROUPS)) {
		const own = checks.filter(({ id }) => id.startsWith(`${group}.`));
		if (own.length === 0) continue;
		io.out(io.colours.bold(heading));
		const width = Math.max(...own.map(({ title }) => title.length));
		for (const { status, title, detail, fix } of own) {
			const sign = signOf(status, io);
			const indent = 2 + sign.width + 1 + width + 2;
			beside(io, { label: `  ${sign.text} ${title.padEnd(width)}  `, indent }, detail ?? "");
			if (fix && status !== "ok") beside(io, { label: "", indent }, `-> ${fix}`, io.colours.dim);
		}
		io.out("");
	}
	for (const line of summary(checks, io)) io.out(line);
}

/** A coloured sign, or a word where there are no colours to tell the signs apart. */
function signOf(status: CheckStatus, { colours: c }: Io): { text: string; width: number } {
	const [sign, word, paint] = (
		{
			ok: ["✓", "ok  ", c.green],
			warn: ["!", "warn", c.yellow],
			fail: ["✗", "FAIL", c.red],
			info: ["·", "info", c.dim],
		} as const
	)[status];
	return c.isColorSupported ? { text: paint(sign), width: 1 } : { text: word, width: word.length };
}

const UNTRUSTED =
	"But this folder is not trusted yet: in interactive sessions hooks and status line run here once it is. Start `claude` here and accept.";

function summary(checks: readonly DoctorCheck[], { colours, columns = Infinity }: Io): string[] {
	const count = (status: CheckStatus): number => checks.filter((check) => check.status === status).length;
	const [failed, warned] = [count("fail"), count("warn")];
	const warnings = counted(warned, "warning");
	if (failed > 0) return [colours.red(`${failed} failed, ${warnings}.`)];
	const all = warned > 0 ? `Nothing failed, ${warnings}.` : "All checks passed.";
	const isUntrusted = checks.some(({ id, status }) => id === "blockers.trust" && status !== "ok");
	const [first, ...more] = wrapped(isUntrusted ? `${all} ${UNTRUSTED}` : all, columns);
	return [first!.replace(all, colours.green(all)), ...more];
}
