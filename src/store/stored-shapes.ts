/**
 * The files that hooks and the status line read, each declared once. Those start without a library, so they take the types
 * from here and check by `shapes.generated.ts`, which `npx bun scripts/write-shapes.ts` makes of this.
 */
import * as z from "zod/mini";
import { list, recordOf, stored } from "../core/base-shapes.ts";
import { checkpointKey } from "../core/recovery/stored-shapes.ts";
import { PROFILE_NAME } from "./paths.ts";

export { sessionSnapshot } from "../core/context/session-snapshot-shape.ts";
export { checkpoint, checkpointTriggers, lossReport, restoreRequest } from "../core/recovery/stored-shapes.ts";

const text = z.string();
const number = z.number();
const maybeNumber = z.nullable(number);

/** The last measurement of a session, for `ccg status` and the hooks. */
export const usageRecord = stored({
	at: text,
	source: z.enum(["status line", "transcript", "mod"]),
	model: text,
	claudeVersion: z.nullable(text),
	cwd: text,
	/** Where the session began: names its project, also behind a `cd`. */
	projectDir: text,
	transcriptPath: text,
	tokens: maybeNumber,
	window: number,
	trigger: maybeNumber,
	why: z.enum([
		"formula",
		"percent",
		"observed",
		"told by Claude Code",
		"auto-compaction is off",
		"this model compacts only at the API limit",
	]),
	distance: maybeNumber,
	zone: z.enum(["unknown", "none", "calm", "watch", "flush", "imminent"]),
});

/** The flush marker: says that compaction is near. One per session; the pre-check tests that it exists. */
export const flushMarker = stored({ at: text, tokens: number, distance: maybeNumber, trigger: maybeNumber });

/** The halt marker: says that this session's pressure is critical. */
export const haltMarker = stored({
	at: text,
	tokens: number,
	/** Tokens at which compaction triggers, or the window where nothing compacts by itself. */
	limit: number,
	/** The threshold it was measured against, as a share. */
	critical: number,
});

/** A person lifted the stop; `until` is `null` where that holds to the next compaction. */
export const resumed = stored({ at: text, until: z.nullable(text) });

const seenTriggers = list(z.object({ uuid: text, preTokens: number }));

/** Automatic compactions seen, by `CompactionTrigger.observedKey`, oldest first. */
export const observedTriggers = stored({ observed: recordOf(seenTriggers) });

/** Those of one process that found no lock. */
export const observedLater = stored({ key: text, seen: seenTriggers });

/** A profile as hooks read it: checked and compiled when it was chosen, so that no hook parses YAML. */
export const compiledProfile = stored({
	name: z.string().check(z.regex(PROFILE_NAME)),
	/** ISO time. */
	compiled_at: text,
	/** The file it came from; `built-in` for one of ccg's own. */
	source: text,
	/** Sections of the configuration. */
	config: recordOf(z.unknown()),
});

/** The last batch of tool calls: what PreCompact has to find in the transcript, which is written behind the events. */
export const batch = stored({
	/** Milliseconds since 1970. */
	atMs: number,
	ids: list(text),
});

/** Where a session belongs, as its hooks know it. */
export const sessionProject = stored({
	/** The folder the session began in. */
	folder: text,
	/** The agent's shell was told of a store that is not the default one. */
	storeTold: z.boolean(),
});

/** What ccg knows of notes beside their text. Days are those of UTC, `YYYY-MM-DD`. */
export const noteFacts = stored({
	notes: list(
		z.object({
			/** Of its text, normalised: `noteId`. */
			id: number,
			/** When ccg saved it, ISO 8601. */
			saved: z.optional(text),
			/** The branch that was checked out then. */
			branch: z.optional(text),
			/** The last day it stood in what a session was told at its start. */
			start: z.optional(text),
			/** The last day recall or search showed it. */
			found: z.optional(text),
			/** The last day `ccg memory show` printed it. */
			shown: z.optional(text),
		}),
	),
});

/** A session's last failure, for the status line and `ccg status`. */
export const lastFailure = stored({ at: text, where: text, reason: text });

/** What ccg wrote into a workspace, so that it knows it again: anybody may put a file of that name there. */
export const workspaceFile = stored({ folder: text, sha256: text });

/** A compaction that PreCompact prepared for. Pending until SessionStart, PostCompact or a boundary proves it. */
export const pending = stored({
	key: checkpointKey,
	at: text,
	trigger: text,
	/** When it was proven; ISO time. The summary may have been written long before, and `at` is of then. */
	committedAt: z.exactOptional(text),
	/** On versions that do not mark a subagent's compaction: it does not look like the main thread's. */
	unconfirmed: z.optional(z.boolean()),
	/** The mod prepared for it and injects the block itself. */
	mod: z.optional(z.boolean()),
});

/** What was injected right behind a compaction's summary. */
export const recoveryInjection = stored({ key: checkpointKey, at: text, ids: list(text), chars: number });

/** What is to be injected later, and the ids of the items in it; `text` is `null` when nothing is missing. */
export const followUpInjection = stored({ key: checkpointKey, text: z.nullable(text), ids: list(text) });

/** A summary as PostCompact brought it, made safe. */
export const seenSummary = stored({ at: text, text });

export const followUpMarker = stored({ key: checkpointKey });

/** Of a long task's state the version alone: its fields are checked by the core, which says what is missing. */
export const taskState = stored({});
