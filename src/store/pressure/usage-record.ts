import type { Pressure } from "../../core/pressure/pressure.ts";
import { sessionPaths } from "../paths.ts";
import { literal, nullable, number, object, optional, shape, text } from "../shape.ts";
import { type FileKind, readGood, unversioned, writeVersioned } from "../versioned-file.ts";

/** The last measurement of a session, for `ccg status` and the hooks. */
export interface UsageRecord extends Omit<Pressure, "due"> {
	at: string;
	source: "status line" | "transcript";
	model: string;
	claudeVersion: string | null;
	cwd: string;
	/** Where the session began: names its project, also behind a `cd`. */
	projectDir: string;
	transcriptPath: string;
}

const words = optional(text);
const count = optional(nullable(number));

/** What was measured then; fields that a version does not write are missing. */
export type UsageRead = { [K in keyof UsageRecord]?: UsageRecord[K] | undefined };

/** Of one moment: the next measurement brings it again. */
const USAGE: FileKind<UsageRead & { version: 1 }> = {
	name: "measurement",
	version: 1,
	maxBytes: 64 * 1024,
	schema: shape(
		object({
			version: literal(1),
			at: words,
			source: words as (value: unknown) => UsageRecord["source"] | undefined,
			model: words,
			claudeVersion: optional(nullable(text)),
			cwd: words,
			projectDir: words,
			transcriptPath: words,
			tokens: count,
			window: optional(number),
			trigger: count,
			why: words as (value: unknown) => UsageRecord["why"] | undefined,
			distance: count,
			zone: words as (value: unknown) => UsageRecord["zone"] | undefined,
		}),
	),
	migrations: unversioned,
	passing: true,
};

export const readUsage = (root: string, sid: string): UsageRead | null =>
	readGood(sessionPaths(root, sid).usage, USAGE);

/** Not fsynced: the next measurement brings it again. */
export function writeUsage(root: string, sid: string, record: UsageRecord): void {
	writeVersioned(sessionPaths(root, sid).usage, USAGE, { version: 1, ...record }, { sync: false });
}
