import type { SessionStatus, SessionWork } from "../../store/status/session-status.ts";

/** A session with what `ccg status` looks up beside its files. */
export type ShownStatus = Omit<SessionStatus, "checkpoint"> &
	SessionWork & {
		/** `delivered`: whether the transcript shows that the block reached the model; `unknown` where it shows neither. */
		checkpoint: (NonNullable<SessionStatus["checkpoint"]> & { delivered: "yes" | "no" | "unknown" }) | null;
		/** Name of its project; `null` while its folder is unknown. */
		project: string | null;
		/** Of the project this runs in. */
		here: boolean;
		/** Why Claude Code said it ended; `null` while it runs. */
		ended: string | null;
		/** What of its transcript is not known, so that it does not tell who spoke; `null` where it does. */
		unclear: string | null;
	};
