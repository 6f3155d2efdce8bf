import { checkpointMarkdown, differences } from "../../core/block/views.ts";
import { coverageOf, documentState } from "../../core/checkpoint/document-state.ts";
import { asImported } from "../../core/checkpoint/imported.ts";
import { sealedText, writeSealed, writeText } from "../../store/gate.ts";
import { jsonText } from "../support/answer.ts";
import { isKey, KEY, readableCheckpoint, whyNot } from "../support/checkpoints.ts";
import { ALL, argument, type Given, JSON_OUT, OUT, option, SESSION, SINCE, type Spec } from "../support/command.ts";
import { blockOf, handoffOf } from "../support/handed.ts";
import { type Io, WrongUse } from "../support/io.ts";
import { contextOf, meantSession, newFile } from "../support/place.ts";
import {
	approvalsOf,
	approvalsText,
	printReport,
	reportForPrograms,
	reportsOf,
	reportText,
} from "../support/report.ts";

const FORMS = ["block", "handoff", "pr", "report", "approvals", "json"] as const;

interface Options extends Given {
	as?: (typeof FORMS)[number];
	against?: string;
}

/** `ccg show`: a session or a checkpoint, in each form that others can read. */
export const show: Spec = {
	about: "print a session or a checkpoint: what would be injected now, a handoff, the report of compactions, ...",
	args: [argument("[key or session]", `a checkpoint (${KEY}), or a session by its id or the beginning of it`)],
	options: [
		option("--as <form>", "what to make of it (below)").choices(FORMS),
		option("--against <key>", "say in words what changed from this checkpoint to it"),
		OUT,
		SESSION,
		SINCE,
		ALL,
		JSON_OUT,
	],
	help: `
Without --as: a checkpoint as people read it; of a session what would be injected if it were compacted now.
  block      what would be injected now; also of a transcript's file (FILE.jsonl)
  handoff    one Markdown file from which a person or another agent can go on with the work
  pr         the same in the form of a pull request's description
  report     what each compaction kept and lost of what you said, and what came back; of one with its KEY, or latest
  approvals  what was approved, answered, rejected and denied, with time and tool
  json       all of it: a checkpoint with its checksum, which 'ccg checkpoint restore FILE' takes; a session's context

Examples:
  ccg show
  ccg show latest --as report
  ccg show --as handoff --out HANDOFF.md
  ccg show --as pr --out pr.md && gh pr create --body-file pr.md --title "..."
  ccg show manual --against wave_checkpoint_20260131_090500
  ccg show manual --as json --out state.json
  ccg show --as approvals --json | jq '.[] | select(.kind == "rejected")'

In a report each thing is counted once: it stands in the summary word for word, or reworded (most of the words that matter close
together), or is lost. "Back" counts what of the lost was injected, or is read from disk again. Approvals are read from the
transcript; older versions of Claude Code write no word of what was allowed. Secrets are redacted. --out never writes over a file.`,
	act(io, options: Options, named?: string) {
		const isOfKey = named !== undefined && isKey(named);
		const key = isOfKey ? named : undefined;
		const session = isOfKey ? options.session : (named ?? options.session);
		const form = formOf(key, { ...options, session }, io);
		const { text, json, print = io.page, beside = "" } = form;
		if (options.out === undefined)
			return json === undefined ? void io.out(text) : { json, text: () => print(text.trimEnd(), io) };
		const path = newFile(options.out, io);
		if (form.content) writeSealed(path, form.content, { exclusive: true });
		else writeText(path, `${(options.json && json ? jsonText(json) : text).trimEnd()}\n`, { exclusive: true });
		return { json: { written: path }, text: `Written to ${path}.${beside}` };
	},
};

/** What is shown: its text, and the same for programs. */
interface Form {
	text: string;
	/** Absent where the text is JSON itself. */
	json?: unknown;
	/** What is written under a seal. */
	content?: object;
	print?: (text: string, io: Io) => void;
	/** Said beside a file. */
	beside?: string;
}

function formOf(key: string | undefined, options: Options, io: Io): Form {
	const { as = key === undefined ? "block" : undefined, against, session } = options;
	if (against !== undefined) return difference(against, key, session, io);
	if (as === "json") return key === undefined ? wholeSession(session, io) : sealed(key, session, io);
	if (as === undefined) return document(key, session, io);
	if (as === "report") {
		const reports = reportsOf(key, options, io);
		const text = reports.length > 0 ? reportText(reports) : NO_REPORT;
		return { text, json: reports.map(reportForPrograms), print: printReport };
	}
	if (as === "approvals") {
		const found = approvalsOf(options, io);
		return { text: approvalsText(found), json: found, print: printReport };
	}
	if (as === "block") {
		if (key !== undefined)
			throw new WrongUse(`a checkpoint is given back with: ccg checkpoint restore ${key} (--print shows it)`);
		const text = blockOf(session, io);
		return { text, json: { text } };
	}
	const page = handoffOf(key, session, as === "pr", io);
	return { text: page.text, json: page, beside: as === "pr" ? ` A title for it: ${page.title}` : "" };
}

const NO_REPORT =
	"No compaction was reported here yet: a report is made when Claude Code hands over the summary. --all looks at all projects.";

/** A checkpoint as people read it, or in the fields of the agent's document. */
function document(named: string | undefined, session: string | undefined, io: Io): Form {
	const found = readableCheckpoint(named, session, io);
	const { checkpoint, key, validation } = found;
	if (!validation.valid) io.err(`ccg: ${key} is not fit for a restore: ${whyNot(found)}`);
	const fields = documentState(checkpoint);
	const { missing, percent: coverage } = coverageOf(fields);
	const { note = null, imported = null } = checkpoint;
	const json = { key, session: found.session.id, note, imported, session_state: fields, coverage, missing };
	return { text: checkpointMarkdown(checkpoint), json };
}

/** What changed from one checkpoint to another, in words. */
function difference(from: string, to: string | undefined, session: string | undefined, io: Io): Form {
	const [a, b] = [from, to].map((one) => readableCheckpoint(one, session, io).checkpoint) as [Read, Read];
	const changes = differences(a, b);
	const imported = a.imported ?? b.imported;
	const lines = [
		`From ${a.key} (${a.at}) to ${b.key} (${b.at}):`,
		...(changes.length === 0 ? ["Nothing changed."] : []),
		...changes.map((change) => asImported(`- ${change}`, imported)),
	];
	return { text: lines.join("\n"), json: { from: a.key, to: b.key, changes } };
}

type Read = ReturnType<typeof readableCheckpoint>["checkpoint"];

/** All of a checkpoint under its seal, which holds for these bytes alone. */
function sealed(named: string, session: string | undefined, io: Io): Form {
	const { sha256: _, ...content } = readableCheckpoint(named, session, io, "was not exported").checkpoint;
	return { text: sealedText(content).trimEnd(), content };
}

/** All that is kept of a session. */
function wholeSession(named: string | undefined, io: Io): Form {
	const session = meantSession(named, io);
	const { id: session_id } = session;
	const whole = { version: 1, exported_at: io.now().toISOString(), session_id, context: contextOf(session) };
	return { text: jsonText(whole) };
}
