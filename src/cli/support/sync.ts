import { shellWord } from "../../core/text/quoted.ts";
import { countWithNoun } from "../../core/text/text.ts";
import { codedError, errorCode } from "../../files/system-failure.ts";
import type { Note } from "../../memory/notes.ts";
import type { ScopedStore } from "../../memory/notes-file.ts";
import { logFailure } from "../../store/failure-log.ts";
import { findProject } from "../../store/project.ts";
import { findProjectFolder, requireStore } from "../../store/session/place.ts";
import { replaceForeignNote } from "../../sync/exchange.ts";
import type { LastSync, SyncOptions } from "../../sync/last.ts";
import { FOR_ALL_MARK, projectMark } from "../../sync/marks.ts";
import { syncNow, withLockedSpace } from "../../sync/members.ts";
import { type OpenSpace, requireSpace, type SharedProject } from "../../sync/space.ts";
import type { Flags } from "./command.ts";
import type { Io } from "./io.ts";

/** Gives the space by which this store shares with other machines. Throws where it shares nothing. */
export const currentSpace = (io: Io): OpenSpace => requireSpace(requireStore(io));

/** Exchanges documents with the other machines, with progress on a terminal. */
export async function exchangeNow(opened: OpenSpace, io: Io, options: SyncOptions = {}) {
	const onDocument = (done: number, all: number): void => io.progress?.(`exchanging: ${done} of ${all}`);
	try {
		return await syncNow(opened, io.env, { ...options, onDocument });
	} finally {
		io.progress?.("");
	}
}

/** Replaces the text of another machine's note, or with `null` deletes the note; other machines get the change with the next exchange. */
export async function changeForeignNote(io: Io, notes: ScopedStore, note: Note, text: string | null): Promise<void> {
	const opened = currentSpace(io);
	await withLockedSpace(opened.store, () => replaceForeignNote(opened, notes, note, text));
}

/** Gives the project that `ccg sync init` is to share. One already shared by `current` keeps its mark, which other machines know it by. */
export function projectToShare(
	{ global, project, notes }: Flags & { project?: string; notes?: boolean },
	current: OpenSpace | null,
	io: Io,
): SharedProject {
	if (global) return { key: "", folder: "", mark: FOR_ALL_MARK, withSessions: false };
	const { key, root } = findProject(findProjectFolder(io));
	const shared = current?.space.projects.find((candidate) => candidate.key === key);
	const mark = shared && project === undefined ? shared.mark : projectMark(root, project, io.env);
	return { key, folder: root, mark, withSessions: !notes };
}

const MAX_CPU_SECONDS = 10;

/** Throws where an exchange in the background has used more processor time than it may. */
function refuseLongExchange(): void {
	const { user, system } = process.cpuUsage();
	const reason = "what others wrote takes longer to read than a session's exchange may; run: ccg sync now";
	if ((user + system) / 1e6 > MAX_CPU_SECONDS) throw codedError("ESPENT", reason);
}

/** Exchanges in the background of a session: prints nothing. Logs a failure, unless nothing is shared or another process exchanges now. */
export async function exchangeSilently(io: Io): Promise<undefined> {
	try {
		const opened = currentSpace(io);
		await syncNow(opened, io.env, { waitMs: 0, onDocument: refuseLongExchange });
	} catch (error) {
		if (!["ELOCKED", "EUNSHARED"].includes(errorCode(error))) logFailure(requireStore(io).root, "sync", error);
	}
	return undefined;
}

/** Lists what a person still has to do for a space: admit machines, ask to join, confirm that notes are replaced. */
export function openSteps({ asking, waiting, isMember }: Omit<LastSync, "versions" | "basis">, { space }: OpenSpace) {
	const askToJoin = `This machine is no member. To ask, and for the code: ccg sync join ${shellWord(space.address)}`;
	const confirm = `${countWithNoun(waiting.length, "note")} of yours go to replaced.md with your yes (ccg sync now --yes):`;
	return [
		...(isMember ? [] : [askToJoin]),
		...asking.map(({ name }) => `${name} asks to join: ccg sync join CODE, with the code that it shows`),
		...(waiting.length > 0 ? [confirm] : []),
		...waiting.slice(0, MAX_LISTED_NOTES).map((line) => `- ${line}`),
	];
}

/** How many notes that wait for a yes are listed. */
const MAX_LISTED_NOTES = 20;

/** Gives the result of an exchange for `--json`: without the fields that only ccg needs. */
export const syncJson = <T extends LastSync>({ versions: _, basis: _b, ...result }: T) => result;
