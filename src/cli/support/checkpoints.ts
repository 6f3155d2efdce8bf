import { existsSync } from "node:fs";
import { basename, dirname, isAbsolute, relative } from "node:path";
import { memoryInventory } from "../../claude/machine/memory-inventory.ts";
import { readWorkspace } from "../../claude/machine/workspace.ts";
import { type CheckpointPlace, saveDue } from "../../claude/recovery/take-checkpoint.ts";
import { transcriptsBelow } from "../../claude/transcript/transcripts.ts";
import type { Checkpoint, LoggedCheckpoint, Whose } from "../../core/checkpoint/checkpoint.ts";
import { CHECKPOINT_TYPES } from "../../core/checkpoint/checkpoint-key.ts";
import { memoryName } from "../../core/checkpoint/document-state.ts";
import {
	type CheckpointFile,
	type FileNow,
	type Validation,
	validate,
	workspaceChanges,
} from "../../core/checkpoint/fit.ts";
import type { Due } from "../../core/checkpoint/triggers.ts";
import { foreign } from "../../core/text/quoted.ts";
import { statInside } from "../../files/read-inside.ts";
import { whyOf } from "../../files/system-failure.ts";
import { claudeName, claudeRoot } from "../../store/paths.ts";
import { readUsage } from "../../store/pressure/flags.ts";
import { readCheckpointFile, storedCheckpoints } from "../../store/recovery/checkpoints.ts";
import { folderOf, projectFolderOf, storeOf } from "../../store/session/place.ts";
import { type Session, sessionAt } from "../../store/session-handle.ts";
import type { Io } from "./io.ts";
import { configFor, isHeld, whoseOf } from "./place.ts";

export const KEY = "its key or the beginning of it, or a type; default: this project's newest";

/** Whether a word names a checkpoint, and not a session: by its key or the beginning of it, by a type, or as the latest. */
export const isKey = (word: string): boolean =>
	word === "latest" || CHECKPOINT_TYPES.some((type) => word === type || word.startsWith(`${type}_`));

/**
 * Finds the checkpoint that is meant: by its key or the beginning of it, by a type (the newest of it), or the newest of all; of a session,
 * else of this project. Without a key, unfit checkpoints are named and skipped. Throws when there is none.
 */
export function pickCheckpoint(named: string | undefined, session: string | undefined, io: Io) {
	const whose = whoseOf({ session }, io);
	const type = CHECKPOINT_TYPES.find((one) => one === named);
	if (named !== undefined && named !== "latest" && !type) return readAndValidate(checkpointByKey(named, whose, io), io);
	// (a checkpoint of another machine may be stored later and be older)
	const newest = storedCheckpoints(storeOf(io), whose).sort((a, b) => (a.at > b.at ? -1 : Number(a.at < b.at)));
	for (const one of newest) {
		if (type && one.type !== type) continue;
		const judged = readAndValidate(one, io);
		if (judged.validation.valid) return judged;
		io.err(`ccg: ${one.key} is skipped: ${whyNot(judged.validation)}`);
	}
	const of = "sid" in whose ? `session ${whose.sid}` : `this project (${projectFolderOf(io)})`;
	throw new Error(
		`there is no ${type ? `${type} ` : ""}checkpoint of ${of} that can be used; 'ccg checkpoint list --all' shows those of all projects`,
	);
}

/** Finds a checkpoint as `pickCheckpoint` does. Throws where it can't be read, and with `notDone` ("was not restored") where it is unfit. */
export function readableCheckpoint(named: string | undefined, session: string | undefined, io: Io, notDone?: string) {
	const found = pickCheckpoint(named, session, io);
	const { checkpoint, key, validation } = found;
	if (checkpoint && (validation.valid || !notDone)) return { ...found, checkpoint };
	const why = whyNot(validation);
	throw new Error(`${key} ${notDone ?? "can't be read"}: ${why}; 'ccg checkpoint validate ${key}' says more`);
}

/** Says why a checkpoint is not fit for a restore. */
export const whyNot = ({ integrity }: Validation): string => integrity.problems.join("; ");

/** Finds the checkpoint whose key is `named`, or the only one whose key begins so; a person's command also looks in other projects. */
function checkpointByKey(named: string, whose: Whose, io: Io): LoggedCheckpoint {
	const store = storeOf(io);
	const matchesOf = (some: Whose) => storedCheckpoints(store, some).filter(({ key }) => named && key.startsWith(named));
	const own = matchesOf(whose);
	const matches = own.length > 0 || "sid" in whose || isHeld(io) ? own : matchesOf({});
	const exact = matches.filter(({ key }) => key === named);
	const [one, ...more] = exact.length > 0 ? exact : matches;
	if (!one)
		throw new Error(
			`no checkpoint '${named}' ${isHeld(io) ? "of this project " : ""}in ${store.root}; 'ccg checkpoint list' shows those there are`,
		);
	if (more.length === 0) return one;
	const names = [one, ...more].slice(0, 5).map(({ key, sid }) => `${key} of session ${sid}`);
	throw new Error(`'${named}' is several checkpoints: ${names.join(", ")}; give the whole key, or --session`);
}

/** Reads a stored checkpoint and validates it against what is there now. */
export function readAndValidate({ sid, key }: Pick<LoggedCheckpoint, "sid" | "key">, io: Io) {
	const session = sessionAt(storeOf(io), sid);
	const file = readCheckpointFile(session, key);
	return { session, key, checkpoint: file.checkpoint, validation: validateNow(file, io) };
}

/** Validates a checkpoint that was read already, against what is there now. */
export function validateNow(file: CheckpointFile, io: Io): Validation {
	const { freshHours } = configFor({ sid: file.session }, io).checkpoints;
	return validate(file, { now: io.now(), freshHours, gone: file.checkpoint ? goneOf(file.checkpoint, io) : [] });
}

/** Names the files, folders and memories of a checkpoint that are not there any more. (Its edited files are reported as changes.) */
function goneOf({ transcriptPath, projectDir, state, memories = [] }: Checkpoint, io: Io): string[] {
	const named = {
		"the transcript": transcriptPath,
		"the project's folder": projectDir,
		"the plan's file": state.plan?.path,
	};
	const files = Object.entries(named).filter(([, path]) => path && !existsSync(path));
	// without the project's folder its memories can't be listed
	const isListed = projectDir !== "" && existsSync(projectDir);
	const now = isListed ? memoryInventory(storeOf(io).root, claudeRoot(io.env), projectDir).map(memoryName) : null;
	const lost = now ? memories.map(memoryName).filter((name) => !now.includes(name)) : [];
	return [
		...files.map(([what, path]) => `${what} ${foreign(path!)}`),
		...lost.map((name) => `the memory ${foreign(name)}`),
	];
}

/** Saves a checkpoint of a session as it is now; `null` where there is nothing to save. */
export function savePresent(session: Session, due: Due, io: Io, note?: string): Checkpoint | null {
	const keep = configFor({ sid: session.id }, io).retention.maxCheckpoints;
	return saveDue(presentOf(session, io), [due], { note, keep, waitMs: 10_000 });
}

/** Gives the paths and the time from which a checkpoint of a session as it is now is taken. */
export function presentOf(session: Session, io: Io): CheckpointPlace {
	const usage = readUsage(session);
	const isHere = io.env.CLAUDE_CODE_SESSION_ID === session.id;
	const folder = folderOf(session) || (isHere ? projectFolderOf(io) : "");
	return {
		session,
		transcriptPath: transcriptOf(session, usage?.transcriptPath, folder, io),
		projectDir: folder && existsSync(folder) ? folder : "",
		workFolder: usage?.cwd || folder,
		claudeRoot: claudeRoot(io.env),
		now: io.now(),
		log: (reason) => io.err(`ccg: ${whyOf(reason)}`),
	};
}

/**
 * Gives the path of a session's transcript, `""` without one: the one its hooks named, else it is looked for by the session's name. A held
 * command looks where Claude Code keeps the transcripts of the folder that the session began in.
 */
function transcriptOf({ id }: Session, known: string | undefined, folder: string, io: Io): string {
	if (known && existsSync(known)) return known;
	const root = claudeRoot(io.env);
	const isMeant = (path: string): boolean =>
		!isHeld(io) || id === io.env.CLAUDE_CODE_SESSION_ID || basename(dirname(path)) === claudeName(folder);
	const named = root ? transcriptsBelow(root).filter(({ path }) => basename(path) === `${id}.jsonl`) : [];
	return named.find(({ path }) => isMeant(path))?.path ?? known ?? "";
}

const MAX_FILES = 200;

/** Gives what has changed since a checkpoint: branch, commit and edited files, as they are now in its project's folder. */
export function changesSince(checkpoint: Checkpoint, io: Io) {
	const folder = checkpoint.projectDir || projectFolderOf(io);
	const workspace = existsSync(folder) ? readWorkspace(folder, io.now()) : null;
	const edited = checkpoint.state.files.filter(({ edits }) => edits > 0).slice(-MAX_FILES);
	const files: FileNow[] = edited.flatMap(({ path }) => {
		// files elsewhere are not looked at
		const below = isAbsolute(path) ? relative(folder, path) : path;
		if (!below || below.startsWith("..") || isAbsolute(below)) return [];
		const stat = statInside(folder, below);
		return [{ path: below, changedAt: stat ? stat.mtime.toISOString() : null }];
	});
	return workspaceChanges(checkpoint, workspace, files);
}
