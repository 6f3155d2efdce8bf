import { resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { tokensAfterCompaction } from "../../claude/transcript/compactions.ts";
import type { LossReport } from "../../core/recovery/loss-report.ts";
import { statementsIn, verdict } from "../../core/recovery/loss-verdict.ts";
import { readUsage } from "../../store/pressure/usage-record.ts";
import { projectOf } from "../../store/project.ts";
import { loadCheckpoint } from "../../store/recovery/checkpoints.ts";
import { readReports } from "../../store/recovery/compaction-record.ts";
import { listSessions, readContext } from "../../store/session/session-snapshot.ts";
import { printReports } from "../report/print.ts";
import type { ShownReport } from "../report/shown.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { pickSession, storeOf } from "../support/pick-session.ts";
import { nameOf } from "../support/project-name.ts";

interface Options {
	session?: string;
	project?: string | true;
	since?: Since;
	last?: boolean;
	json?: boolean;
}

export function registerReport(program: Command, io: Io): void {
	program
		.command("report")
		.description("what each compaction kept and lost of what you said, and what came back")
		.option("--session <id>", "only this session, by its id or the beginning of it")
		.option("--project [folder]", "only this project, by a folder of it or its name (default: the current one)")
		.option("--since <time>", "only from then on: 2026-01-31, 2026-01-31T09:00, or 12h, 3d, 2w ago", sinceArgument)
		.option("--last", "only the newest compaction")
		.option("--json", "machine-readable")
		.addHelpText("after", HELP)
		.action((options: Options) => report(options, io));
}

const HELP = `
Each thing is counted once: it stands in the summary word for word, or reworded (in the summary's own words: most of the
words that matter close together), or is lost. What is not there word for word is given back all the same. "Back" counts
what of the lost was given back, or is read from disk again. In JSON: verbatim, reworded, dropped and total.

Examples:
  ccg report --last
  ccg report --project --since 7d
  ccg report --session 0c0ffee0 --json`;

export function report(options: Options, io: Io, now = new Date()): void {
	const root = storeOf(io);
	const sessions = options.session === undefined ? listSessions(root) : [pickSession(root, options.session, now)];
	const wanted = wantedProject(options.project, io.cwd);
	const since = options.since?.(now) ?? 0;
	const chosen = sessions
		.flatMap((sid) => readReports(root, sid))
		.filter(({ at }) => Date.parse(at) >= since || since === 0)
		.sort((a, b) => (a.at < b.at ? -1 : 1))
		// a project is looked for in checkpoints, each a file of its own
		.slice(options.last && !wanted ? -1 : 0)
		.map((one): ShownReport => {
			const folder = folderOf(root, one, now);
			return { ...one, tokensAfter: null, folder, project: folder && nameOf(folder) };
		})
		.filter((one) => wanted === null || (one.folder !== "" && wanted(one)))
		.slice(options.last ? -1 : 0)
		.map((one) => ({ ...one, tokensAfter: tokensAfter(root, one) }));
	if (options.json) return answerJson(io, chosen.map(forPrograms));
	if (chosen.length > 0) return printReports(chosen, io);
	const limited = options.session !== undefined || options.since || wanted;
	io.out(
		limited && listSessions(root).some((sid) => readReports(root, sid).length > 0)
			? "No compaction fits; without --session, --project and --since all are shown."
			: "No compaction was reported yet: a report is made when Claude Code hands over the summary.",
	);
}

function forPrograms({ version: _, session, folder, ...rest }: ShownReport) {
	const { total, verbatim, reworded, lost, back } = statementsIn([rest]);
	return {
		sessionId: session,
		cwd: folder || null,
		verdict: verdict([rest]),
		said: { total, verbatim, ownWords: reworded, lost, back },
		...rest,
	};
}

/** The folder a session worked in, from what is still there to tell it. */
function folderOf(root: string, { session, key }: LossReport, now: Date): string {
	const checkpoint = loadCheckpoint(root, session, key)?.projectDir;
	if (checkpoint) return checkpoint;
	const usage = readUsage(root, session);
	if (usage?.projectDir || usage?.cwd) return usage.projectDir || usage.cwd || "";
	const context = readContext(root, session, now);
	return context.found === "good" ? context.value.system_state.cwd : "";
}

function wantedProject(asked: string | true | undefined, cwd: string): ((one: ShownReport) => boolean) | null {
	if (asked === undefined) return null;
	const { key } = projectOf(asked === true ? cwd : resolve(cwd, asked));
	return ({ folder, project }) => projectOf(folder).key === key || project === asked;
}

function tokensAfter(root: string, { session, key, at }: LossReport): number | null {
	const path = loadCheckpoint(root, session, key)?.transcriptPath;
	try {
		return path ? tokensAfterCompaction(path, at) : null;
	} catch {
		return null;
	}
}

/** From which moment on, in ms, seen from now. */
type Since = (now: Date) => number;

function sinceArgument(value: string): Since {
	const [, count, unit] = /^(\d{1,5})([hdw])$/.exec(value) ?? [];
	if (count)
		return (now) => now.getTime() - Number(count) * { h: 3_600_000, d: 86_400_000, w: 604_800_000 }[unit as "h"];
	// a day alone means its beginning on the reader's clock
	const at = Date.parse(/^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00` : value);
	if (!/^\d{4}-\d\d-\d\d/.test(value) || Number.isNaN(at))
		throw new InvalidArgumentError("it must be a day or time like 2026-01-31 or 2026-01-31T09:00, or 12h, 3d, 2w");
	return () => at;
}
