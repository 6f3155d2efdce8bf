import { existsSync, rmSync } from "node:fs";
import { MAX_INJECTED_CHARS } from "../core/config/config.ts";
import { counted } from "../core/text/text.ts";
import { attempt } from "../files/quietly.ts";
import { linkPlugin } from "../install/plugin/plugin-folders.ts";
import { othersAtStart } from "../memory/news.ts";
import { startupNotes } from "../memory/start.ts";
import { noteMissed } from "../store/pressure/flags.ts";
import { keepProject, projectOf } from "../store/project.ts";
import { keepProcessSession } from "../store/session/place.ts";
import { type EventHandler, type Hook, hookAnswer } from "./run/event.ts";
import { isDue, startBeside, startSync } from "./steps/beside.ts";
import { loadBehindCompaction } from "./steps/bundles.ts";
import { keepWhere, shellCommand } from "./steps/ccg-command.ts";
import { restoredText } from "./steps/restored.ts";

/** Injects saved memory at a start, and the recovery block after a compaction, on resume and on fork: each once. */
export const sessionStart: EventHandler = (hook) => {
	const { input, session, root, log, env, plugin } = hook;
	const { source } = input;
	// whatever becomes of this run; one that stands may be of another hook of this start, which has told the block by now
	if (source === "compact") attempt(log, () => existsSync(session.paths.followUpMarker) || noteMissed(session));
	else {
		// a status line that runs says so again
		rmSync(session.paths.statusLine, { force: true });
		attempt(log, () => startGc(hook));
	}
	attempt(log, () => keepWhere(hook));
	// at the start of a new session, which has the newest version: a session of before an update does not go back
	if (source === "startup" && plugin && plugin.data !== plugin.root) attempt(log, () => linkPlugin(plugin));
	if (source !== "startup" && source !== "compact") attempt(log, () => keepProcessSession(root, env, session.id));
	if (source === "compact") return hookAnswer("SessionStart", loadBehindCompaction().blockAtStart(hook));
	const line = attempt(log, () => (hook.folder ? movedLine(hook) : null));
	const isResumed = source === "resume" || source === "fork";
	const text = isResumed ? (loadBehindCompaction().blockAtStart(hook) ?? nextRestored(hook)) : withNotes(hook);
	// last: it would take the processor from what somebody waits for
	attempt(log, () => startSync(hook));
	return hookAnswer("SessionStart", text, line);
};

/** For the user: that this folder is a project that was elsewhere, or may be one. The model does not choose whose notes it gets. */
function movedLine(hook: Hook): string | null {
	const { before, like } = keepProject(hook.root, hook.folder);
	if (before) return `ccg: this project was in ${before}; its notes, sessions and checkpoints are here now.`;
	const found = `${counted(like, "project")} with the same remote, whose folder is not there now`;
	return like
		? `ccg remembers ${found}. To go on with its notes, in a terminal: ${shellCommand(hook)} memory adopt`
		: null;
}

/** A checkpoint that was restored for the next session comes first; notes take what room is left. */
function withNotes(hook: Hook): string | null {
	const { folder, now, config } = hook;
	if (!folder) return null;
	const restored = nextRestored(hook);
	const room = restored === null ? MAX_INJECTED_CHARS : MAX_INJECTED_CHARS - restored.length - 2;
	const budget = Math.min(config.startup.maxChars, room);
	const others = attempt(hook.log, () => othersAtStart(hook.session, folder, hook.now)) ?? [];
	const notes = startupNotes(hook, folder, now, { budget, command: () => shellCommand(hook), others });
	return [restored, notes].filter(Boolean).join("\n\n") || null;
}

const nextRestored = (hook: Hook): string | null =>
	attempt(hook.log, () => (hook.folder ? restoredText({ project: projectOf(hook.folder).key }, hook) : null));

const DAY_MS = 86_400_000;

/** Once a day. The first start only sets the clock: a new store has nothing to delete. */
function startGc(hook: Hook): void {
	if (hook.input.source !== "startup" || !hook.config.retention.enabled) return;
	if (isDue(hook, "gc-day", DAY_MS, false)) startBeside(hook, ["gc", "--auto"]);
}
