import type { Pressure } from "../core/pressure/pressure.ts";
import { readJson, writeJson } from "./json-file.ts";
import { sessionPaths } from "./paths.ts";

/** The last measurement of a session, for `ccg status` and the hooks. */
export interface UsageRecord extends Omit<Pressure, "due"> {
	at: string;
	source: "status line" | "transcript";
	model: string;
	claudeVersion: string | null;
	cwd: string;
	transcriptPath: string;
}

export const readUsage = (root: string, sid: string): Partial<UsageRecord> | null =>
	readJson<UsageRecord>(sessionPaths(root, sid).usage);

/** Not fsynced: the next measurement brings it again. */
export function writeUsage(root: string, sid: string, record: UsageRecord): void {
	writeJson(sessionPaths(root, sid).usage, record, { sync: false });
}
