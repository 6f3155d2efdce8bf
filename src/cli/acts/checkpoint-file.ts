import type { Checkpoint } from "../../core/recovery/checkpoint.ts";
import { safeText } from "../../core/text/text.ts";
import { sealedText, writeSealed } from "../../store/gate.ts";
import { readBytes, readText } from "../../store/json-file.ts";
import { isSessionId } from "../../store/paths.ts";
import { projectOf } from "../../store/project.ts";
import { appendToCheckpointLog } from "../../store/recovery/checkpoint-log.ts";
import { addCheckpoint } from "../../store/recovery/checkpoints.ts";
import { projectIn } from "../../store/recovery/find-checkpoints.ts";
import { parseCheckpoint } from "../../store/recovery/read-checkpoint.ts";
import { refuseStoreLinks } from "../../store/refuse-links.ts";
import { type Store, sessionAt } from "../../store/session-handle.ts";
import { pickCheckpoint, whyNot } from "../checkpoint/pick.ts";
import { checkpointStore } from "../checkpoint/place.ts";
import { answerJson } from "../support/answer-json.ts";
import { fileToRead, mayName, newFile, refuseCrossing } from "../support/held.ts";
import type { Io } from "../support/io.ts";

export interface ExportOptions {
	session?: string;
	to?: string;
}

/** A checkpoint as one JSON file with its checksum. */
export function exportCheckpoint(named: string | undefined, { session, to }: ExportOptions, io: Io, now: Date): void {
	const { store, folder } = checkpointStore(io);
	const found = pickCheckpoint(store, named, { session, folder }, io, now);
	if (!found.checkpoint || !found.validation.valid) throw new Error(`${found.key} was not exported: ${whyNot(found)}`);
	const { sha256: _, ...content } = found.checkpoint;
	if (to === undefined) return io.out(sealedText(content).trimEnd());
	const path = newFile(to, io);
	writeSealed(path, content, { exclusive: true });
	const { checkpoint, problem, seal } = parseCheckpoint(readText(path) ?? "");
	if (!checkpoint || seal !== "good") throw new Error(`${path} is not what was to be written: ${problem ?? seal}`);
	io.out(`${found.key} exported to ${path}`);
}

export interface ImportOptions {
	anyway?: boolean;
	json?: boolean;
}

/**
 * Takes a checkpoint from a file that anybody may have made: its form is checked, its texts are made safe, it gets a key of its own and
 * this project, and is marked. No pointer names it: it is restored by its key alone.
 */
export function importCheckpoint(file: string, { anyway, json }: ImportOptions, io: Io, now: Date): void {
	const { store, folder } = checkpointStore(io);
	const path = fileToRead(file, io);
	const read = readBytes(path);
	if (read.state !== "good")
		throw new Error(`${path} can't be read: ${read.state === "absent" ? "there is no such file" : read.reason}`);
	const { checkpoint, problem, seal } = parseCheckpoint(read.text);
	if (!checkpoint) throw new Error(`${path} is no checkpoint: ${problem}`);
	if (seal !== "good" && !anyway)
		throw new Error(
			`${path} was not imported: ${seal === "none" ? "it has no checksum" : "its content is not what was exported (the checksum differs)"}; add --anyway to import it all the same, marked as that`,
		);
	if (!isSessionId(checkpoint.session)) throw new Error(`${path} is no checkpoint: it names no session`);
	const session = sessionAt(store, whoseImport(store, checkpoint.session, path, io));
	refuseStoreLinks(store.root, session.id);
	const { version: _, key: __, sha256: ___, ...content } = safeDeep(checkpoint) as Checkpoint;
	const added = addCheckpoint(session, takenAt(checkpoint, now), {
		...content,
		session: session.id,
		transcriptPath: "",
		projectDir: folder,
		project: projectOf(folder).key,
		imported: { at: now.toISOString(), from: path, checksum: seal },
	});
	const { key, at, trigger, type = "precompact", state } = added.checkpoint;
	appendToCheckpointLog(session, {
		key,
		type,
		at,
		trigger,
		tokens: state.tokens,
		bytes: added.bytes,
		reason: "imported",
	});
	if (json) return answerJson(io, { key, session: session.id, imported_from: path, checksum: seal });
	io.out(`Imported as ${key} of session ${session.id}. It is restored by its key alone: ccg checkpoint restore ${key}`);
}

/** The session a held command's import goes to: its own where nothing tells whose the file's session is, which is claimed for no project. */
function whoseImport(store: Store, named: string, path: string, io: Io): string {
	if (mayName(store, named, io)) return named;
	const here = io.env.CLAUDE_CODE_SESSION_ID;
	if (projectIn(store, named) === "" && isSessionId(here)) return here;
	refuseCrossing(`${path} is of session ${named}, which is none of this project`, io);
	return named;
}

/** Its own moment, where that can be. */
function takenAt({ at }: Checkpoint, now: Date): Date {
	const taken = new Date(at);
	return Number.isNaN(taken.getTime()) || taken > now || taken.getUTCFullYear() < 2020 ? now : taken;
}

/** Every text of a value, and every name, without what acts on a terminal or poses as the host. */
function safeDeep(value: unknown): unknown {
	if (typeof value === "string") return safeText(value);
	if (Array.isArray(value)) return value.map(safeDeep);
	if (value === null || typeof value !== "object") return value;
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [safeText(name), safeDeep(one)]));
}
