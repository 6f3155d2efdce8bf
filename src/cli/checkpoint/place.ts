import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { memoryKeys } from "../../claude/machine/memory-keys.ts";
import type { CheckpointPlace } from "../../claude/recovery/take-checkpoint.ts";
import { transcriptsBelow } from "../../claude/transcript/transcripts.ts";
import type { Checkpoint } from "../../core/recovery/checkpoint.ts";
import { memoryName } from "../../core/recovery/checkpoints/document-state.ts";
import { type Validation, validate } from "../../core/recovery/checkpoints/validation.ts";
import { loadConfig } from "../../store/config/config.ts";
import { claudeRoot, isSessionId } from "../../store/paths.ts";
import { folderOf } from "../../store/pressure/halted-here.ts";
import { readUsage } from "../../store/pressure/usage-record.ts";
import type { StoredCheckpoint } from "../../store/recovery/find-checkpoints.ts";
import { readCheckpointFile } from "../../store/recovery/read-checkpoint.ts";
import { refuseStoreLinks } from "../../store/refuse-links.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { projectFolderOf } from "../../store/session/session-project.ts";
import { type Store, sessionAt } from "../../store/session-handle.ts";
import { isHeld, isOwnProject } from "../support/held.ts";
import type { Io } from "../support/io.ts";
import { pickSession } from "../support/pick-session.ts";
import { lastOfProject } from "../task/last-of-project.ts";

/** The session that a command means: the one named, by its id or the beginning of it; the one it runs in; else the one of this project seen last, which is told. */
export function meantSession(store: Store, named: string | undefined, io: Io, now: Date): string {
	const here = io.env.CLAUDE_CODE_SESSION_ID;
	const sid = named ?? (isSessionId(here) ? here : undefined);
	if (sid !== undefined) {
		// one of this project may have left nothing yet; a slash command names it whole, where the shell does not know it
		const isNew = sid === here || (isSessionId(sid) && isOwnProject(store, sid, io));
		const meant = isNew ? sid : pickSession(store, sid, io, now);
		refuseStoreLinks(store.root, meant);
		return meant;
	}
	const last = lastOfProject(store, projectFolderOf(io), now);
	refuseStoreLinks(store.root, last);
	io.err(`ccg: of session ${last}, the one of this project seen last (--session names another)`);
	return last;
}

/** The store of a command about checkpoints, and the folder whose project is meant. */
export const checkpointStore = (io: Io): { store: Store; folder: string } => ({
	store: storeOf(io),
	folder: projectFolderOf(io),
});

/** Where a checkpoint of a session's present is taken from. */
export function placeOfSession(store: Store, sid: string, io: Io, now: Date): CheckpointPlace {
	const session = sessionAt(store, sid);
	const usage = readUsage(session);
	const isHere = io.env.CLAUDE_CODE_SESSION_ID === sid;
	const folder = folderOf(session) || (isHere ? projectFolderOf(io) : "");
	const leftOut: string[] = [];
	return {
		session,
		transcriptPath: transcriptOf(sid, usage?.transcriptPath, folder, io),
		projectDir: folder && existsSync(folder) ? folder : "",
		workFolder: usage?.cwd || folder,
		claudeRoot: claudeRoot(io.env),
		now,
		leftOut,
		optionally(name, act) {
			try {
				return act();
			} catch (error) {
				leftOut.push(name);
				io.err(`ccg: left out: ${name}: ${error instanceof Error ? error.message : String(error)}`);
				return null;
			}
		},
		onUnread(error) {
			io.err(
				`ccg: the transcript can't be read (${error instanceof Error ? error.message : String(error)}): only the workspace is saved`,
			);
		},
		log: (reason) => io.err(`ccg: ${reason}`),
	};
}

/**
 * The one its hooks named; before any has, it is looked for by the session's name: of a held command where Claude Code keeps those
 * of the folder that the session began in.
 */
function transcriptOf(sid: string, known: string | undefined, folder: string, io: Io): string {
	if (known && existsSync(known)) return known;
	const root = claudeRoot(io.env);
	const isMeant = (path: string): boolean =>
		!isHeld(io) ||
		sid === io.env.CLAUDE_CODE_SESSION_ID ||
		basename(dirname(path)) === folder.replace(/[^A-Za-z0-9]/g, "-");
	const named = root ? transcriptsBelow(root).filter(({ path }) => basename(path) === `${sid}.jsonl`) : [];
	return named.find(({ path }) => isMeant(path))?.path ?? known ?? "";
}

export interface Judged {
	validation: Validation;
	checkpoint: Checkpoint | null;
	bytes: number;
}

/** Reads a stored checkpoint and validates it against what is there now. */
export function judge(store: Store, { sid, key }: StoredCheckpoint, io: Io, now: Date): Judged {
	const file = readCheckpointFile(sessionAt(store, sid), key);
	const { freshHours } = loadConfig(store.root, { sid, tell: io.tell }).config.checkpoints;
	const { checkpoint } = file;
	const around = {
		now,
		freshHours,
		goneFiles: checkpoint ? goneFiles(checkpoint) : [],
		memories: checkpoint ? memoriesNow(store, checkpoint, io) : null,
	};
	return { validation: validate(file, around), checkpoint, bytes: file.bytes };
}

/** Names of the memories there are now; `null` where the project's folder is gone. */
export function memoriesNow(store: Store, { projectDir }: Checkpoint, io: Io): ReadonlySet<string> | null {
	if (!projectDir || !existsSync(projectDir)) return null;
	return new Set(memoryKeys(store.root, claudeRoot(io.env), projectDir).map(memoryName));
}

/** What else it refers to by a path. Edited files that are gone are told with a restore. */
function goneFiles({ transcriptPath, projectDir, state }: Checkpoint): { what: string; path: string }[] {
	const named = [
		{ what: "the transcript", path: transcriptPath },
		{ what: "the project's folder", path: projectDir },
		{ what: "the plan's file", path: state.plan?.path ?? "" },
	];
	return named.filter(({ path }) => path && !existsSync(path));
}
