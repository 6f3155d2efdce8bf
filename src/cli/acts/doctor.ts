import { counted } from "../../core/text/text.ts";
import type { CheckStatus, DoctorCheck, DoctorInput, Report } from "../../doctor/check.ts";
import { runDoctor } from "../../doctor/doctor.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { beside, unbroken } from "../support/layout/beside.ts";
import { asTyped } from "../support/own-name.ts";

export async function doctor(
	{ json }: { json?: boolean },
	io: Io,
	place: Pick<DoctorInput, "managed" | "timeLimitMs">,
): Promise<void> {
	const progress = io.interactive && !json ? (what: string) => io.err(io.colours.dim(`… ${what}`)) : undefined;
	const { env, cwd, launcher, tell } = io;
	const report = typed(await runDoctor({ env, cwd, launcher, tell, ...place, progress }), io);
	if (json) answerJson(io, report);
	else print(report, io);
	if (!report.ok) io.exit(1);
}

/** With commands as they can be typed here. */
function typed(report: Report, io: Io): Report {
	return { ...report, checks: report.checks.map((one) => (one.fix ? { ...one, fix: asTyped(one.fix, io) } : one)) };
}

const GROUPS: Record<string, string> = {
	runtime: "Runtime",
	store: "Store",
	settings: "Settings",
	blockers: "What can keep hooks from running",
	compaction: "Compaction",
	commands: "Registered commands",
};

function print({ checks }: Report, io: Io): void {
	for (const [group, heading] of Object.entries(GROUPS)) {
		const own = checks.filter(({ id }) => id.startsWith(`${group}.`));
		if (own.length === 0) continue;
		io.out(io.colours.bold(heading));
		const width = Math.max(...own.map(({ title }) => title.length));
		for (const check of own) printCheck(check, width, io);
		io.out("");
	}
	for (const line of summary(checks, io)) io.out(line);
}

function printCheck({ status, title, detail, fix }: DoctorCheck, width: number, io: Io): void {
	const indent = 2 + visible(status, io) + 1 + width + 2;
	beside(io, { label: `  ${signOf(status, io)} ${title.padEnd(width)}  `, indent }, detail ?? "");
	if (fix && status !== "ok") beside(io, { label: "", indent }, `-> ${fix}`, io.colours.dim);
}

const SIGNS: Record<CheckStatus, { sign: string; word: string }> = {
	ok: { sign: "✓", word: "ok  " },
	warn: { sign: "!", word: "warn" },
	fail: { sign: "✗", word: "FAIL" },
	info: { sign: "·", word: "info" },
};

/** A coloured sign, or a word where there are no colours to tell the signs apart. */
function signOf(status: CheckStatus, { colours }: Io): string {
	if (!colours.isColorSupported) return SIGNS[status].word;
	const paint = { ok: colours.green, warn: colours.yellow, fail: colours.red, info: colours.dim }[status];
	return paint(SIGNS[status].sign);
}

function visible(status: CheckStatus, { colours }: Io): number {
	return colours.isColorSupported ? 1 : SIGNS[status].word.length;
}

const UNTRUSTED =
	"But this folder is not trusted yet: in interactive sessions hooks and status line run here once it is. Start `claude` here and accept.";

function summary(checks: DoctorCheck[], { colours, columns = Infinity }: Io): string[] {
	const count = (status: CheckStatus): number => checks.filter((check) => check.status === status).length;
	const [failed, warned] = [count("fail"), count("warn")];
	const warnings = counted(warned, "warning");
	if (failed > 0) return [colours.red(`${failed} failed, ${warnings}.`)];
	const all = warned > 0 ? `Nothing failed, ${warnings}.` : "All checks passed.";
	const isUntrusted = checks.some(({ id, status }) => id === "blockers.trust" && status !== "ok");
	const [first, ...more] = unbroken(isUntrusted ? `${all} ${UNTRUSTED}` : all, columns);
	return [first!.replace(all, colours.green(all)), ...more];
}
