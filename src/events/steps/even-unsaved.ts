import { cleanForModel } from "../../core/text/text.ts";
import { tryOrLog } from "../../files/quietly.ts";
import { isWithin } from "../../files/real-path.ts";
import { describeErrorCode, errorCode, failedPath } from "../../files/system-failure.ts";
import { databasePath } from "../../store/paths.ts";
import type { Answer, EventHandler } from "../run/event.ts";
import { loadCompactionBundle } from "./bundles.ts";

/** Codes of failures that concern the whole file system, and those that may concern one file. */
const DISK_CODES = ["ENOSPC", "EDQUOT", "EROFS"];
const FILE_CODES = ["EACCES", "EPERM", "EIO"];

/**
 * Makes a handler of PreCompact or SessionStart answer also where the store can't be written: from the transcript, with nothing saved.
 * SessionStart tells the user why.
 */
export const withUnsavedAnswer =
	(handler: EventHandler): EventHandler =>
	(hook) => {
		const { root } = hook;
		let refusal: ReturnType<typeof storeRefusal> = null;
		const log = (reason: unknown): void => {
			refusal ??= storeRefusal(reason, root);
			hook.log(reason);
		};
		let answer: Answer | null = null;
		try {
			answer = handler({ ...hook, log });
		} catch (error) {
			if (!storeRefusal(error, root)) throw error;
			log(error);
		}
		if (!refusal) return answer;
		answer ??= tryOrLog(hook.log, () => loadCompactionBundle().answerUnsaved(hook));
		if (hook.input.hook_event_name !== "SessionStart") return answer;
		const { code, path } = refusal;
		const line =
			`ccg can't use ${path}: ${WHY[code] ?? describeErrorCode(code)}. After a compaction it still gives back what the transcript holds; ` +
			"what it keeps there waits until that is mended (ccg doctor).";
		return { systemMessage: cleanForModel(line), ...Object(answer) };
	};

const WHY: Record<string, string> = {
	SQLITE_BUSY: "another process holds it",
	ENEWER: "a newer ccg wrote it; update this one",
};

/** Which part of the store refused its use, and the code of the file system or SQLite that says why; `null` for any other failure. */
function storeRefusal(error: unknown, root: string): { code: string; path: string } | null {
	const [code, path] = [errorCode(error), failedPath(error)];
	// another process holds the database, or a newer ccg made it
	if (code.startsWith("SQLITE_") || code === "ENEWER") return { code, path: databasePath(root) };
	// a write that fails names no path
	if (DISK_CODES.includes(code) && (path === null || isWithin(path, root))) return { code, path: root };
	return FILE_CODES.includes(code) && path !== null && isWithin(path, root) ? { code, path } : null;
}
