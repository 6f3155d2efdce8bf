import { readContent } from "../../claude/recovery/take-checkpoint.ts";
import { recoveryBlock } from "../../core/block/recovery-block.ts";
import {
	checkpointDifferences,
	checkpointMarkdown,
	handoff,
	pullRequest,
	withoutHomes,
} from "../../core/block/views.ts";
import type { Checkpoint } from "../../core/checkpoint/checkpoint.ts";
import { coverageOf, documentState } from "../../core/checkpoint/document-state.ts";
import { belowHead, importedHead } from "../../core/checkpoint/imported.ts";
import { redactSecrets } from "../../core/redact/secrets.ts";
import { sealedText, writeSealed, writeText } from "../../store/gate.ts";
import { jsonText } from "../support/answer.ts";
import { changesSince, isKey, KEY, presentOf, readableCheckpoint, whyNot } from "../support/checkpoints.ts";
import { ALL, argument, type Given, JSON_OUT, OUT, option, SESSION, SINCE, type Spec } from "../support/command.ts";
import { type Io, WrongUse } from "../support/io.ts";
import { configFor, meantSession, newFile } from "../support/place.ts";
import { approvals, printReport, report } from "../support/report.ts";

const FORMS = ["block", "handoff", "pr", "report", "approvals", "json"] as const;

interface Options extends Given {
	as?: (typeof FORMS)[number];
	against?: string;
}

export const show: Spec = {
	about: "print a session or a checkpoint: what would be injected now, a handoff, the report of compactions, ...",
	args: [argument("[key or session]", `a checkpoint (${KEY}), or a session by its id or the beginning of it`)],
	options: [
		option("--as <form>", "the form to print (below)").choices(FORMS),
		option("--against <key>", "print what changed since this checkpoint, in words"),
		OUT,
		SESSION,
		SINCE,
		ALL,
		JSON_OUT,
	],
	help: `
Without --as: a checkpoint as people read it; of a session what would be injected if it were compacted now.

- block: what would be injected now
- handoff: one Markdown file from which a person or another agent can go on with the work
- pr: the same as a pull request's description
- report: what each compaction's summary holds of your messages, and what came back; of one with its KEY, or latest
- approvals: what was approved, answered, rejected and denied
- json: all of a checkpoint with its checksum, which 'ccg checkpoint restore FILE' takes

Examples:
  ccg show
  ccg show latest --as report
  ccg show --as handoff --out HANDOFF.md
  ccg show --as pr --out pr.md
  ccg show manual --against wave_checkpoint_20260131_090500
  ccg show manual --as json --out state.json
  ccg show --as approvals --json | jq '.[] | select(.kind == "rejected")'

A report counts words: which of your messages the summary holds word for word, which of the others ccg injected whole or in \
part, and which of your numbers, names and paths stand in neither. Approvals are read from the transcript; older versions of \
Claude Code write no word of what was allowed. --out never writes over a file.`,
	act(io, options: Options, named?: string) {
		const namesCheckpoint = named !== undefined && isKey(named);
		const key = namesCheckpoint ? named : undefined;
		const session = namesCheckpoint ? options.session : (named ?? options.session);
		const form = pickForm(key, { ...options, session }, io);
		const { text, json, print = io.out, beside = "" } = form;
		if (options.out === undefined)
			return json === undefined ? void io.out(text) : { json, text: () => print(text.trimEnd(), io) };
		const path = newFile(options.out, io);
		if (form.content) writeSealed(path, form.content, { exclusive: true });
		else writeText(path, `${(options.json && json ? jsonText(json) : text).trimEnd()}\n`, { exclusive: true });
		return { json: { written: path }, text: `Written to ${path}.${beside}` };
	},
};

/** What `ccg show` prints or writes: a text, and the same for programs. */
interface Form {
	text: string;
	/** Absent where the text is JSON itself. */
	json?: unknown;
	/** Written to a file in place of the text, with its checksum. */
	content?: object;
	print?: (text: string, io: Io) => void;
	/** Printed behind the path of a file that was written. */
	beside?: string;
}

function pickForm(key: string | undefined, options: Options, io: Io): Form {
	const { as = key === undefined ? "block" : undefined, against, session } = options;
	if (against !== undefined) return differenceForm(against, key, session, io);
	switch (as) {
		case undefined:
			return documentForm(key, session, io);
		case "json":
			return sealedForm(key, session, io);
		case "report":
			return { ...report(key, options, io), print: printReport };
		case "approvals":
			return { ...approvals(options, io), print: printReport };
		case "block":
			if (key === undefined) return blockForm(session, io);
			throw new WrongUse(`a checkpoint is given back with: ccg checkpoint restore ${key} (--print shows it)`);
		default:
			return pageForm(key, session, as === "pr", io);
	}
}

/** Shows a checkpoint as people read it; for programs in the fields of the agent's document. */
function documentForm(named: string | undefined, session: string | undefined, io: Io): Form {
	const found = readableCheckpoint(named, session, io);
	const { checkpoint, key, validation } = found;
	if (!validation.valid) io.err(`ccg: ${key} is not fit for a restore: ${whyNot(validation)}`);
	const fields = documentState(checkpoint);
	const { missing, percent: coverage } = coverageOf(fields);
	const { note = null, imported = null } = checkpoint;
	const json = { key, session: found.session.id, note, imported, session_state: fields, coverage, missing };
	return { text: checkpointMarkdown(checkpoint), json };
}

function differenceForm(from: string, to: string | undefined, session: string | undefined, io: Io): Form {
	const a = readableCheckpoint(from, session, io).checkpoint;
	const b = readableCheckpoint(to, session, io).checkpoint;
	const changes = checkpointDifferences(a, b);
	const imported = a.imported ?? b.imported;
	const lines = [
		`From ${a.key} (${a.at}) to ${b.key} (${b.at}):`,
		...(changes.length === 0 ? ["Nothing changed."] : []),
		...(imported ? [importedHead(imported)] : []),
		...changes.map((change) => belowHead(`- ${change}`, imported)),
	];
	return { text: lines.join("\n"), json: { from: a.key, to: b.key, changes } };
}

/** Gives all of a checkpoint as JSON with its checksum, which fits only these bytes. */
function sealedForm(named: string | undefined, session: string | undefined, io: Io): Form {
	const { sha256: _, ...content } = readableCheckpoint(named, session, io, "was not exported").checkpoint;
	return { text: sealedText(content).trimEnd(), content };
}

/** Shows what would be injected if the session were compacted now. */
function blockForm(named: string | undefined, io: Io): Form {
	const { state, workspace, at, session: sid, projectDir: base } = livingCheckpoint(named, io);
	const { maxChars } = configFor({ sid, folder: base || io.cwd }, io).recovery;
	const { text } = recoveryBlock({ state, workspace, at, key: "(not saved)", path: "(not saved)", base, maxChars });
	return { text, json: { text } };
}

/** Gives the handoff or the pull request's text of a checkpoint, or without a key of the session as it is now. */
function pageForm(key: string | undefined, session: string | undefined, isPr: boolean, io: Io): Form {
	const isLive = key === undefined;
	const checkpoint = isLive
		? livingCheckpoint(session, io)
		: readableCheckpoint(key, session, io, "can't be handed over").checkpoint;
	const changes = isLive || isPr ? [] : changesSince(checkpoint, io);
	const made = io.now().toISOString();
	const page = isPr ? pullRequest(checkpoint) : handoff(checkpoint, { isLive, made, changes });
	const withoutHome = (text: string): string => withoutHomes(text, io.env.HOME ?? "");
	const text = redactSecrets(withoutHome(page.text));
	const json = {
		key: isLive ? null : checkpoint.key,
		session: checkpoint.session,
		takenAt: checkpoint.at,
		form: isPr ? "pull_request" : "handoff",
		title: withoutHome(page.title),
		text,
	};
	return { text, json, beside: isPr ? ` A title for it: ${json.title}` : "" };
}

/** Reads the session as it is now, in the form of a checkpoint; nothing is saved. */
function livingCheckpoint(named: string | undefined, io: Io): Checkpoint {
	const session = meantSession(named, io);
	const content = readContent(presentOf(session, io));
	if (!content)
		throw new Error(
			`the transcript of session ${session.id} can't be read; name a checkpoint instead, as in: ccg show latest`,
		);
	return { version: 1, key: "", at: io.now().toISOString(), session: session.id, trigger: "", ...content };
}
