import type { Fate, LossReport } from "../../core/audit/audit.ts";
import { countFates, lossVerdict, triggerName } from "../../core/audit/verdict.ts";
import { approvalsOf } from "../../core/context/project.ts";
import { foreign, quotedName } from "../../core/text/quoted.ts";
import { cut, grouped, oneLine } from "../../core/text/text.ts";
import { readReports } from "../../store/recovery/checkpoints.ts";
import { folderOf, storeOf } from "../../store/session/place.ts";
import { readRecord } from "../../store/session/records.ts";
import { sessionAt } from "../../store/session-handle.ts";
import { moment } from "./answer.ts";
import type { Given } from "./command.ts";
import type { Io } from "./io.ts";
import { projectName, sessionsMeant } from "./place.ts";
import { fillLines } from "./text.ts";

// What happened in sessions: what each compaction kept and lost, and what the user decided.

const NO_REPORT =
	"No compaction was reported here yet: a report is made with the first call or prompt behind one, or when the session ends. --all looks at all projects.";

/** Reports what each compaction left of the user's words, oldest first: all, those whose key begins with `key`, or the newest (`latest`). */
export function report(key: string | undefined, given: Given, io: Io): { text: string; json: object[] } {
	const from = given.since?.(io.now()) ?? 0;
	const all = sessionsMeant(given, io)
		.flatMap((session) => readReports(session))
		.filter(({ at }) => from === 0 || Date.parse(at) >= from)
		.sort((a, b) => (a.at < b.at ? -1 : 1));
	const isNewest = key === "latest" || key === "precompact";
	const meant = isNewest ? all.slice(-1) : all.filter((one) => one.key.startsWith(key ?? ""));
	const reports = meant.map((one) => withFolder(one, io));
	return { text: reports.length > 0 ? reportText(reports) : NO_REPORT, json: reports.map(reportJson) };
}

/** Adds to a report the folder that its session worked in, and the name of its project; `""` where they are not known any more. */
function withFolder(one: LossReport, io: Io) {
	const session = sessionAt(storeOf(io), one.session);
	const folder = folderOf(session);
	return { ...one, folder, project: folder && projectName(folder) };
}

function reportJson({ version: _, session, folder, ...rest }: ReturnType<typeof withFolder>) {
	return {
		sessionId: session,
		cwd: folder || null,
		verdict: lossVerdict([rest]),
		counted: countFates([rest]),
		...rest,
	};
}

/** Gives the reports in Markdown: one sentence for all; then each compaction with the messages that its summary does not hold. */
function reportText(reports: readonly ReturnType<typeof withFolder>[]): string {
	const sessions = new Set(reports.map(({ session }) => session)).size;
	const isOne = reports.length === 1;
	const many = isOne ? "" : `${reports.length} compactions${sessions > 1 ? ` of ${sessions} sessions` : ""}: `;
	return [`**${many}${lossVerdict(reports)}**`, ...reports.map((one) => reportOne(one, !isOne))].join("\n\n");
}

/** So many messages of a compaction are shown, each up to so many characters. */
const SHOWN = 24;
const LENGTH = 300;

/** The fates of messages in the order of a report, and what each is called in it. */
const CALLED: [Exclude<Fate, "summary">, string][] = [
	["neither", "in neither"],
	["part", "back in part"],
	["whole", "back whole"],
];

function reportOne(one: ReturnType<typeof withFolder>, withVerdict: boolean): string {
	const where = one.project ? `${quotedName(one.project)}, ` : "";
	const facts = [
		one.tokensBefore === null ? "" : `${grouped(one.tokensBefore)} tokens before it`,
		one.summaryChars === null ? "no summary seen" : `summary ${grouped(one.summaryChars)} characters`,
		`injected ${grouped(one.blockChars)} characters`,
	];
	const lines = CALLED.flatMap(([fate, called]) =>
		one.messages
			.filter((message) => message.fate === fate)
			.map(({ text }) => `- ${called}: ${foreign(cut(oneLine(text), LENGTH))}`),
	);
	const more = lines.length - SHOWN;
	const parts = [
		[`### ${where}${moment(one.at)}, ${triggerName(one.trigger)} compaction of session ${one.session}`],
		[...(withVerdict ? [lossVerdict([one])] : []), facts.filter(Boolean).join("; ")],
		[...lines.slice(0, SHOWN), ...(more > 0 ? [`- ${more} more: \`--json\` has them`] : [])],
		one.missing.length > 0
			? [`Of the user's numbers, names and paths not in either: ${one.missing.map(foreign).join(", ")}`]
			: [],
	];
	return parts
		.filter((lines) => lines.length > 0)
		.map((lines) => lines.join("\n"))
		.join("\n\n");
}

/** Lists what the user approved, answered and rejected, and what was denied, oldest first. */
export function approvals(given: Given, io: Io): { text: string; json: object[] } {
	const from = (given.since?.(io.now()) ?? 0) / 1000;
	const found = sessionsMeant(given, io)
		.flatMap((session) => {
			const { record } = readRecord(session) ?? {};
			return record ? approvalsOf(record.state).map((one) => ({ ...one, session_id: session.id })) : [];
		})
		.filter(({ timestamp }) => timestamp >= from)
		.sort((a, b) => a.timestamp - b.timestamp);
	const isOne = new Set(found.map(({ session_id: sid }) => sid)).size === 1;
	const lines = found.map(({ timestamp, kind, tool, subject, words, session_id: sid }) => {
		const about = cut(oneLine(subject), 160);
		// most subjects begin with the tool
		const what = `${!tool || about.startsWith(`${tool} `) ? "" : `${tool}: `}${about}`;
		const said = words ? ` — "${cut(oneLine(words), 160)}"` : "";
		return `- ${moment(timestamp)} ${kind}: ${what}${said}${isOne ? "" : `, session ${sid.slice(0, 8)}`}`;
	});
	const none = "Nothing was approved or denied here yet. --all looks at all projects.";
	return { text: lines.join("\n") || none, json: found };
}

/** Prints one of these reports in the terminal's width. (Text between backticks is no command here, so its lines are broken too.) */
export function printReport(text: string, io: Io): void {
	const fit = (line: string): string[] =>
		fillLines(line.split(" "), (io.columns ?? Infinity) - 2).map((part, i) =>
			i > 0 && line.startsWith("- ") ? `  ${part}` : part,
		);
	io.out(text.split("\n").flatMap(fit).join("\n"));
}
