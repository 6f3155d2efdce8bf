import { existsSync } from "node:fs";
import type { Hook } from "../run/event.ts";

type Told = typeof import("./behind-compaction.ts");
type Judge = typeof import("../../guard/judge.ts");

// bundles of their own, by paths that the bundler does not see through

/** What is told behind a compaction, loaded when there is something to tell. */
export const late = (file = `${import.meta.dirname}/behind-compaction`): Told => require(file);

/** What decides whether a call may change something, loaded at a stop. A nudge comes by here too. */
export const loadJudge = (file = `${import.meta.dirname}/../../guard/judge`): Judge => require(file);

/** What a compaction or a restore left to tell with this event: `text` to the model, `line` to the user. */
export const dueFollowUp = (hook: Hook): { text: string | null; line: string | null } =>
	existsSync(hook.session.paths.followUpMarker) ? late().injectFollowUp(hook) : { text: null, line: null };
