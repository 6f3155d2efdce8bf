import { forModel } from "../../core/text/text.ts";
import { attempt } from "../../files/quietly.ts";
import { isWithin } from "../../files/real-path.ts";
import { errorCode, reasonOf, systemPath } from "../../files/system-failure.ts";
import { databasePath } from "../../store/paths.ts";
import type { Answer, EventHandler } from "../run/event.ts";
import { loadBehindCompaction } from "./bundles.ts";

/** What holds for the whole file system, and what may hold for one file. */
const OF_ALL = ["ENOSPC", "EDQUOT", "EROFS"];
const OF_ONE = ["EACCES", "EPERM", "EIO"];

/**
 * A hook of a compaction or a start, which says what it has to say also where the store can't be written: from the transcript, with
 * nothing saved. The user is told at each start of a session.
 */
export const evenUnsaved =
	(handler: EventHandler): EventHandler =>
	(hook) => {
		const { root } = hook;
		let refusal: ReturnType<typeof refusalIn> = null;
		const log = (reason: unknown): void => {
			refusal ??= refusalIn(reason, root);
			hook.log(reason);
		};
		let said: Answer | null = null;
		try {
			said = handler({ ...hook, log });
		} catch (error) {
			if (!refusalIn(error, root)) throw error;
			log(error);
		}
		if (!refusal) return said;
		said ??= attempt(hook.log, () => loadBehindCompaction().unsaved(hook));
		if (hook.input.hook_event_name !== "SessionStart") return said;
		const { code, path } = refusal;
		const line =
			`ccg can't use ${path}: ${WHY[code] ?? reasonOf(code)}. After a compaction it still gives back what the transcript holds; ` +
			"what it keeps there waits until that is mended (ccg doctor).";
		return { systemMessage: forModel(line), ...Object(said) };
	};

const WHY: Record<string, string> = {
	SQLITE_BUSY: "another process holds it",
	ENEWER: "a newer ccg wrote it; update this one",
};

/** What can't be used of the store, and the code of the file system or of SQLite that says why; `null` for any other failure. */
function refusalIn(error: unknown, root: string): { code: string; path: string } | null {
	const [code, path] = [errorCode(error), systemPath(error)];
	// held by another process for long, or a newer ccg's
	if (code.startsWith("SQLITE_") || code === "ENEWER") return { code, path: databasePath(root) };
	// a write that fails names no path
	if (OF_ALL.includes(code) && (path === null || isWithin(path, root))) return { code, path: root };
	return OF_ONE.includes(code) && path !== null && isWithin(path, root) ? { code, path } : null;
}
