import { existsSync, statSync } from "node:fs";
import { parseStatusLine, type StatusLineInput } from "../claude/status-line-input.ts";
import type { Pressure } from "../core/pressure/pressure.ts";
import { statusText } from "../core/pressure/status-text.ts";
import { quietly, writeFileAtomic } from "../store/atomic-write.ts";
import { type Config, loadConfig } from "../store/config.ts";
import { logFailure } from "../store/failure-log.ts";
import { guardStore } from "../store/guard.ts";
import { markerState } from "../store/marker.ts";
import { type Env, sessionPaths, storeRoot } from "../store/paths.ts";
import { onStoreProblem } from "../store/problems.ts";
import { refuseOpenStore } from "../store/store-owner.ts";
import { measure } from "./measure.ts";
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
	const root = storeRoot(env);
	const input = parseStatusLine(bytes);
	const { config } = loadConfig(root && isSafe(root) ? root : null, {
		sid: input?.sid ?? undefined,
		folder: input?.projectDir,
	});
	const other = wrapped ? runWrapped(wrapped, bytes, env, config.statusLine.wrappedTimeoutMs) : null;
	const own = ownLine(input, bytes.length, { root, config, env, now });
	const above = withoutLastFeeds(await other);
	return above ? `${above}\n${own}` : own;
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

interface Place {
	root: string | null;
	config: Config;
	env: Env;
	now: Date;
}

function ownLine(input: StatusLineInput | null, size: number, { root, config, env, now }: Place): string {
	let pressure: Pressure | null = null;
	const sid = input?.sid ?? undefined;
	try {
		if (!input) throw new Error(`input of ${size} bytes is not JSON`);
		if (!root) throw new Error("neither CCG_HOME nor HOME is set");
		if (sid && input.model && !input.agent) {
			guardStore(root, sid, { flat: true });
			// one line a refresh would bury all others: `ccg doctor` names what stays
			onStoreProblem(({ text, lasting }) => lasting || logFailure(root, "statusline", text, sid));
			// one that tells no tokens feeds nothing: the transcript's reader goes on
			if (input.tokens !== null) quietlySeen(root, sid);
			pressure = measure(root, config, env, now, {
				sid,
				source: "status line",
				tokens: input.tokens,
				model: input.model,
				reportedWindow: reportedWindow(input),
				claudeVersion: input.version,
				cwd: input.cwd,
				projectDir: input.projectDir || "/",
				transcriptPath: input.transcriptPath,
			});
		}
	} catch (error) {
		logFailure(root, "statusline", error, sid);
	}
	const age = (path: string): number | null => ageOf(path, now);
	const paths = root && sid ? sessionPaths(root, sid) : null;
	return statusText(
		{
			modelName: input?.modelName ?? null,
			pressure,
			cycle: root && sid ? markerState(root, sid) : "none",
			checkpointMs: paths && age(paths.latest),
			failureMs: paths && age(paths.failure),
		},
		Math.max(0, Number(env.COLUMNS) || 0),
		!env.NO_COLOR,
	);
}

/** Some versions report 200,000 on a session with a larger window: more tokens than that prove it wrong. */
function reportedWindow({ window, tokens }: StatusLineInput): number | null {
	return window !== null && tokens !== null && tokens > window ? null : window;
}

/** Tells the guard of the transcript reader that this session has a status line. */
function quietlySeen(root: string, sid: string): void {
	const path = sessionPaths(root, sid).statusLineSeen;
	if (ageOf(path, new Date()) === null) quietly(() => writeFileAtomic(path, "", { sync: false }));
}

function ageOf(path: string, now: Date): number | null {
	// a file that is not there is the usual case: asked for without an error thrown
	if (!existsSync(path)) return null;
	try {
		return now.getTime() - statSync(path).mtimeMs;
	} catch {
		return null;
	}
}
