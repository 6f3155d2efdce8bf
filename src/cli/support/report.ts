import type { Fate, LossReport } from "../../core/audit/audit.ts";
import { countFates, lossVerdict, triggerName } from "../../core/audit/verdict.ts";
import { approvalsOf } from "../../core/context/project.ts";
import { inBackticks, nameInBackticks } from "../../core/text/quoted.ts";
import { oneLine, truncate, withThousands } from "../../core/text/text.ts";
import type { countEvidence } from "../../page/story.ts";
import { readCheckpoint, readReports } from "../../store/recovery/checkpoints.ts";
import { readSessionFolder, requireStore } from "../../store/session/place.ts";
import { readRecord } from "../../store/session/records.ts";
import { sessionHandle } from "../../store/session-handle.ts";
import { localDayAndTime } from "./answer.ts";
import type { Flags } from "./command.ts";
import type { Io } from "./io.ts";
import { projectName, selectSessions } from "./place.ts";
import { wrapWords } from "./text.ts";

const NO_REPORT =
	"No compaction was reported here yet: a report is made with the first call or prompt behind one, or when the session ends. --all looks at all projects.";

/** Reports what each compaction kept of the user's words, oldest first: of all, of those whose key begins with `key`, or of the `latest`. */
export async function reportCompactions(key: string | undefined, options: Flags, io: Io) {
	const from = options.since?.(io.now()) ?? 0;
	const all = selectSessions(options, io)
		.flatMap((session) => readReports(session))
		.filter(({ at }) => from === 0 || Date.parse(at) >= from)
		.sort((a, b) => (a.at < b.at ? -1 : 1));
	const wantsLatest = key === "latest" || key === "precompact";
	const selected = wantsLatest ? all.slice(-1) : all.filter((report) => report.key.startsWith(key ?? ""));
	const reports = selected.map((report) => addFolderAndProject(report, io));
	// (of one alone: it reads the transcript)
	const [only] = reports.length === 1 ? reports : [];
	if (only) {
		const session = sessionHandle(requireStore(io), only.session);
		const transcript = readCheckpoint(session, only.key)?.transcriptPath;
		const story = await import("../../page/story.ts");
		only.done = (transcript && story.countEvidence(session, transcript, only.key)) || undefined;
	}
	return { text: reports.length > 0 ? reportMarkdown(reports) : NO_REPORT, json: reports.map(reportJson) };
}

/** Adds to a report the folder of its session and the name of the project there; `""` where they are not known any more. */
function addFolderAndProject(report: LossReport, io: Io) {
	const folder = readSessionFolder(sessionHandle(requireStore(io), report.session));
	const done = undefined as ReturnType<typeof countEvidence> | undefined;
	return { ...report, folder, project: folder && projectName(folder), done };
}

/** Gives a report as `--json` prints it, with its verdict and counts. */
function reportJson({ version: _, session, folder, ...rest }: ReturnType<typeof addFolderAndProject>) {
	const summed = { verdict: lossVerdict([rest]), counted: countFates([rest]) };
	return { sessionId: session, cwd: folder || null, ...summed, ...rest };
}

/** Gives the reports in Markdown: a verdict on all of them, then a section on each compaction. */
function reportMarkdown(reports: readonly ReturnType<typeof addFolderAndProject>[]): string {
	const sessions = new Set(reports.map(({ session }) => session)).size;
	const isSingle = reports.length === 1;
	const counts = isSingle ? "" : `${reports.length} compactions${sessions > 1 ? ` of ${sessions} sessions` : ""}: `;
	const sections = reports.map((report) => compactionSection(report, { withVerdict: !isSingle }));
	return [`**${counts}${lossVerdict(reports)}**`, ...sections].join("\n\n");
}

/** How many messages of a compaction are listed, and how many characters of each. */
const MAX_MESSAGES = 24;
const MAX_CHARS = 300;

/** What became of a message that the summary lacks: was it in the injected block? In the order of a report, with its words. */
const FATE_TITLES: [Exclude<Fate, "summary">, string][] = [
	["neither", "in neither"],
	["part", "back in part"],
	["whole", "back whole"],
];

/** Gives the section on one compaction: sizes, the messages that its summary does not hold, and what is missing altogether. */
function compactionSection(report: ReturnType<typeof addFolderAndProject>, { withVerdict = false }): string {
	const where = report.project ? `${nameInBackticks(report.project)}, ` : "";
	const facts = [
		report.tokensBefore === null ? "" : `${withThousands(report.tokensBefore)} tokens before it`,
		report.summaryChars === null ? "no summary seen" : `summary ${withThousands(report.summaryChars)} characters`,
		`injected ${withThousands(report.blockChars)} characters`,
	];
	const lines = FATE_TITLES.flatMap(([fate, title]) =>
		report.messages
			.filter((message) => message.fate === fate)
			.map(({ text }) => `- ${title}: ${inBackticks(truncate(oneLine(text), MAX_CHARS))}`),
	);
	const omitted = lines.length - MAX_MESSAGES;
	const missing = report.missing.map(inBackticks).join(", ");
	const parts = [
		[
			`### ${where}${localDayAndTime(report.at)}, ${triggerName(report.trigger)} compaction of session ${report.session}`,
		],
		[...(withVerdict ? [lossVerdict([report])] : []), facts.filter(Boolean).join("; ")],
		[...lines.slice(0, MAX_MESSAGES), ...(omitted > 0 ? [`- ${omitted} more: \`--json\` has them`] : [])],
		report.done ? [doneText(report.done)] : [],
		report.missing.length > 0 ? [`Of the user's numbers, names and paths not in either: ${missing}`] : [],
	];
	return parts
		.filter((lines) => lines.length > 0)
		.map((lines) => lines.join("\n"))
		.join("\n\n");
}

/** Says of what was done before a compaction how much its summary holds, by kind. */
const doneText = (done: NonNullable<ReturnType<typeof countEvidence>>): string =>
	`Of what was done before it the summary holds: ${Object.entries(done)
		.map(([kind, { held, total }]) => `${held} of ${total} ${kind}`)
		.join(", ")}.`;

/** Lists what the user approved, answered and rejected, and what was denied, oldest first. */
export function listApprovals(options: Flags, io: Io): { text: string; json: object[] } {
	const from = (options.since?.(io.now()) ?? 0) / 1000;
	const found = selectSessions(options, io)
		.flatMap((session) => {
			const { record } = readRecord(session) ?? {};
			return record ? approvalsOf(record.state).map((approval) => ({ ...approval, session_id: session.id })) : [];
		})
		.filter(({ timestamp }) => timestamp >= from)
		.sort((a, b) => a.timestamp - b.timestamp);
	const isOneSession = new Set(found.map(({ session_id: sid }) => sid)).size === 1;
	const lines = found.map(({ timestamp, kind, tool, subject, words, session_id: sid }) => {
		const about = truncate(oneLine(subject), 160);
		// (most subjects begin with the tool)
		const action = `${!tool || about.startsWith(`${tool} `) ? "" : `${tool}: `}${about}`;
		const comment = words ? ` — "${truncate(oneLine(words), 160)}"` : "";
		return `- ${localDayAndTime(timestamp)} ${kind}: ${action}${comment}${isOneSession ? "" : `, session ${sid.slice(0, 8)}`}`;
	});
	const none = "Nothing was approved or denied here yet. --all looks at all projects.";
	return { text: lines.join("\n") || none, json: found };
}

/** Prints a report in the terminal's width. (Text between backticks is quoted here, no command to copy, so it is wrapped too.) */
export function printReport(text: string, io: Io): void {
	const fit = (line: string): string[] =>
		wrapWords(line.split(" "), (io.columns ?? Infinity) - 2).map((part, i) =>
			i > 0 && line.startsWith("- ") ? `  ${part}` : part,
		);
	io.out(text.split("\n").flatMap(fit).join("\n"));
}
