import { existsSync, rmSync } from "node:fs";
import { MAX_INJECTED_CHARS } from "../core/config/config.ts";
import { leftOpenText } from "../core/session/status.ts";
import { countWithNoun } from "../core/text/text.ts";
import { startDetached } from "../files/on-path.ts";
import { tryOrLog } from "../files/quietly.ts";
import { linkPluginLauncher } from "../install/plugin/plugin-folders.ts";
import { claimStartNotes } from "../memory/news.ts";
import { startupNotes } from "../memory/start.ts";
import { raiseMissedFlag } from "../store/pressure/flags.ts";
import { findProject, registerProject } from "../store/project.ts";
import { keepProcessSession } from "../store/session/place.ts";
import { readLeftOpen } from "../store/session/records.ts";
import { type EventHandler, type Hook, hookAnswer } from "./run/event.ts";
import { claimIfDue, startSync } from "./steps/beside.ts";
import { loadCompactionBundle } from "./steps/bundles.ts";
import { keepLauncherAndProject, shellCommand } from "./steps/ccg-command.ts";
import { claimRestoredText } from "./steps/restored.ts";

/** Injects saved memory at a start, and the recovery block after a compaction, on resume and on fork: each once. */
export const sessionStart: EventHandler = (hook) => {
	const { input, session, root, log, env, plugin } = hook;
	const { source } = input;
	// stands until the block is printed, even if this process is killed; a flag that is up already may name the block of another hook
	if (source === "compact") tryOrLog(log, () => existsSync(session.paths.followUpFlag) || raiseMissedFlag(session));
	else {
		// a status line that runs makes its file again
		rmSync(session.paths.statusLine, { force: true });
		tryOrLog(log, () => startDailyGc(hook));
	}
	tryOrLog(log, () => keepLauncherAndProject(hook));
	// a new session has the newest version; a resumed one may have an older
	if (source === "startup" && plugin && plugin.data !== plugin.root) tryOrLog(log, () => linkPluginLauncher(plugin));
	if (source !== "startup" && source !== "compact") tryOrLog(log, () => keepProcessSession(root, env, session.id));
	if (source === "compact") return hookAnswer("SessionStart", loadCompactionBundle().claimRecoveryBlock(hook));
	const userLine = tryOrLog(log, () => (hook.folder ? movedProjectLine(hook) : null));
	const isResumed = source === "resume" || source === "fork";
	const block = isResumed ? loadCompactionBundle().claimRecoveryBlock(hook) : null;
	const lastLines = isResumed ? null : tryOrLog(log, () => lastSessionLines(hook));
	const text = isResumed ? (block ?? claimProjectRestore(hook)) : startupText(hook, lastLines);
	// last: it takes processor time from this hook, which the user waits for
	tryOrLog(log, () => startSync(hook));
	return hookAnswer("SessionStart", text, userLine ?? (hook.config.recovery.tellUser ? lastLines : null));
};

/** Two lines on what this project's last session left open; `null` where that is nothing. */
function lastSessionLines(hook: Hook): string | null {
	const { folder, now, session } = hook;
	const left = folder ? readLeftOpen(session, findProject(folder).key, now) : null;
	return left && leftOpenText(left, now.toISOString(), shellCommand(hook));
}

/** The line that tells the user that this folder's project was, or may have been, in another folder; `null` where it was not. */
function movedProjectLine(hook: Hook): string | null {
	const { movedFrom: oldFolder, similar: similarProjects } = registerProject(hook.root, hook.folder);
	if (oldFolder) return `ccg: this project was in ${oldFolder}; its notes, sessions and checkpoints are here now.`;
	const found = `${countWithNoun(similarProjects, "project")} with the same remote, whose folder is not there now`;
	return similarProjects
		? `ccg remembers ${found}. To go on with its notes, in a terminal: ${shellCommand(hook)} memory adopt`
		: null;
}

/** What a new session's model gets: a checkpoint restored for it, else what the last one left open; then notes of the project in the room left. */
function startupText(hook: Hook, lastLines: string | null): string | null {
	const { folder, now, config } = hook;
	if (!folder) return null;
	const restored = claimProjectRestore(hook) ?? lastLines;
	const room = restored === null ? MAX_INJECTED_CHARS : MAX_INJECTED_CHARS - restored.length - 2;
	const budget = Math.min(config.startup.maxChars, room);
	const others = tryOrLog(hook.log, () => claimStartNotes(hook.session, folder, hook.now)) ?? [];
	const notes = startupNotes(hook, folder, now, { budget, command: () => shellCommand(hook), others });
	return [restored, notes].filter(Boolean).join("\n\n") || null;
}

/** The text of a checkpoint that a person restored for the project's next session; `null` where none waits. */
const claimProjectRestore = (hook: Hook): string | null =>
	tryOrLog(hook.log, () => (hook.folder ? claimRestoredText({ project: findProject(hook.folder).key }, hook) : null));

const DAY_MS = 86_400_000;

/** Starts the deletion of old data in the background, once a day; not on a new store's first day. */
function startDailyGc(hook: Hook): void {
	if (hook.input.source !== "startup" || !hook.config.retention.enabled) return;
	if (claimIfDue(hook, "gc-day", DAY_MS, { isDueAtFirst: false }))
		startDetached(hook.launcher, ["gc", "--auto"], hook.env);
}
