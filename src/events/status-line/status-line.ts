import { existsSync } from "node:fs";
import { compactionScopes, statusLinePadding } from "../../claude/machine/compaction-settings.ts";
import { parseStatusLine, type StatusLineInput } from "../../claude/status-line-input.ts";
import type { Pressure } from "../../core/pressure/pressure.ts";
import { isPreset } from "../../core/pressure/status-format.ts";
import { statusRoom } from "../../core/pressure/status-room.ts";
import { statusText } from "../../core/pressure/status-text.ts";
import { shownAbove } from "../../core/pressure/wrapped-output.ts";
import { launcherPath } from "../../install/launcher.ts";
import { quietly } from "../../store/atomic-write.ts";
import { loadConfig } from "../../store/config/config.ts";
import { logFailure } from "../../store/failure-log.ts";
import { writeText } from "../../store/gate.ts";
import { readText } from "../../store/json-file.ts";
import { type Env, sessionPaths } from "../../store/paths.ts";
import { cycleOf } from "../../store/pressure/marker.ts";
import { tellOnce } from "../../store/problems.ts";
import { storeOutside } from "../../store/project-store.ts";
import { refuseStoreLinks } from "../../store/refuse-links.ts";
import { type Session, sessionAt } from "../../store/session-handle.ts";
import { refuseOpenStore } from "../../store/store-owner.ts";
import { measure } from "../steps/measure.ts";
import { startCheckpoint } from "../steps/start-checkpoint.ts";
import { type StatusPlace, statusFacts } from "./status-facts.ts";
import { runWrapped } from "./wrapped-status-line.ts";

/**
 * One run of the status line: measures, keeps, drops the marker when it is due, and gives the lines to print: the wrapped
 * command's first, then ccg's own. Measuring comes before the wrapped command has ended: Claude Code cancels a run when
 * the next one is due.
 */
export async function statusLine(
	bytes: Uint8Array,
	env: Env,
	wrapped: string | null,
	now = new Date(),
): Promise<string> {
	const input = parseStatusLine(bytes);
	const root = storeOutside(env, [env.CLAUDE_PROJECT_DIR, input?.projectDir]);
	const sid = input?.sid ?? undefined;
	// one line a refresh would bury all others: `ccg doctor` names what stays
	const tell = tellOnce(({ text, lasting }) => lasting || logFailure(root, "statusline", text, sid));
	const { config } = loadConfig(root && isSafe(root) ? root : null, {
		sid,
		folder: input?.projectDir,
		tell,
	});
	const other = wrapped ? runWrapped(wrapped, bytes, env, config.statusLine.wrappedTimeoutMs) : null;
	const place = { store: root ? { root, tell } : null, config, env, now };
	const { pressure, padding } = measured(input, bytes.length, place);
	const facts = statusFacts(input, pressure, place);
	const above = withoutLastFeeds(await other);
	// a template says itself what it wants
	const without = above && isPreset(config.statusLine.format) ? shownAbove(above, facts) : [];
	const room = statusRoom(Number(env.COLUMNS), padding);
	const own = statusText(facts, room, !env.NO_COLOR, { ...config.statusLine, without });
	if (root && pressure) keepLine(sessionPaths(root, input!.sid!).statusLine, `${own}\n`);
	return above ? `${above}\n${own}` : own;
}

/** For bin/ccg, while Bun can't be started. Most refreshes change nothing. */
function keepLine(path: string, line: string): void {
	if (readText(path) !== line) quietly(() => writeText(path, line, { sync: false }));
}

/** What lies in a store that others may write to does not count; why is told when it is written to. */
function isSafe(root: string): boolean {
	try {
		refuseOpenStore(root);
		return true;
	} catch {
		return false;
	}
}

/** Not by a pattern, which would try each of 64,000 line feeds anew. */
function withoutLastFeeds(text: string | null): string {
	let end = text?.length ?? 0;
	while (end > 0 && text?.[end - 1] === "\n") end--;
	return text?.slice(0, end) ?? "";
}

/** The pressure, `null` where nothing was measured, and the padding of the registered status line. */
function measured(
	input: StatusLineInput | null,
	size: number,
	{ store, config, env, now }: StatusPlace,
): { pressure: Pressure | null; padding: number } {
	const sid = input?.sid ?? undefined;
	let padding = 0;
	try {
		if (!input) throw new Error(`input of ${size} bytes is not JSON`);
		if (!store) throw new Error("neither CCG_HOME nor HOME is set");
		if (!sid || !input.model || input.agent) return { pressure: null, padding };
		refuseStoreLinks(store.root, sid, { flat: true });
		// one that tells no tokens feeds nothing: the transcript's reader goes on
		if (input.tokens !== null) quietlySeen(sessionAt(store, sid));
		const projectDir = input.projectDir || "/";
		const cycle = cycleOf(sessionAt(store, sid));
		const scopes = compactionScopes(env, projectDir);
		padding = statusLinePadding(scopes);
		const pressure = measure(store, config, env, now, {
			sid,
			source: "status line",
			tokens: input.tokens,
			model: input.model,
			reportedWindow: reportedWindow(input),
			claudeVersion: input.version,
			cwd: input.cwd,
			projectDir,
			transcriptPath: input.transcriptPath,
			scopes,
			cycle,
			onHighUse: () => startCheckpoint({ root: store.root, env, launcher: launcherPath() }, sid),
		});
		return { pressure, padding };
	} catch (error) {
		logFailure(store?.root ?? null, "statusline", error, sid);
		return { pressure: null, padding };
	}
}

/** Some versions report 200,000 on a session with a larger window: more tokens than that prove it wrong. */
function reportedWindow({ window, tokens }: StatusLineInput): number | null {
	return window !== null && tokens !== null && tokens > window ? null : window;
}

/** Tells the pre-check of the transcript reader that this session has a status line. */
function quietlySeen(session: Session): void {
	const path = session.paths.statusLineSeen;
	if (!existsSync(path)) quietly(() => writeText(path, "", { sync: false }));
}
