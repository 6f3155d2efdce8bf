import { isCheckpointKey } from "../../core/recovery/checkpoint-key.ts";
import { appendJson } from "../gate.ts";
import { readText } from "../json-file.ts";
import type { Session } from "../session-handle.ts";

/** A line of a session's checkpoint log. Earlier versions wrote neither sizes nor coverage. */
export interface LoggedCheckpoint {
	key: string;
	type: string;
	/** ISO 8601. */
	at: string;
	trigger: string;
	tokens: number | null;
	/** Of its JSON, in characters. */
	bytes?: number;
	/** Percent of what the document lists that is known. */
	coverage?: number;
	reason?: string;
	project?: string;
}

export const appendToCheckpointLog = (session: Session, line: LoggedCheckpoint): void =>
	appendJson(session.paths.checkpointLog, [line]);

/** A session's log, oldest first; lines that can't be read are passed over. */
export function readCheckpointLog(session: Session): LoggedCheckpoint[] {
	const text = readText(session.paths.checkpointLog) ?? "";
	return text.split("\n").flatMap((line) => {
		try {
			const value: Partial<LoggedCheckpoint> | null = line ? JSON.parse(line) : null;
			return isLogged(value) ? [value] : [];
		} catch {
			return [];
		}
	});
}

const isLogged = (value: Partial<LoggedCheckpoint> | null): value is LoggedCheckpoint =>
	typeof value?.key === "string" &&
	isCheckpointKey(value.key) &&
	typeof value.at === "string" &&
	typeof value.trigger === "string";
