import { restoredBlock } from "../../core/block/views.ts";
import type { Checkpoint } from "../../core/checkpoint/checkpoint.ts";
import { checkpointKey } from "../../core/checkpoint/checkpoint-key.ts";
import { restoredReport } from "../../core/checkpoint/reports.ts";
import { MAX_INJECTED_CHARS } from "../../core/config/config.ts";
import { safeDeep } from "../../core/text/text.ts";
import { readBytes } from "../../files/json-file.ts";
import { isInSession } from "../../store/paths.ts";
import { projectOf } from "../../store/project.ts";
import { checkpointPath, parseCheckpoint } from "../../store/recovery/checkpoints.ts";
import { claimRestore, requestRestore } from "../../store/recovery/restore-request.ts";
import { writeReadable } from "../../store/recovery/workspace-file.ts";
import { projectFolderOf, storeOf } from "../../store/session/place.ts";
import type { Session } from "../../store/session-handle.ts";
import { changesSince, isKey, readableCheckpoint, savePresent, validateNow } from "../support/checkpoints.ts";
import { type Answer, argument, type Given, JSON_OUT, option, SESSION, type Spec } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { configFor, fileToRead, meantSession, ownProject } from "../support/place.ts";
import { say } from "../support/text.ts";

/** `ccg checkpoint restore`: to the running session, to the project's next one, or to the terminal. It gives back no unfit checkpoint. */
export const restore: Spec = {
	about: "give a checkpoint back to the running session, the next one, or this terminal",
	args: [
		argument(
			"[key]",
			"its key or the beginning of it, a type, or a file that `show --as json` wrote (default: this project's newest)",
		),
	],
	options: [
		option("--next", "give it to this project's next session, once"),
		option("--print", "print it in this terminal"),
		option("--cancel", "take back a restore that still waits; with --next, the one for the next session"),
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

A running session gets it with its next tool call or prompt, once; what the session has now is saved first. One that waits gives \
way to a later one, and ends after 24 hours (checkpoints.freshHours). What has changed since (branch, commit, files) is said with it. \
One that fails a check is skipped and named; asked for by its key it is refused. One from a file is not kept; where its checksum does \
not fit, it needs ccg --anyway checkpoint restore.`,
	act: (io, options: Options, named?: string) => (options.cancel ? cancel(io, options) : giveBack(io, options, named)),
};

interface Options extends Given {
	next?: boolean;
	print?: boolean;
	cancel?: boolean;
}

/** The room for a restore at the start of a session, where notes are injected too. */
const NEXT_CHARS = MAX_INJECTED_CHARS - 1_000;
/** Gives a checkpoint back to a session or the terminal; `named` is a key, a type or a file. */
function giveBack(io: Io, { next, print, session: sid }: Options, named?: string): Answer {
	const folder = projectFolderOf(io);
	const at = io.now().toISOString();
	const target = next || print ? null : meantSession(sid, io);
	const { checkpoint, path, validation } =
		named === undefined || isKey(named) ? keptCheckpoint(named, folder, io) : importedCheckpoint(named, folder, io);
	const { key, session } = checkpoint;
	// the present is saved first, so that the restore does not lose it
	const due = { trigger: "restore_request", reason: `before ${key} was restored` } as const;
	const present = (target && savePresent(target, due, io)?.key) ?? null;
	const changes = changesSince(checkpoint, io);
	const [into, room] = target
		? [`session ${target.id}, with its next tool call or prompt, once`, MAX_INJECTED_CHARS]
		: print
			? ["this terminal", 2 * MAX_INJECTED_CHARS]
			: ["the next session of this project, once", NEXT_CHARS];
	const text = restoredBlock({
		...{ checkpoint, path, at, changes },
		by: askedBy(target, io),
		gone: validation.coverage.gone,
		maxChars: Math.min(configFor({ folder }, io).recovery.maxChars, room),
	});
	const whom = target ? { session: target.id } : { project: ownProject(io) };
	if (!print) requestRestore(storeOf(io), whom, { key, at, text });
	const facts = { into, changes, present };
	return {
		json: { key, session: session || null, ...facts, chars: text.length, validation, ...(print && { text }) },
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

/** Says who asked for a restore, for the session that gets it. */
function askedBy(target: Session | null, { env }: Io): string {
	if (!isInSession(env)) return "the user restored it";
	const isOwn = target !== null && env.CLAUDE_CODE_SESSION_ID === target.id;
	return `a command of ${isOwn ? "this" : "another"} session restored it`;
}

/** Finds a checkpoint of the store, and its validation. Throws for another project's: what the user said there is no instruction here. */
function keptCheckpoint(named: string | undefined, folder: string, io: Io) {
	const { checkpoint, key, session, validation } = readableCheckpoint(named, undefined, io, "was not restored");
	const { project, projectDir } = checkpoint;
	const own = project ?? (projectDir ? projectOf(projectDir).key : "");
	if (!io.anyway && own && own !== projectOf(folder).key)
		throw new Error(
			`${key} is of another project (${projectDir}); to restore it here all the same: ccg --anyway checkpoint restore ${key}`,
		);
	writeReadable(session, checkpoint);
	return { checkpoint, path: checkpointPath(session, key), validation };
}

/**
 * Reads a checkpoint from a file that anybody may have made: checks its form and checksum, makes its texts safe, and stores nothing. If the
 * checksum does not fit, the file is taken only with `--anyway`, and the checkpoint is marked so.
 */
function importedCheckpoint(file: string, folder: string, io: Io) {
	const path = fileToRead(file, io);
	const read = readBytes(path);
	if (read.state === "absent")
		throw new Error(`'${file}' is no checkpoint's key, and no file; 'ccg checkpoint list' shows those there are`);
	if (read.state !== "good") throw new Error(`${path} can't be read: ${read.reason}`);
	const parsed = parseCheckpoint(read.text);
	const isSealed = parsed.seal === "good";
	if (!parsed.checkpoint) throw new Error(`${path} is no checkpoint: ${parsed.problem}`);
	if (!isSealed && !io.anyway)
		throw new Error(
			`${path} was not taken: its content is not what was exported (the checksum differs); to take it all the same, marked as that: ccg --anyway checkpoint restore FILE`,
		);
	const content = safeDeep(parsed.checkpoint) as Checkpoint;
	if (content.state.plan) content.state.plan.path = "";
	// the moment that the file names, where that is possible
	const taken = new Date(content.at);
	const at = taken <= io.now() && taken.getUTCFullYear() >= 2020 ? taken : io.now();
	const checkpoint: Checkpoint = {
		...content,
		...{ key: checkpointKey(at, 1, content.type), at: at.toISOString() },
		...{ session: "", memories: [], transcriptPath: "", projectDir: folder },
		imported: { at: io.now().toISOString(), from: path, isSealed },
	};
	const { key } = checkpoint;
	return { checkpoint, path, validation: validateNow({ key, session: "", checkpoint, seal: "good" }, io) };
}
