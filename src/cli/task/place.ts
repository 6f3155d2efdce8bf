import { existsSync } from "node:fs";
import { join } from "node:path";
import { type KnownPressure, knownPressure, type PressureFacts } from "../../core/halt/pressure-level.ts";
import { loadConfig } from "../../store/config/config.ts";
import { isSessionId, sessionPaths, storeRoot } from "../../store/paths.ts";
import { resumedUntil } from "../../store/pressure/halt.ts";
import { readUsage } from "../../store/pressure/usage-record.ts";
import { taskRoot } from "../../store/project-store.ts";
import { compactedAt } from "../../store/recovery/pending.ts";
import { refuseStoreLinks } from "../../store/refuse-links.ts";
import { sessionFolders } from "../../store/session/chosen-store.ts";
import { projectFolderOf } from "../../store/session/session-project.ts";
import { type Store, sessionAt } from "../../store/session-handle.ts";
import type { TaskFolder } from "../../store/task/task-state.ts";
import { mayName, refuseCrossing } from "../support/held.ts";
import type { Io } from "../support/io.ts";

/** Where a task lives, and the session whose pressure counts for it. */
export interface TaskPlace extends TaskFolder {
	store: Store | null;
	/** `null` with a root of one's own and no session. */
	session: string | null;
}

export interface PlaceOptions {
	session?: string | undefined;
}

/**
 * The task's folder: `CCG_TASK_ROOT`, else the session's in the store. The session is the one named, else the one this runs
 * in, else the one of this project seen last, which is told. Throws with what to set when there is none, and for one that is
 * not known.
 */
export function taskPlace({ session }: PlaceOptions, io: Io, now: Date): TaskPlace {
	const root = storeRoot(io.env);
	const { tell } = io;
	const store = root ? { root, tell } : null;
	const here = io.env.CLAUDE_CODE_SESSION_ID;
	const named = session ?? (isSessionId(here) ? here : null);
	// a typo must not begin a session; the one this runs in may be new to the store
	const isThere = session === undefined || session === here || !root || existsSync(sessionPaths(root, session).folder);
	if (store && session !== undefined && isThere && !mayName(store, session, io))
		refuseCrossing(`session ${session} is none of this project`, io);
	const own = taskRoot(io.env, sessionFolders(io, "CCG_TASK_ROOT"));
	if (own) return { folder: own, tell, store, session: named };
	if (!store || !root)
		throw new Error("there is no place for a task: set CCG_TASK_ROOT to a folder, or HOME or CCG_HOME");
	if (!isThere) throw new Error(`no session ${session} in ${root}; 'ccg status --all' lists those known`);
	const sid = named ?? lastOfProject(store, projectFolderOf(io), now);
	refuseStoreLinks(root, sid);
	if (!named) io.err(`ccg: of session ${sid}, the one of this project seen last (--session names another)`);
	return { folder: join(root, "sessions", sid), tell, store, session: sid };
}

/** Loaded where no session is named, which an agent's is: it reads what is known of all. */
const lastOfProject: typeof import("./last-of-project.ts").lastOfProject = (...place) =>
	(require("./last-of-project.ts") as typeof import("./last-of-project.ts")).lastOfProject(...place);

/** The pressure the task works under, and until when a person lifted the stop. */
export function pressureAt(
	{ store, tell, session }: TaskPlace,
	facts: Pick<PressureFacts, "given" | "firstTurn">,
	now: Date,
): { pressure: KnownPressure; resumed: { until: string | null } | null; critical: number; mode: string } {
	const usage = store && session ? readUsage(sessionAt(store, session)) : null;
	// as the hooks have it: the folder the session began in, not where a cd led
	const folder = usage?.projectDir || usage?.cwd || undefined;
	const { task, guard } = loadConfig(store?.root ?? null, {
		tell,
		...(session ? { sid: session } : {}),
		...(folder ? { folder } : {}),
	}).config;
	return {
		pressure: knownPressure({ ...facts, measured: measured(store, session) }, task),
		resumed: store && session ? resumedUntil(sessionAt(store, session), now) : null,
		critical: task.critical,
		mode: guard.mode,
	};
}

function measured(store: Store | null, session: string | null): PressureFacts["measured"] {
	const usage = store && session ? readUsage(sessionAt(store, session)) : null;
	if (!usage || !store || !session) return null;
	const { tokens = null, trigger = null, window = null, at = "" } = usage;
	return { tokens, trigger, window, beforeCompaction: compactedAt(sessionAt(store, session)) > at };
}
