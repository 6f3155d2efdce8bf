import { restoredBlock } from "../../core/block/views.ts";
import type { Checkpoint } from "../../core/checkpoint/checkpoint.ts";
import { checkpointKey } from "../../core/checkpoint/checkpoint-key.ts";
import { restoredReport } from "../../core/checkpoint/reports.ts";
import { MAX_INJECTED_CHARS } from "../../core/config/config.ts";
import { safeDeep } from "../../core/text/text.ts";
import { readTextOrReason } from "../../files/json-file.ts";
import { isInSession } from "../../store/paths.ts";
import { findProject } from "../../store/project.ts";
import { checkpointPath, parseCheckpoint } from "../../store/recovery/checkpoints.ts";
import { claimRestore, requestRestore } from "../../store/recovery/restore-request.ts";
import { writeReadableCheckpoint } from "../../store/recovery/workspace-file.ts";
import { findProjectFolder, requireStore } from "../../store/session/place.ts";
import type { Session } from "../../store/session-handle.ts";
import { changesSince, isCheckpointName, loadCheckpoint, saveCheckpoint, validateNow } from "../support/checkpoints.ts";
import { type Answer, argument, type Flags, JSON_OUT, option, SESSION, type Spec } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { configFor, pathToRead, projectKey, resolveSession } from "../support/place.ts";
import { printText } from "../support/text.ts";

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
	run: (io, options: Options, name?: string) =>
		options.cancel ? cancelRestore(io, options) : restoreCheckpoint(io, options, name),
};

interface Options extends Flags {
	next?: boolean;
	print?: boolean;
	cancel?: boolean;
}

/** The most characters of a restore when a session starts: notes are injected then too. */
const MAX_CHARS_AT_START = MAX_INJECTED_CHARS - 1_000;

/** Requests that a session gets a checkpoint, or prints it; `name` is a key, a type or a file. The session is saved first. */
function restoreCheckpoint(io: Io, { next, print, session: sid }: Options, name?: string): Answer {
	const folder = findProjectFolder(io);
	const at = io.now().toISOString();
	const target = next || print ? null : resolveSession(sid, io);
	const { checkpoint, path, validation } =
		name === undefined || isCheckpointName(name)
			? storedCheckpoint(name, folder, io)
			: importCheckpoint(name, folder, io);
	const { key, session } = checkpoint;
	const trigger = { trigger: "restore_request", reason: `before ${key} was restored` } as const;
	const savedBefore = (target && saveCheckpoint(target, trigger, io)?.key) ?? null;
	const changes = changesSince(checkpoint, io);
	const [into, limit] = target
		? [`session ${target.id}, with its next tool call or prompt, once`, MAX_INJECTED_CHARS]
		: print
			? ["this terminal", 2 * MAX_INJECTED_CHARS]
			: ["the next session of this project, once", MAX_CHARS_AT_START];
	const text = restoredBlock({
		...{ checkpoint, path, at, changes },
		by: requesterText(target, io),
		gone: validation.coverage.gone,
		maxChars: Math.min(configFor({ folder }, io).recovery.maxChars, limit),
	});
	const receiver = target ? { session: target.id } : { project: projectKey(io) };
	if (!print) requestRestore(requireStore(io), receiver, { key, at, text });
	const facts = { into, changes, savedBefore };
	return {
		json: { key, session: session || null, ...facts, chars: text.length, validation, ...(print && { text }) },
		text() {
			for (const line of restoredReport(checkpoint, validation, facts)) printText(line, io);
			if (print) io.out(`\n${text}`);
		},
	};
}

/** Withdraws a restore that was requested and that no session has got yet. */
function cancelRestore(io: Io, { next, session }: Options): Answer {
	const target = next ? { project: projectKey(io) } : { session: resolveSession(session, io).id };
	const cancelled = claimRestore(requireStore(io), target, io.now(), Infinity)?.key ?? null;
	const receiver = next ? "the next session of this project" : `session ${target.session}`;
	const text = cancelled ? `Taken back: ${cancelled} for ${receiver}.` : `Nothing waits for ${receiver}.`;
	return { json: { cancelled }, text };
}

/** Says in the restored block who asked for it: the user, or a command of this or another session. */
function requesterText(target: Session | null, { env }: Io): string {
	if (!isInSession(env)) return "the user restored it";
	const isOwn = target !== null && env.CLAUDE_CODE_SESSION_ID === target.id;
	return `a command of ${isOwn ? "this" : "another"} session restored it`;
}

/** Finds a checkpoint of the store to restore. Throws for another project's: what the user said there is no instruction here. */
function storedCheckpoint(name: string | undefined, folder: string, io: Io) {
	const { checkpoint, key, session, validation } = loadCheckpoint(name, undefined, io, "was not restored");
	const { project, projectDir } = checkpoint;
	const owner = project ?? (projectDir ? findProject(projectDir).key : "");
	if (!io.mayLeaveProject && owner && owner !== findProject(folder).key)
		throw new Error(
			`${key} is of another project (${projectDir}); to restore it here all the same: ccg --anyway checkpoint restore ${key}`,
		);
	writeReadableCheckpoint(session, checkpoint);
	return { checkpoint, path: checkpointPath(session, key), validation };
}

/**
 * Reads a checkpoint from a file that anybody may have made: checks its form and checksum, makes its texts safe, and stores nothing. If the
 * checksum does not fit, the file is taken only with `--anyway`, and the checkpoint is marked so.
 */
function importCheckpoint(file: string, folder: string, io: Io) {
	const path = pathToRead(file, io);
	const read = readTextOrReason(path);
	if (read.state === "absent")
		throw new Error(`'${file}' is no checkpoint's key, and no file; 'ccg checkpoint list' shows those there are`);
	if (read.state !== "good") throw new Error(`${path} can't be read: ${read.reason}`);
	const parsed = parseCheckpoint(read.text);
	const isSealed = parsed.seal === "good";
	if (!parsed.checkpoint) throw new Error(`${path} is no checkpoint: ${parsed.problem}`);
	if (!isSealed && !io.mayLeaveProject)
		throw new Error(
			`${path} was not taken: its content is not what was exported (the checksum differs); to take it all the same, marked as that: ccg --anyway checkpoint restore FILE`,
		);
	const content = safeDeep(parsed.checkpoint) as Checkpoint;
	if (content.state.plan) content.state.plan.path = "";
	const claimed = new Date(content.at);
	const isPlausible = claimed <= io.now() && claimed.getUTCFullYear() >= 2020;
	const at = isPlausible ? claimed : io.now();
	const checkpoint: Checkpoint = {
		...content,
		...{ key: checkpointKey(at, 1, content.type), at: at.toISOString() },
		...{ session: "", memories: [], transcriptPath: "", projectDir: folder },
		imported: { at: io.now().toISOString(), from: path, isSealed },
	};
	const { key } = checkpoint;
	return { checkpoint, path, validation: validateNow({ key, session: "", checkpoint, seal: "good" }, io) };
}
