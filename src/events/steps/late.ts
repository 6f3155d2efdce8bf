import { existsSync } from "node:fs";
import { join } from "node:path";
import { own } from "../../install/plugin/plugin-folders.ts";
import type { Hook } from "../run/event.ts";

type Told = typeof import("./behind-compaction.ts");
type Judge = typeof import("../../guard/judge.ts");

// bundles of their own, by paths that the bundler does not see through: an entry names those it may load
const load = {
	told: (file = join(import.meta.dirname, "./behind-compaction.ts")): Told => require(file),
	judge: (file = join(import.meta.dirname, "../../guard/judge.ts")): Judge => require(file),
};

/** Says where the bundles lie that an entry loads when they are needed. */
export const lateFrom = (bundles: Partial<typeof load & typeof own>): void =>
	void Object.assign(own, Object.assign(load, bundles));

/** What is told behind a compaction, loaded when there is something to tell. */
export const late = (): Told => load.told();

/** What decides whether a call may change something, loaded at a stop. A nudge comes by here too. */
export const judge = (): Judge => load.judge();

/** What a compaction or a restore left to tell with this event: `text` to the model, `line` to the user. */
export const dueFollowUp = (hook: Hook): { text: string | null; line: string | null } =>
	existsSync(hook.session.paths.followUpMarker) ? late().injectFollowUp(hook) : { text: null, line: null };
