import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Hook } from "../run/event.ts";

type BehindCompaction = typeof import("./behind-compaction.ts");

// a path that the bundler does not see through: the entry names the bundle
let load = (file = join(import.meta.dirname, "./behind-compaction.ts")): BehindCompaction => require(file);

/** Says where an entry's bundle of what is told behind a compaction lies. */
export function lateFrom(loader: () => BehindCompaction): void {
	load = loader;
}

/** What is told behind a compaction, loaded when there is something to tell. */
export const late = (): BehindCompaction => load();

/** What a compaction or a restore left to tell with this event: `text` to the model, `line` to the user. */
export const dueFollowUp = (hook: Hook): { text: string | null; line: string | null } =>
	existsSync(hook.session.paths.followUpMarker) ? late().injectFollowUp(hook) : { text: null, line: null };
