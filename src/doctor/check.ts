import type { EntryName } from "../install/catalog.ts";
import type { FoundClaude } from "../install/claude-version.ts";
import type { Env } from "../store/paths.ts";
import type { Tell } from "../store/session-handle.ts";

/** `fail`: ccg does not do its work. `warn`: it does, with less than it could. `info`: a fact, nothing to do. */
export type CheckStatus = "ok" | "warn" | "fail" | "info";

/** One thing looked at. `id` is `group.name`; one id may come several times, as for several launchers. */
export interface DoctorCheck {
	id: string;
	status: CheckStatus;
	/** What was looked at. */
	title: string;
	/** What was found. */
	detail?: string;
	/** What to do about it. */
	fix?: string | undefined;
}

/** What one look may find, each by what was found and what to do about it. */
export const look = (id: string, title: string) => {
	const found =
		(status: CheckStatus) =>
		(detail: string, fix?: string): DoctorCheck => ({ id, status, title, detail, ...(fix && { fix }) });
	return { ok: found("ok"), info: found("info"), warn: found("warn"), fail: found("fail") };
};

export interface Report {
	ok: boolean;
	checks: DoctorCheck[];
	/** What was run of the registered commands. */
	commands: {
		/** The events it is registered for, `StatusLine` for the status line. */
		event: string;
		part: EntryName;
		/** Which situation was played. */
		run: string;
		command: string;
		/** `null` when it was killed. */
		exit: number | null;
		valid: boolean;
		/** Why it is not valid. */
		reason?: string;
		/** Size of what Claude Code would take from it. */
		chars: number;
		ms: number;
	}[];
}

/** Where the doctor looks. */
export interface DoctorInput {
	env: Env;
	/** Absolute; the folder whose project and local settings count. */
	cwd: string;
	/** Absolute path of the `bin/ccg` that is running. */
	launcher: string;
	/** Where to tell what the store's files are like. */
	tell: Tell;
	/** Folder of the managed settings; the platform's by default. */
	managed?: string;
	now?: Date;
	/** What Claude Code there is, looked for by default. */
	claude?: readonly FoundClaude[];
	/** For each command, 15 s by default. */
	timeLimitMs?: number | undefined;
	/** Told what is about to run. */
	progress?: ((what: string) => void) | undefined;
}
