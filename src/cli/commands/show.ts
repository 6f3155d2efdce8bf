import { join } from "node:path";
import { readCheckpointContent } from "../../claude/recovery/take-checkpoint.ts";
import { transcriptsBelow } from "../../claude/transcript/transcripts.ts";
import { recoveryBlock } from "../../core/block/recovery-block.ts";
import { checkpointMarkdown, diffCheckpoints, handoff, pullRequest, shortenHomePaths } from "../../core/block/views.ts";
import type { Checkpoint } from "../../core/checkpoint/checkpoint.ts";
import { coverageOf, documentState } from "../../core/checkpoint/document-state.ts";
import { importedHead, quoteImported } from "../../core/checkpoint/reports.ts";
import { redactSecrets } from "../../core/redact/secrets.ts";
import { tryOrUndefined } from "../../files/quietly.ts";
import { writeFileAtomic } from "../../store/atomic-write.ts";
import { sealedText, writeSealed, writeText } from "../../store/gate.ts";
import { claudeRoot } from "../../store/paths.ts";
import { refuseStoreLinks } from "../../store/refuse-links.ts";
import { requireStore } from "../../store/session/place.ts";
import { type Session, sessionHandle } from "../../store/session-handle.ts";
import { jsonText } from "../support/answer.ts";
import { changesSince, isCheckpointName, KEY_HELP, loadCheckpoint, presentSource } from "../support/checkpoints.ts";
import { ALL, argument, type Flags, JSON_OUT, OUT, option, SESSION, SINCE, type Spec } from "../support/command.ts";
import { type Io, WrongUse } from "../support/io.ts";
import { configFor, isProjectBound, pathToCreate, resolveSession } from "../support/place.ts";
import { listApprovals, printReport, reportCompactions } from "../support/report.ts";

const FORMS = ["block", "handoff", "pr", "report", "page", "card", "approvals", "json"] as const;

interface Options extends Flags {
	as?: (typeof FORMS)[number];
	against?: string;
	open?: boolean;
}

export const show: Spec = {
	about: "print a session or a checkpoint: what would be injected now, a handoff, the report of compactions, ...",
	args: [argument("[key or session]", `a checkpoint (${KEY_HELP}), or a session by its id or the beginning of it`)],
	options: [
		option("--as <form>", "the form to print (below)").choices(FORMS),
		option("--against <key>", "print what changed since this checkpoint, in words"),
		option("--open", "open the page or the card that was written"),
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
- page: one HTML file to read in a browser: the curve of tokens, your messages beside each summary, what was done and lost, the \
conversation; of a session, also one from before ccg came, or of the compaction with this KEY
- card: its curve as a picture (SVG)
- approvals: what was approved, answered, rejected and denied
- json: all of a checkpoint with its checksum, which 'ccg checkpoint restore FILE' takes

Examples:
  ccg show
  ccg show latest --as report
  ccg show --as page --open
  ccg show --as handoff --out HANDOFF.md
  ccg show --as pr --out pr.md
  ccg show manual --against wave_checkpoint_20260131_090500
  ccg show manual --as json --out state.json
  ccg show --as approvals --json | jq '.[] | select(.kind == "rejected")'

A report counts words: which of your messages the summary holds word for word, which of the others ccg injected whole or in \
part, and which of your numbers, names and paths stand in neither. Approvals are read from the transcript; older versions of \
Claude Code write no word of what was allowed. --out never writes over a file.`,
	async run(io, options: Options, name?: string) {
		const namesCheckpoint = name !== undefined && isCheckpointName(name);
		const key = namesCheckpoint ? name : undefined;
		const session = namesCheckpoint ? options.session : (name ?? options.session);
		if (options.as === "page" || options.as === "card") return writePage(key, session, options, io);
		const view = await selectView(key, { ...options, session }, io);
		const { text, json, print = io.out, afterPath = "" } = view;
		if (options.out === undefined)
			return json === undefined ? void io.out(text) : { json, text: () => print(text.trimEnd(), io) };
		const path = pathToCreate(options.out, io);
		if (view.sealed) writeSealed(path, view.sealed, { exclusive: true });
		else writeText(path, `${(options.json && json ? jsonText(json) : text).trimEnd()}\n`, { exclusive: true });
		return { json: { written: path }, text: `Written to ${path}.${afterPath}` };
	},
};

/** Writes the page or the card of a session, or of the compaction with this key: below `--out`, else beside the session's checkpoints. */
async function writePage(key: string | undefined, name: string | undefined, { as, out, open }: Options, io: Io) {
	const found = key === undefined ? undefined : loadCheckpoint(key === "latest" ? "precompact" : key, name, io);
	const session = found?.session ?? unseenSession(name, io) ?? resolveSession(name, io);
	const { transcriptPath: transcript, projectDir: folder } = found?.checkpoint ?? presentSource(session, io);
	const { openFile, pageInput, sessionCard, sessionPage } = await import("../../page/page.ts");
	io.progress?.("reading the transcript …");
	const input = pageInput(session, { transcript, folder, key: found?.key });
	const path =
		out === undefined ? join(session.paths.folder, as === "page" ? "page.html" : "card.svg") : pathToCreate(out, io);
	const text = as === "page" ? sessionPage(input) : sessionCard(input);
	refuseStoreLinks(session.root, session.id);
	writeFileAtomic(path, Buffer.from(text), { exclusive: out !== undefined });
	const isOpen = !open || tryOrUndefined(() => openFile(path)) === true;
	const answer = `Written to ${path}.${isOpen ? "" : " No program here opens it: open it in a browser."}`;
	return { json: { written: path, ...(open && { opened: isOpen }) }, text: answer };
}

/** The session of a transcript, also one that ccg has not seen, by the beginning of its id; `null` within a session, which keeps to its project. */
function unseenSession(name: string | undefined, io: Io): Session | null {
	const folder = name && !isProjectBound(io) ? claudeRoot(io.env) : null;
	const found = folder ? transcriptsBelow(folder).filter(({ session }) => session.startsWith(name!)) : [];
	return found.length === 1 ? sessionHandle(requireStore(io), found[0]!.session) : null;
}

/** What `ccg show` prints or writes: a text, and the same for programs. */
interface View {
	text: string;
	/** Absent where the text is JSON itself. */
	json?: unknown;
	/** Written to a file in place of the text, with its checksum. */
	sealed?: object;
	print?: (text: string, io: Io) => void;
	/** Printed behind the path of a file that was written. */
	afterPath?: string;
}

/** Gives what `ccg show` prints: of the checkpoint with this key, or without one of the session; in the form that `--as` names. */
async function selectView(key: string | undefined, options: Options, io: Io): Promise<View> {
	const { as = key === undefined ? "block" : undefined, against, session } = options;
	if (against !== undefined) return differenceView(against, key, session, io);
	switch (as) {
		case undefined:
			return documentView(key, session, io);
		case "json":
			return sealedView(key, session, io);
		case "report":
			return { ...(await reportCompactions(key, options, io)), print: printReport };
		case "approvals":
			return { ...listApprovals(options, io), print: printReport };
		case "block":
			if (key === undefined) return blockView(session, io);
			throw new WrongUse(`a checkpoint is given back with: ccg checkpoint restore ${key} (--print shows it)`);
		default:
			return handoffView(key, session, as === "pr", io);
	}
}

/** Gives a checkpoint in Markdown; as JSON its fields, how many of them are filled, and which are missing. */
function documentView(name: string | undefined, session: string | undefined, io: Io): View {
	const found = loadCheckpoint(name, session, io);
	const { checkpoint, key, unfit } = found;
	if (unfit) io.err(`ccg: ${key} is not fit for a restore: ${unfit}`);
	const fields = documentState(checkpoint);
	const { missing, percent: coverage } = coverageOf(fields);
	const { note = null, imported = null } = checkpoint;
	const json = { key, session: found.session.id, note, imported, session_state: fields, coverage, missing };
	return { text: checkpointMarkdown(checkpoint), json };
}

/** Lists what changed between two checkpoints, in words. A line of an imported one is quoted, since anybody may have written it. */
function differenceView(from: string, to: string | undefined, session: string | undefined, io: Io): View {
	const older = loadCheckpoint(from, session, io).checkpoint;
	const newer = loadCheckpoint(to, session, io).checkpoint;
	const changes = diffCheckpoints(older, newer);
	const imported = older.imported ?? newer.imported;
	const lines = [
		`From ${older.key} (${older.at}) to ${newer.key} (${newer.at}):`,
		...(changes.length === 0 ? ["Nothing changed."] : []),
		...(imported ? [importedHead(imported)] : []),
		...changes.map((change) => quoteImported(`- ${change}`, imported)),
	];
	return { text: lines.join("\n"), json: { from: older.key, to: newer.key, changes } };
}

/** Gives all of a checkpoint as JSON with a checksum of these bytes, for `ccg checkpoint restore FILE`. */
function sealedView(name: string | undefined, session: string | undefined, io: Io): View {
	const { sha256: _, ...content } = loadCheckpoint(name, session, io, "was not exported").checkpoint;
	return { text: sealedText(content).trimEnd(), sealed: content };
}

/** Gives the block that would be injected if the session were compacted now. */
function blockView(session: string | undefined, io: Io): View {
	const { state, workspace, at, session: sid, projectDir: base } = unsavedCheckpoint(session, io);
	const { maxChars } = configFor({ sid, folder: base || io.cwd }, io).recovery;
	const { text } = recoveryBlock({ state, workspace, at, key: "(not saved)", path: "(not saved)", base, maxChars });
	return { text, json: { text } };
}

/** Gives the text of a handoff or a pull request: from a checkpoint, or without a key from the session as it is now. */
function handoffView(key: string | undefined, session: string | undefined, isPr: boolean, io: Io): View {
	const isLive = key === undefined;
	const checkpoint = isLive
		? unsavedCheckpoint(session, io)
		: loadCheckpoint(key, session, io, "can't be handed over").checkpoint;
	const changes = isLive || isPr ? [] : changesSince(checkpoint, io);
	const made = io.now().toISOString();
	const page = isPr ? pullRequest(checkpoint) : handoff(checkpoint, { isLive, made, changes });
	const withoutHome = (text: string): string => shortenHomePaths(text, io.env.HOME ?? "");
	const text = redactSecrets(withoutHome(page.text));
	const title = withoutHome(page.title);
	const form = isPr ? "pull_request" : "handoff";
	const source = { key: isLive ? null : checkpoint.key, session: checkpoint.session, takenAt: checkpoint.at };
	return { text, json: { ...source, form, title, text }, afterPath: isPr ? ` A title for it: ${title}` : "" };
}

/** Makes a checkpoint of the session as it is now, without saving it. */
function unsavedCheckpoint(idPrefix: string | undefined, io: Io): Checkpoint {
	const session = resolveSession(idPrefix, io);
	const content = readCheckpointContent(presentSource(session, io));
	if (!content)
		throw new Error(
			`the transcript of session ${session.id} can't be read; name a checkpoint instead, as in: ccg show latest`,
		);
	return { version: 1, key: "", at: io.now().toISOString(), session: session.id, trigger: "", ...content };
}
