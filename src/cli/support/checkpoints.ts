import { existsSync } from "node:fs";
import { basename, dirname, isAbsolute, relative } from "node:path";
import { memoryInventory } from "../../claude/machine/memory-inventory.ts";
import { readWorkspace } from "../../claude/machine/workspace.ts";
import { type CheckpointSource, saveForTriggers } from "../../claude/recovery/take-checkpoint.ts";
import { transcriptsBelow } from "../../claude/transcript/transcripts.ts";
import type { Checkpoint, CheckpointFilter, LoggedCheckpoint } from "../../core/checkpoint/checkpoint.ts";
import { CHECKPOINT_TYPES } from "../../core/checkpoint/checkpoint-key.ts";
import { memoryName } from "../../core/checkpoint/document-state.ts";
import { type CheckpointFile, validateCheckpoint, workspaceChanges } from "../../core/checkpoint/fit.ts";
import type { DueTrigger } from "../../core/checkpoint/triggers.ts";
import { inBackticks } from "../../core/text/quoted.ts";
import { statInside } from "../../files/read-inside.ts";
import { errorText } from "../../files/system-failure.ts";
import { claudeFolderName, claudeRoot } from "../../store/paths.ts";
import { readLastUsage } from "../../store/pressure/flags.ts";
import { listStoredCheckpoints, readCheckpointFile } from "../../store/recovery/checkpoints.ts";
import { findProjectFolder, readSessionFolder, requireStore } from "../../store/session/place.ts";
import { type Session, sessionHandle } from "../../store/session-handle.ts";
import type { Io } from "./io.ts";
import { checkpointFilter, configFor, isProjectBound } from "./place.ts";

export const KEY_HELP = "its key or the beginning of it, or a type; default: this project's newest";

/** Whether a word names a checkpoint, and not a session: it is `latest`, a type, or begins as a key does. */
export const isCheckpointName = (word: string): boolean =>
	word === "latest" || CHECKPOINT_TYPES.some((type) => word === type || word.startsWith(`${type}_`));

/**
 * Finds and validates the checkpoint that `name` means: a key or the beginning of one, a type (its newest), or `latest` and nothing (the newest
 * of all); of the session, else of this project. Without a key, what a restore saved before it does not count, and unfit checkpoints are skipped,
 * which it prints. Throws when there is none.
 */
export function pickCheckpoint(name: string | undefined, session: string | undefined, io: Io) {
	const filter = checkpointFilter({ session }, io);
	const wantedType = CHECKPOINT_TYPES.find((type) => type === name);
	const isKey = name !== undefined && name !== "latest" && !wantedType;
	if (isKey) return readAndValidate(findCheckpointByKey(name, filter, io), io);
	// (a checkpoint of another machine may be stored later and be older)
	const stored = listStoredCheckpoints(requireStore(io), filter);
	const newestFirst = stored.sort((a, b) => Number(a.at < b.at) - Number(a.at > b.at));
	for (const candidate of newestFirst) {
		if (candidate.trigger === "restore_request" || (wantedType && candidate.type !== wantedType)) continue;
		const validated = readAndValidate(candidate, io);
		if (validated.validation.valid) return validated;
		io.err(`ccg: ${candidate.key} is skipped: ${unfitReason(validated.validation)}`);
	}
	const owner = "sid" in filter ? `session ${filter.sid}` : `this project (${findProjectFolder(io)})`;
	throw new Error(
		`there is no ${wantedType ? `${wantedType} ` : ""}checkpoint of ${owner} that can be used; 'ccg checkpoint list --all' shows those of all projects`,
	);
}

/** Finds a checkpoint as `pickCheckpoint` does. Throws where it can't be read; where it is unfit, only with `refusal` ("was not restored"). */
export function loadCheckpoint(name: string | undefined, session: string | undefined, io: Io, refusal?: string) {
	const found = pickCheckpoint(name, session, io);
	const { checkpoint, key, validation } = found;
	const unfit = unfitReason(validation);
	if (checkpoint && (validation.valid || !refusal)) return { ...found, checkpoint, unfit };
	throw new Error(`${key} ${refusal ?? "can't be read"}: ${unfit}; 'ccg checkpoint validate ${key}' says more`);
}

/** Says why a checkpoint is not fit for a restore; `""` where it is. */
const unfitReason = ({ integrity }: ReturnType<typeof validateCheckpoint>): string => integrity.problems.join("; ");

/** Finds the one checkpoint whose key is `keyPrefix` or begins so; a command that is not bound to its project also looks in others. */
function findCheckpointByKey(keyPrefix: string, filter: CheckpointFilter, io: Io): LoggedCheckpoint {
	const store = requireStore(io);
	const listMatches = (where: CheckpointFilter) =>
		listStoredCheckpoints(store, where).filter(({ key }) => keyPrefix && key.startsWith(keyPrefix));
	const own = listMatches(filter);
	const matches = own.length > 0 || "sid" in filter || isProjectBound(io) ? own : listMatches({});
	const exact = matches.filter(({ key }) => key === keyPrefix);
	const [found, ...others] = exact.length > 0 ? exact : matches;
	if (!found)
		throw new Error(
			`no checkpoint '${keyPrefix}' ${isProjectBound(io) ? "of this project " : ""}in ${store.root}; 'ccg checkpoint list' shows those there are`,
		);
	if (others.length === 0) return found;
	const names = [found, ...others].slice(0, 5).map(({ key, sid }) => `${key} of session ${sid}`);
	throw new Error(`'${keyPrefix}' is several checkpoints: ${names.join(", ")}; give the whole key, or --session`);
}

/** Reads a stored checkpoint and validates it against what is there now. */
export function readAndValidate({ sid, key }: Pick<LoggedCheckpoint, "sid" | "key">, io: Io) {
	const session = sessionHandle(requireStore(io), sid);
	const file = readCheckpointFile(session, key);
	return { session, key, checkpoint: file.checkpoint, validation: validateNow(file, io) };
}

/** Validates a checkpoint that was read already: its checksum, its age, and whether the files it names are still there. */
export function validateNow(file: CheckpointFile, io: Io) {
	const { freshHours } = configFor({ sid: file.session }, io).checkpoints;
	const gone = file.checkpoint ? missingParts(file.checkpoint, io) : [];
	return validateCheckpoint(file, { now: io.now(), freshHours, gone });
}

/** Names the files, folders and memories of a checkpoint that are not there any more. (Its edited files are reported as changes.) */
function missingParts({ transcriptPath, projectDir, state, memories = [] }: Checkpoint, io: Io): string[] {
	const { path: planPath } = state.plan ?? {};
	const paths = { "the transcript": transcriptPath, "the project's folder": projectDir, "the plan's file": planPath };
	const files = Object.entries(paths).filter(([, path]) => path && !existsSync(path));
	// without the project's folder its memories can't be listed
	const isListed = projectDir !== "" && existsSync(projectDir);
	const now = isListed ? memoryInventory(requireStore(io).root, claudeRoot(io.env), projectDir).map(memoryName) : null;
	const lost = now ? memories.map(memoryName).filter((name) => !now.includes(name)) : [];
	return [
		...files.map(([what, path]) => `${what} ${inBackticks(path!)}`),
		...lost.map((name) => `the memory ${inBackticks(name)}`),
	];
}

/** Saves a checkpoint of a session as it is now; `null` where there is nothing to save. */
export function saveCheckpoint(session: Session, trigger: DueTrigger, io: Io, note?: string): Checkpoint | null {
	const keep = configFor({ sid: session.id }, io).retention.maxCheckpoints;
	return saveForTriggers(presentSource(session, io), [trigger], { note, keep, waitMs: 10_000 });
}

/** Gives what a checkpoint of a session is taken from: its transcript, its folders and the present moment. */
export function presentSource(session: Session, io: Io): CheckpointSource {
	const usage = readLastUsage(session);
	const isCurrent = io.env.CLAUDE_CODE_SESSION_ID === session.id;
	const folder = readSessionFolder(session) || (isCurrent ? findProjectFolder(io) : "");
	return {
		session,
		transcriptPath: findTranscript(session, usage?.transcriptPath, folder, io),
		projectDir: folder && existsSync(folder) ? folder : "",
		workFolder: usage?.cwd || folder,
		claudeRoot: claudeRoot(io.env),
		now: io.now(),
		log: (reason) => io.err(`ccg: ${errorText(reason)}`),
	};
}

/**
 * Gives the path of a session's transcript: `lastKnown` if it exists, else the file named after the session, `""` without one. For another
 * session a command bound to its project searches only the transcripts of `folder`, in which that session began.
 */
function findTranscript({ id }: Session, lastKnown: string | undefined, folder: string, io: Io): string {
	if (lastKnown && existsSync(lastKnown)) return lastKnown;
	const root = claudeRoot(io.env);
	const maySearch = (path: string): boolean =>
		!isProjectBound(io) || id === io.env.CLAUDE_CODE_SESSION_ID || basename(dirname(path)) === claudeFolderName(folder);
	const sameName = root ? transcriptsBelow(root).filter(({ path }) => basename(path) === `${id}.jsonl`) : [];
	return sameName.find(({ path }) => maySearch(path))?.path ?? lastKnown ?? "";
}

const MAX_FILES = 200;

/** Says in words what has changed in the project's folder since a checkpoint: branch, commit, edited files. */
export function changesSince(checkpoint: Checkpoint, io: Io) {
	const folder = checkpoint.projectDir || findProjectFolder(io);
	const workspace = existsSync(folder) ? readWorkspace(folder, io.now()) : null;
	const edited = checkpoint.state.files.filter(({ edits }) => edits > 0).slice(-MAX_FILES);
	const files = edited.flatMap(({ path }) => {
		// files elsewhere are not looked at
		const inFolder = isAbsolute(path) ? relative(folder, path) : path;
		if (!inFolder || inFolder.startsWith("..") || isAbsolute(inFolder)) return [];
		const stat = statInside(folder, inFolder);
		return [{ path: inFolder, changedAt: stat ? stat.mtime.toISOString() : null }];
	});
	return workspaceChanges(checkpoint, workspace, files);
}
