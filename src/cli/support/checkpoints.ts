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
 * The checkpoint that is meant: by its key or the beginning of it, by a type (the newest of it), or the newest of all; of a session, else
 * of this project. Without a key those that are not fit are named and skipped. Throws when there is none.
 */
export function pickCheckpoint(named: string | undefined, session: string | undefined, io: Io) {
	const whose = whoseOf({ session }, io);
	const type = CHECKPOINT_TYPES.find((one) => one === named);
	if (named !== undefined && named !== "latest" && !type) return readAndValidate(byKey(named, whose, io), io);
	// (what came from another machine may be older than what is here)
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

/** The same; throws for one that can't be read, and where `doing` says what it is to be fit for, for one that is not. */
export function readableCheckpoint(named: string | undefined, session: string | undefined, io: Io, doing?: string) {
	const found = pickCheckpoint(named, session, io);
	const { checkpoint, key, validation } = found;
	if (checkpoint && (validation.valid || !doing)) return { ...found, checkpoint };
	const why = whyNot(validation);
	throw new Error(`${key} ${doing ?? "can't be read"}: ${why}; 'ccg checkpoint validate ${key}' says more`);
}

/** Why a checkpoint is not fit, in words. */
export const whyNot = ({ integrity }: Validation): string => integrity.problems.join("; ");

/** The one whose key is the one named, or alone begins so; a person's may be another project's. */
function byKey(named: string, whose: Whose, io: Io): LoggedCheckpoint {
	const store = storeOf(io);
	const begunIn = (some: Whose) => storedCheckpoints(store, some).filter(({ key }) => named && key.startsWith(named));
	const own = begunIn(whose);
	const begun = own.length > 0 || "sid" in whose || isHeld(io) ? own : begunIn({});
	const exact = begun.filter(({ key }) => key === named);
	const [one, ...more] = exact.length > 0 ? exact : begun;
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

/** Validates a checkpoint that was read. */
export function validateNow(file: CheckpointFile, io: Io): Validation {
	const { freshHours } = configFor({ sid: file.session }, io).checkpoints;
	return validate(file, { now: io.now(), freshHours, gone: file.checkpoint ? goneOf(file.checkpoint, io) : [] });
}

/** What a checkpoint names and is there no more, in words; edited files are told as changes. */
function goneOf({ transcriptPath, projectDir, state, memories = [] }: Checkpoint, io: Io): string[] {
	const named = {
		"the transcript": transcriptPath,
		"the project's folder": projectDir,
		"the plan's file": state.plan?.path,
	};
	const files = Object.entries(named).filter(([, path]) => path && !existsSync(path));
	// without the project's folder none are listed
	const isListed = projectDir !== "" && existsSync(projectDir);
	const now = isListed ? memoryInventory(storeOf(io).root, claudeRoot(io.env), projectDir).map(memoryName) : null;
	const lost = now ? memories.map(memoryName).filter((name) => !now.includes(name)) : [];
	return [
		...files.map(([what, path]) => `${what} ${foreign(path!)}`),
		...lost.map((name) => `the memory ${foreign(name)}`),
	];
}

/** Saves a session's present; `null` where there is nothing to save. */
export function savePresent(session: Session, due: Due, io: Io, note?: string): Checkpoint | null {
	const keep = configFor({ sid: session.id }, io).retention.maxCheckpoints;
	return saveDue(presentOf(session, io), [due], { note, keep, waitMs: 10_000 });
}

/** Gives the place from which a checkpoint of a session's present is taken. */
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
 * The one its hooks named; before any has, it is looked for by the session's name: of a held command where Claude Code keeps those
 * of the folder that the session began in. `""` without one.
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

/** What is not as it was at a checkpoint: branch, commit and edited files, as they are in the folder it is restored to. */
export function changesSince(checkpoint: Checkpoint, io: Io) {
	const there = checkpoint.projectDir || projectFolderOf(io);
	const workspace = existsSync(there) ? readWorkspace(there, io.now()) : null;
	const edited = checkpoint.state.files.filter(({ edits }) => edits > 0).slice(-MAX_FILES);
	const files: FileNow[] = edited.flatMap(({ path }) => {
		// files elsewhere are not looked at
		const below = isAbsolute(path) ? relative(there, path) : path;
		if (!below || below.startsWith("..") || isAbsolute(below)) return [];
		const stat = statInside(there, below);
		return [{ path: below, changedAt: stat ? stat.mtime.toISOString() : null }];
	});
	return workspaceChanges(checkpoint, workspace, files);
}
