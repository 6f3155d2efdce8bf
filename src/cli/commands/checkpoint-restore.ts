import { MAX_INJECTED_CHARS } from "../../core/block/budget.ts";
import { restoredBlock } from "../../core/block/views.ts";
import type { Checkpoint } from "../../core/checkpoint/checkpoint.ts";
import { restoredReport } from "../../core/checkpoint/reports.ts";
import { safeDeep } from "../../core/text/text.ts";
import { readHead } from "../../git/head.ts";
import { repositoryOf } from "../../git/repository.ts";
import { readBytes } from "../../store/json-file.ts";
import { isInSession, isSessionId } from "../../store/paths.ts";
import { projectOf } from "../../store/project.ts";
import { addCheckpoint, checkpointPath, projectIn } from "../../store/recovery/checkpoints.ts";
import { parseCheckpoint } from "../../store/recovery/read-checkpoint.ts";
import { claimRestore, requestRestore } from "../../store/recovery/restore-request.ts";
import { writeReadable } from "../../store/recovery/workspace-file.ts";
import { projectFolderOf, storeOf } from "../../store/session/place.ts";
import type { Session } from "../../store/session-handle.ts";
import { changesIn, isKey, readableCheckpoint, savePresent } from "../support/checkpoints.ts";
import { type Answer, argument, type Given, JSON_OUT, option, SESSION, type Spec } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import {
	configFor,
	fileToRead,
	mayName,
	meantSession,
	openSession,
	ownProject,
	refuseCrossing,
} from "../support/place.ts";
import { say } from "../support/text.ts";

/** `ccg checkpoint restore`: to the running session, to the project's next one, or to the terminal. What is unfit is never given back. */
export const restore: Spec = {
	about: "give a checkpoint back to the running session, the next one, or this terminal",
	args: [
		argument(
			"[key]",
			"its key or the beginning of it, a type, or a file of 'ccg show KEY --as json' (default: this project's newest)",
		),
	],
	options: [
		option("--next", "to the next session of this project, once"),
		option("--print", "to this terminal"),
		option("--cancel", "take back one that still waits; with --next, for the next session"),
		SESSION,
		JSON_OUT,
	],
	help: `
Examples:
  ccg checkpoint restore
  ccg checkpoint restore manual --next
  ccg checkpoint restore phase_checkpoint_20260131_090500 --print
  ccg checkpoint restore ./state.json --next
  ccg checkpoint restore --cancel

A running session gets it with its next tool call or prompt, once, marked as restored; its present is saved first. One that waits
gives way to a later one, and ends after 24 hours (checkpoints.freshHours). What has changed since (branch, commit,
files) is said with it. One that is not fit is named and skipped; one that is named by its key is refused. One from a file is saved
first, marked as that in every line it brings; where its checksum does not fit, it needs ccg --anyway checkpoint restore.`,
	act: (io, options: Options, named?: string) => (options.cancel ? cancel(io, options) : giveBack(io, options, named)),
};

interface Options extends Given {
	next?: boolean;
	print?: boolean;
	cancel?: boolean;
}

/** The start of a session also tells notes. */
const NEXT_CHARS = MAX_INJECTED_CHARS - 1_000;

function giveBack(io: Io, { next, print, session: given }: Options, named?: string): Answer {
	const folder = projectFolderOf(io);
	const at = io.now().toISOString();
	const target = next || print ? null : meantSession(given, io);
	const imported = named !== undefined && !isKey(named) ? importCheckpoint(named, io) : null;
	const found = readableCheckpoint(imported?.key ?? named, imported?.session, io, "was not restored");
	const { checkpoint, key, session, by, validation } = found;
	refuseOther(checkpoint, folder, io);
	const { fresh, ageHours, maxHours } = validation.freshness;
	if (!fresh) io.err(`ccg: ${key} is stale: ${ageHours} h old (limit ${maxHours} h)`);
	writeReadable(session, checkpoint);
	// first the present: the restored state must not cost it
	const due = { trigger: "restore_request", reason: `before ${key} was restored` } as const;
	const present = (target && savePresent(target, due, io)?.key) ?? null;
	const changes = changesIn(checkpoint, io);
	const recovered = validation.coverage.memories;
	const [into, room] = target
		? [`session ${target.id}, with its next tool call or prompt, once`, MAX_INJECTED_CHARS]
		: print
			? ["this terminal", 2 * MAX_INJECTED_CHARS]
			: ["the next session of this project, once", NEXT_CHARS];
	const text = restoredBlock({
		checkpoint,
		path: checkpointPath(session, key),
		at,
		by: askedBy(target, io),
		changes,
		missing: recovered.missing,
		maxChars: Math.min(configFor({ folder }, io).recovery.maxChars, room),
	});
	if (!print) {
		const repository = repositoryOf(folder);
		const head = repository && readHead(repository);
		const branch = head ? (head.branch ?? "HEAD (no branch)") : "";
		const request = { key, session: session.id, at, text, folder, branch, commit: head?.commit ?? "" };
		requestRestore(storeOf(io), target ? { session: target.id } : { project: ownProject(io) }, request);
	}
	const facts = { into, changes, present, by };
	return {
		json: { key, session: session.id, ...facts, chars: text.length, recovered, ...(print && { text }) },
		text() {
			for (const line of restoredReport(checkpoint, validation, facts)) say(line, io);
			if (print) io.out(`\n${text}`);
		},
	};
}

function cancel(io: Io, { next, session }: Options): Answer {
	const target = next ? { project: ownProject(io) } : { session: meantSession(session, io).id };
	const cancelled = claimRestore(storeOf(io), target, io.now(), Infinity)?.key ?? null;
	const whom = next ? "the next session of this project" : `session ${target.session}`;
	return {
		json: { cancelled },
		text: cancelled ? `Taken back: ${cancelled} for ${whom}.` : `Nothing waits for ${whom}.`,
	};
}

/** Who asked, as the one who gets it is told. */
function askedBy(target: Session | null, { env }: Io): string {
	if (!isInSession(env)) return "the user restored it";
	const isOwn = target !== null && env.CLAUDE_CODE_SESSION_ID === target.id;
	return `a command of ${isOwn ? "this" : "another"} session restored it`;
}

/** What the user said in one project is no instruction for another. */
function refuseOther({ key, project, projectDir }: Checkpoint, folder: string, { anyway }: Io): void {
	const own = project ?? (projectDir ? projectOf(projectDir).key : "");
	if (!anyway && own && own !== projectOf(folder).key)
		throw new Error(
			`${key} is of another project (${projectDir}); to restore it here all the same: ccg --anyway checkpoint restore ${key}`,
		);
}

/**
 * Takes a checkpoint from a file that anybody may have made: its form and its checksum are checked, its texts are made safe, it gets a key
 * of its own and this project, and is marked. No pointer names it: it is restored by its key alone. Without a checksum that fits it is
 * taken with `--anyway` alone, and says so.
 */
function importCheckpoint(file: string, io: Io): { key: string; session: string } {
	const folder = projectFolderOf(io);
	const path = fileToRead(file, io);
	const read = readBytes(path);
	if (read.state === "absent")
		throw new Error(`'${file}' is no checkpoint's key, and no file; 'ccg checkpoint list' shows those there are`);
	if (read.state !== "good") throw new Error(`${path} can't be read: ${read.reason}`);
	const { checkpoint, problem, seal } = parseCheckpoint(read.text);
	if (!checkpoint || !isSessionId(checkpoint.session))
		throw new Error(`${path} is no checkpoint: ${problem ?? "it names no session"}`);
	if (seal !== "good" && !io.anyway)
		throw new Error(
			`${path} was not taken: its content is not what was exported (the checksum differs); to take it all the same, marked as that: ccg --anyway checkpoint restore FILE`,
		);
	const session = openSession(whoseImport(checkpoint.session, path, io), io);
	const content = safeDeep(checkpoint) as Checkpoint;
	if (content.state.plan) content.state.plan.path = "";
	const taken = new Date(checkpoint.at);
	// its own moment, where that can be
	const at = taken <= io.now() && taken.getUTCFullYear() >= 2020 ? taken : io.now();
	const { key } = addCheckpoint(session, at, {
		...content,
		// what lists and reports print bare
		trigger: "imported",
		reason: "imported",
		memories: [],
		transcriptPath: "",
		projectDir: folder,
		project: projectOf(folder).key,
		imported: { at: io.now().toISOString(), from: path, isSealed: seal === "good" },
	})!;
	io.err(`ccg: taken from ${path} as ${key} of session ${session.id}; it is restored by its key alone`);
	return { key, session: session.id };
}

/** The session a held command's import goes to: its own where nothing tells whose the file's session is, which is claimed for no project. */
function whoseImport(named: string, path: string, io: Io): string {
	if (mayName(named, io)) return named;
	const here = io.env.CLAUDE_CODE_SESSION_ID;
	if (projectIn(storeOf(io), named) === "" && isSessionId(here)) return here;
	refuseCrossing(`${path} is of session ${named}, which is none of this project`, io);
	return named;
}
