import { rmSync } from "node:fs";
import { MAX_INJECTED_CHARS } from "../core/block/budget.ts";
import { startupNotes } from "../memory/start.ts";
import { removeStaleFlags } from "../store/pressure/flags.ts";
import { projectOf } from "../store/project.ts";
import { keepProcessSession } from "../store/session/place.ts";
import { sessionAt } from "../store/session-handle.ts";
import { additionalContext, attempt, type EventHandler, type Services, type SessionInput } from "./run/event.ts";
import { maintainStore, preparePlugin } from "./steps/beside.ts";
import { keepWhere } from "./steps/ccg-command.ts";
import { late } from "./steps/late.ts";
import { hearPrompt } from "./steps/prompt.ts";
import { restoredText } from "./steps/restored.ts";

/** Injects saved memory at a start, and the recovery block after a compaction, on resume and on fork: each once. */
export const sessionStart: EventHandler = (input, services) => {
	const { root, config, now, log, env } = services;
	if (isLate(input)) return missed(input, services);
	const { source } = input;
	const folder = env.CLAUDE_PROJECT_DIR ?? input.cwd ?? "";
	if (source !== "compact") {
		removeStaleFlags(root, config.marker.staleMinutes * 60_000, now);
		// a status line that runs says so again
		rmSync(sessionAt(services, input.session_id).paths.statusLine, { force: true });
		attempt(log, () => maintainStore(input, services));
	}
	attempt(log, () => keepWhere(input, services));
	if (source === "startup") attempt(log, () => preparePlugin(services));
	if (source !== "startup" && source !== "compact") attempt(log, () => keepProcessSession(root, env, input.session_id));
	if (source === "compact") return answer(late().afterCompaction(input, services));
	if (source === "resume" || source === "fork")
		return answer(late().afterResume(input, services) ?? nextRestored(folder, services));
	return folder ? answer(withNotes(nextRestored(folder, services), folder, services)) : null;
};

const answer = (text: string | null): string | null => (text ? additionalContext("SessionStart", text) : null);

/** A checkpoint that was restored for the next session comes first; notes take what room is left. */
function withNotes(restored: string | null, folder: string, services: Services): string | null {
	const { maxChars } = services.config.startup;
	if (restored === null) return startupNotes(services, folder, services.now, maxChars);
	const room = Math.min(maxChars, MAX_INJECTED_CHARS - restored.length - 2);
	const notes = room < LEAST_NOTES ? null : startupNotes(services, folder, services.now, room);
	return notes ? `${restored}\n\n${notes}` : restored;
}

/** What a start of notes with one of them takes. */
const LEAST_NOTES = 400;

function nextRestored(folder: string, services: Services): string | null {
	let text: string | null = null;
	attempt(services.log, () => {
		text = folder ? restoredText({ project: projectOf(folder).key }, services) : null;
	});
	return text;
}

/** The launcher starts this hook with the next tool call or prompt when it could not start Bun behind a compaction. */
const isLate = ({ hook_event_name: event }: SessionInput): boolean =>
	event === "PreToolUse" || event === "UserPromptSubmit";

function missed(input: SessionInput, services: Services): string | null {
	if (input.hook_event_name === "UserPromptSubmit") hearPrompt(input, services);
	const text = late().afterMissed(input, services);
	return text && additionalContext(input.hook_event_name as "PreToolUse" | "UserPromptSubmit", text);
}
