import { type KindLoss, type LossReport, withFollowUp } from "../../core/audit/audit.ts";
import { STATEMENTS, statementsIn, verdict } from "../../core/audit/verdict.ts";
import type { SessionContext } from "../../core/context/project.ts";
import { foreign, quotedName } from "../../core/text/quoted.ts";
import { cut, grouped, oneLine } from "../../core/text/text.ts";
import { loadCheckpoint, readReports } from "../../store/recovery/checkpoints.ts";
import { readCycle } from "../../store/session/cycles.ts";
import { folderOf } from "../../store/session/place.ts";
import { readContext } from "../../store/session/records.ts";
import type { Session } from "../../store/session-handle.ts";
import { moment } from "./answer.ts";
import type { Given } from "./command.ts";
import type { Io } from "./io.ts";
import { nameOf, sessionsMeant } from "./place.ts";
import { fitted, wrapped } from "./text.ts";

// What happened in sessions: what each compaction kept and lost, and what the user decided.

/** A report with what the store and the transcript tell beside it. */
type ShownReport = ReturnType<typeof shown>;

/** What each compaction kept and lost, the oldest first; of one with its key or the beginning of it, or the newest (a type, `latest`). */
export function reportsOf(key: string | undefined, given: Given, io: Io): ShownReport[] {
	const from = given.since?.(io.now()) ?? 0;
	const found = sessionsMeant(given, io)
		.flatMap((session) => {
			const { began } = readCycle(session);
			// the follow-up block of an earlier compaction went out, or never will
			const isGiven = (one: string): boolean => began?.key !== one || !began.isDue;
			const reports = readReports(session).map((one) => (isGiven(one.key) ? withFollowUp(one) : one));
			return reports.map((report) => ({ session, report }));
		})
		.filter(({ report }) => from === 0 || Date.parse(report.at) >= from)
		.sort((a, b) => (a.report.at < b.report.at ? -1 : 1));
	const isNewest = key === "latest" || key === "precompact";
	const meant = isNewest ? found.slice(-1) : found.filter(({ report }) => report.key.startsWith(key ?? ""));
	return meant.map(({ session, report }) => shown(report, session));
}

function shown(report: LossReport, session: Session) {
	const { projectDir } = loadCheckpoint(session, report.key) ?? {};
	/** The folder it worked in, from what is still there to tell it; `""` where nothing does. */
	const folder = projectDir || folderOf(session) || readContext(session)?.system_state.cwd || "";
	return { ...report, folder, project: folder && nameOf(folder) };
}

export function reportForPrograms({ version: _, session, folder, ...rest }: ShownReport) {
	const { total, verbatim, reworded, lost, back, later } = statementsIn([rest]);
	return {
		sessionId: session,
		cwd: folder || null,
		verdict: verdict([rest]),
		said: { total, verbatim, ownWords: reworded, lost, back, later },
		...rest,
	};
}

/** Of the lines of one kind the first so many are shown. */
const SHOWN = 24;

/** In Markdown: what came of it in one sentence; then each compaction with what was lost of the user's words, claims, numbers, work. */
export function reportText(reports: readonly ShownReport[]): string {
	const sessions = new Set(reports.map(({ session }) => session)).size;
	const isOne = reports.length === 1;
	const many = isOne ? "" : `${reports.length} compactions${sessions > 1 ? ` of ${sessions} sessions` : ""}: `;
	return [`**${many}${verdict(reports)}**`, ...reports.map((one) => compaction(one, !isOne))].join("\n\n");
}

function compaction(one: ShownReport, withVerdict: boolean): string {
	const where = one.project ? `${quotedName(one.project)}, ` : "";
	const trigger = /^\w{1,20}$/.test(one.trigger) ? one.trigger : "unknown";
	const { block, followUp } = one.injectedChars;
	const facts = [
		one.tokensBefore === null ? "" : `${grouped(one.tokensBefore)} tokens before it`,
		one.summaryChars === null ? "no summary seen" : `summary ${grouped(one.summaryChars)} characters`,
		`injected ${grouped(block)} + ${grouped(followUp)} characters`,
	];
	const claims = one.claims.map(({ sentence, finding, about }) =>
		about === "deed"
			? `- unproven: ${finding}; the summary says ${foreign(oneLine(sentence))}`
			: `- no source: the summary says ${foreign(oneLine(sentence))}, no word of the user's says so`,
	);
	const rank = ({ fate }: LostLine): number => (fate === "reworded" ? 1 : 0);
	const said = [...STATEMENTS].flatMap((kind) => linesOf(one, kind)).sort((a, b) => rank(a) - rank(b));
	// what else was lost: tasks, failures, files
	const work = Object.keys(one.kinds)
		.filter((kind) => !STATEMENTS.has(kind))
		.flatMap((kind) => listed(linesOf(one, kind).filter(({ fate }) => fate !== "reworded")));
	const parts = [
		[`### ${where}${moment(one.at)}, ${trigger} compaction of session ${one.session}`],
		[...(withVerdict ? [verdict([one])] : []), facts.filter(Boolean).join("; ")],
		[...listed(said), ...claims],
		numbers(one),
		work,
	];
	return parts
		.filter((lines) => lines.length > 0)
		.map((lines) => lines.join("\n"))
		.join("\n\n");
}

type LostLine = KindLoss["lines"][number] & { kind: string };

const linesOf = ({ kinds }: ShownReport, kind: string): LostLine[] =>
	(kinds[kind]?.lines ?? []).map((line) => ({ kind, ...line }));

function listed(lines: readonly LostLine[]): string[] {
	const shown = lines.slice(0, SHOWN).map((line) => {
		const text = oneLine(line.text)
			.replace(/^- /, "")
			.replace(/^> |^"|"$/g, "");
		return `- ${SAYS[line.fate]}${line.kind === "message" ? "" : ` (${line.kind})`}: ${foreign(text)}`;
	});
	const more = lines.length - SHOWN;
	return more > 0 ? [...shown, `- ${more} more: \`--json\` has them`] : shown;
}

/** What became of a line that the summary does not hold word for word. */
const SAYS: Record<LostLine["fate"], string> = { reworded: "own words", later: "to come", back: "back", lost: "lost" };

function numbers({ kinds }: ShownReport): string[] {
	const heads = ["", "all", "word for word", "reworded", "back", "to come", "lost"];
	const rows = Object.entries(kinds).map(([kind, { total, verbatim, reworded, back, later, lost }]) =>
		[kind, total, verbatim, reworded, back, later, lost].map(String),
	);
	const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => row[at]!.length)));
	const line = (cells: readonly string[]): string =>
		`| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join(" | ")} |`;
	return [
		line(heads),
		`|${widths.map((width, at) => `${"-".repeat(width + 1)}${at === 0 ? "-" : ":"}`).join("|")}|`,
		...rows.map(line),
	];
}

/** A report for a terminal: fitted, its marks in colours where there are any. */
export function printReport(text: string, io: Io): void {
	const { columns = Infinity, colours: c } = io;
	const fates: Record<string, (line: string) => string> = {
		lost: c.red,
		unproven: c.red,
		back: c.green,
		"to come": c.yellow,
	};
	const painted = (line: string): string => {
		if (!c.isColorSupported) return line;
		if (/^(?:\*\*|###)/.test(line)) return c.bold(line.replace(/^### |\*\*/g, ""));
		const [, fate = ""] = /^- ([a-z ]{4,9})(?: \(|:)/.exec(line) ?? [];
		return fates[fate] ? `- ${fates[fate](fate)}${line.slice(fate.length + 2)}` : line;
	};
	// (what stands between backticks is no command here, so it is broken too)
	const fit = (line: string): string[] =>
		line.startsWith("|")
			? [fitted(line, columns)]
			: wrapped(line.split(" "), columns - 2).map((part, i) => (i > 0 && line.startsWith("- ") ? `  ${part}` : part));
	io.page(text.split("\n").flatMap(fit).map(painted).join("\n"));
}

/** What the user approved, answered, rejected, and what was denied, the oldest first. */
export function approvalsOf(given: Given, io: Io): (SessionContext["approvals"][number] & { session_id: string })[] {
	const from = (given.since?.(io.now()) ?? 0) / 1000;
	return sessionsMeant(given, io)
		.flatMap((session) => (readContext(session)?.approvals ?? []).map((one) => ({ ...one, session_id: session.id })))
		.filter(({ timestamp }) => timestamp >= from)
		.sort((a, b) => a.timestamp - b.timestamp);
}

export function approvalsText(found: ReturnType<typeof approvalsOf>): string {
	if (found.length === 0) return "Nothing was approved or denied here yet. --all looks at all projects.";
	const several = new Set(found.map(({ session_id: sid }) => sid)).size > 1;
	const lines = found.map(({ timestamp, kind, tool, subject, words, session_id: sid }) => {
		const about = cut(oneLine(subject), 160);
		// most subjects begin with the tool
		const what = `${!tool || about.startsWith(`${tool} `) ? "" : `${tool}: `}${about}`;
		const said = words ? ` — "${cut(oneLine(words), 160)}"` : "";
		return `- ${moment(timestamp)} ${kind}: ${what}${said}${several ? `, session ${sid.slice(0, 8)}` : ""}`;
	});
	return lines.join("\n");
}
