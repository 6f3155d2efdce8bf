import { shellWord } from "../../core/text/quoted.ts";
import { counted } from "../../core/text/text.ts";
import { coded, errorCode } from "../../files/system-failure.ts";
import type { Note } from "../../memory/notes.ts";
import type { ScopedStore } from "../../memory/notes-file.ts";
import { logFailure } from "../../store/failure-log.ts";
import { projectOf } from "../../store/project.ts";
import { projectFolderOf, storeOf } from "../../store/session/place.ts";
import { changeForeign } from "../../sync/exchange.ts";
import type { How, LastSync } from "../../sync/last.ts";
import { FOR_ALL_MARK, markOf } from "../../sync/marks.ts";
import { syncNow } from "../../sync/members.ts";
import { alone, needSpace, type Opened, type SharedHere } from "../../sync/space.ts";
import type { Given } from "./command.ts";
import type { Io } from "./io.ts";

/** Gives the space that this store shares. Throws where it shares none. */
export const spaceOf = (io: Io): Opened => needSpace(storeOf(io));

/** Exchanges with the other machines, and shows progress where somebody waits at a terminal. */
export async function exchangeHere(opened: Opened, io: Io, how: How = {}) {
	const onDocument = (done: number, all: number): void => io.progress?.(`exchanging: ${done} of ${all}`);
	try {
		return await syncNow(opened, io.env, { ...how, onDocument });
	} finally {
		io.progress?.("");
	}
}

/** Puts a text in the place of a note of another machine, or with `null` deletes it; the others get it with the next exchange. */
export async function changeForeignNote(io: Io, place: ScopedStore, note: Note, text: string | null): Promise<void> {
	const opened = spaceOf(io);
	await alone(opened.store, () => changeForeign(opened, place, note, text));
}

/** Gives the project that the options of `ccg sync init` mean, as it is to be shared; `before`: the space, where one exists. */
export function projectToShare(
	{ global, project, notes }: Given & { project?: string; notes?: boolean },
	before: Opened | null,
	io: Io,
): SharedHere {
	if (global) return { key: "", folder: "", mark: FOR_ALL_MARK, withSessions: false };
	const { key, root } = projectOf(projectFolderOf(io));
	const sharedBefore = before?.space.projects.find((one) => one.key === key);
	const mark = sharedBefore && project === undefined ? sharedBefore.mark : markOf(root, project, io.env);
	return { key, folder: root, mark, withSessions: !notes };
}

const MAX_CPU_S = 10;
/** Throws where an exchange that nobody waits for has taken more seconds of the processor than it may. */
function refuseLong(): void {
	const { user, system } = process.cpuUsage();
	if ((user + system) / 1e6 > MAX_CPU_S)
		throw coded("ESPENT", "what others wrote takes longer to read than a session's exchange may; run: ccg sync now");
}

/** Exchanges for a session: prints nothing, and logs a failure. (No failure: nothing is shared any more, or another process exchanges.) */
export async function exchangeSilently(io: Io): Promise<undefined> {
	try {
		const opened = spaceOf(io);
		await syncNow(opened, io.env, { waitMs: 0, onDocument: refuseLong });
	} catch (error) {
		if (!["ELOCKED", "EUNSHARED"].includes(errorCode(error))) logFailure(storeOf(io).root, "sync", error);
	}
	return undefined;
}

/** Lists what people have to do for a space: let machines in, ask to be let in, say yes. */
export function stepsForPeople({ asking, waiting, isMember }: Omit<LastSync, "versions" | "basis">, { space }: Opened) {
	const again = `This machine is no member. To ask, and for the code: ccg sync join ${shellWord(space.address)}`;
	return [
		...(isMember ? [] : [again]),
		...asking.map(({ name }) => `${name} asks to join: ccg sync join CODE, with the code that it shows`),
		...(waiting.length > 0
			? [`${counted(waiting.length, "note")} of yours go to replaced.md with your yes (ccg sync now --yes):`]
			: []),
		...waiting.slice(0, SHOWN).map((line) => `- ${line}`),
	];
}

/** So many of the notes that wait for a yes are listed. */
const SHOWN = 20;

/** Gives an exchange's result without the fields that are ccg's own. */
export const answerOf = <T extends LastSync>({ versions: _, basis: _b, ...done }: T) => done;
