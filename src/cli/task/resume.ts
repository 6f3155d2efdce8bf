import { existsSync } from "node:fs";
import { storePath } from "../../core/text/quoted.ts";
import { oneLine } from "../../core/text/text.ts";
import { isInSession, isSessionId, storeRoot } from "../../store/paths.ts";
import { resumeWork } from "../../store/pressure/halt.ts";
import { folderOf, haltedAt } from "../../store/pressure/halted-here.ts";
import { storeAt } from "../../store/session/chosen-store.ts";
import { sessionAt } from "../../store/session-handle.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { ownName } from "../support/own-name.ts";
import { nameOf } from "../support/project-name.ts";
import { untilText } from "./answer.ts";
import type { Common } from "./decide.ts";
import { taskPlace } from "./place.ts";

export function resume(options: Common & { for?: number }, io: Io, now: Date): void {
	// no real barrier, but it keeps an agent from helping itself
	if (isInSession(io.env))
		throw new Error("resume is a person's word: run it in a terminal of your own, outside Claude Code");
	const { store, session } = taskPlace({ ...options, session: options.session ?? halted(io) }, io, now);
	if (!store || !session)
		throw new Error("resume lifts the stop of a session; name it with --session ID ('ccg status' lists them)");
	const until = options.for === undefined ? null : new Date(now.getTime() + options.for);
	const stopped = sessionAt(store, session);
	const stood = existsSync(stopped.paths.haltMarker);
	resumeWork(stopped, now, until);
	const word = { session_id: session, until: until?.toISOString() ?? null, stood };
	if (options.json) return answerJson(io, word);
	io.out(
		`session ${session}${projectText(folderOf(stopped))} goes on ${untilText(word)}${stood ? "" : "; no stop stood there"}`,
	);
}

/** One of another project may be meant, so its name is said. */
const projectText = (folder: string): string =>
	folder && ` of project ${oneLine(nameOf(folder))} (${storePath(folder)})`;

/** The session that is meant where none is named: the one of this project that is stopped, else the only one there is. */
function halted(io: Io): string | undefined {
	const root = storeRoot(io.env);
	if (!root || isSessionId(io.env.CLAUDE_CODE_SESSION_ID)) return undefined;
	const store = storeAt(io, root);
	const { here, elsewhere } = haltedAt(store, io.cwd);
	const choice = here.length > 0 ? here : elsewhere;
	if (choice.length < 2) return choice[0];
	const rows = choice.map(
		(sid) =>
			`  ${ownName(io)} task resume --session ${sid}   # ${folderOf(sessionAt(store, sid)) || "folder not known"}`,
	);
	throw new Error(`${choice.length} sessions are stopped; say which goes on:\n${rows.join("\n")}`);
}
