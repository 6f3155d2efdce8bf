import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { unsavedCheckpoint } from "../../claude/recovery/take-checkpoint.ts";
import { steeringText } from "../../core/recovery/steering.ts";
import { forModel } from "../../core/text/for-model.ts";
import { isWithin } from "../../files/real-path.ts";
import { errorCode, reasonOf, systemPath } from "../../files/system-failure.ts";
import { attempt } from "../run/attempt.ts";
import { answer, type EventHandler, type Services, type SessionInput } from "../run/event.ts";
import { checkpointPlace } from "./checkpoint-place.ts";
import { recoveryBlockOf } from "./recovery-block.ts";

/** What holds for the whole file system, and what may hold for one file. */
const OF_ALL = ["ENOSPC", "EDQUOT", "EROFS"];
const REFUSALS = [...OF_ALL, "EACCES", "EPERM", "EIO"];
/** A checkpoint of a short session takes more. */
const LEAST_BYTES = 65_536;

/**
 * A hook of a compaction or a start, which says what it has to say also where the store can't be written: from the transcript, with
 * nothing saved. The user is told at each start of a session.
 */
export const evenUnsaved =
	(handler: EventHandler): EventHandler =>
	(input, services) => {
		let refusal: Refusal | null = refusalOf(services.root);
		const log = (reason: unknown): void => {
			refusal ??= refusalIn(reason, services.root);
			services.log(reason);
		};
		let said: string | null = null;
		try {
			said = handler(input, { ...services, log });
		} catch (error) {
			if (!refusalIn(error, services.root)) throw error;
			log(error);
		}
		if (!refusal) return said;
		attempt(services.log, () => {
			said ??= unsaved(input, services);
		});
		if (input.hook_event_name !== "SessionStart") return said;
		const line = refusal.path
			? `ccg can't use ${refusal.path}: ${reasonOf(refusal.code)}. What it keeps there waits until that is mended (ccg doctor).`
			: `ccg can save nothing in ${services.root}: ${reasonOf(refusal.code)}. After a compaction it still gives back what the transcript ` +
				"holds; notes, checkpoints and search wait until that is mended (ccg doctor).";
		const context = said ? JSON.parse(said).hookSpecificOutput?.additionalContext : null;
		return answer("SessionStart", context, line);
	};

/** Why something can't be saved, as the file system's code; `path`: only there. */
interface Refusal {
	code: string;
	path?: string;
}

/** Of a failure in the store; a write that fails names no path. */
function refusalIn(error: unknown, root: string): Refusal | null {
	const [code, path] = [errorCode(error), systemPath(error)];
	if (/^(?:ENOSPC|EDQUOT)$/.test(code) && path === null) return { code };
	if (path === null || !isWithin(path, root) || !REFUSALS.includes(code)) return null;
	return OF_ALL.includes(code) ? { code } : { code, path };
}

/** Why nothing in the store can be written; asked without writing. */
function refusalOf(root: string): Refusal | null {
	let at = root;
	while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
	try {
		accessSync(at, constants.W_OK | constants.X_OK);
		const { bavail, bfree, bsize, files, ffree } = statfsSync(at);
		const free = process.geteuid?.() === 0 ? bfree : bavail;
		// (some file systems have no fixed number of files)
		return free * bsize < LEAST_BYTES || (files > 0 && ffree === 0) ? { code: "ENOSPC" } : null;
	} catch (error) {
		const code = errorCode(error);
		return REFUSALS.includes(code) ? { code } : null;
	}
}

function unsaved(input: SessionInput, services: Services): string | null {
	const isCompaction = input.hook_event_name === "PreCompact" || input.source === "compact";
	const trigger = input.trigger ?? input.source ?? "";
	const checkpoint = isCompaction ? unsavedCheckpoint(checkpointPlace(input, services), trigger) : null;
	if (!checkpoint) return null;
	const { config } = services;
	if (input.hook_event_name === "PreCompact") {
		const steering = steeringText(checkpoint.state, config.steering.maxChars);
		return steering && forModel(steering);
	}
	// what was not saved can't be searched
	const plain = { ...services, config: { ...config, search: { ...config.search, enabled: false } } };
	return answer("SessionStart", recoveryBlockOf(checkpoint, plain, null, null).text, null);
}
