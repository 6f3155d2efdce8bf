import { existsSync } from "node:fs";
import { statusLinePadding } from "../../claude/machine/compaction-settings.ts";
import { ownVariables } from "../../claude/machine/own-variables.ts";
import { parseStatusLine, type StatusLineInput } from "../../claude/status-line-input.ts";
import type { Config } from "../../core/config/config.ts";
import { paint, statusRoom, statusText } from "../../core/pressure/status-parts.ts";
import { keepOut } from "../../core/redact/secrets.ts";
import { withoutEnd } from "../../core/text/text.ts";
import { readText } from "../../files/json-file.ts";
import { attempt, quietly } from "../../files/quietly.ts";
import { launcherPath } from "../../install/launcher.ts";
import { loadConfig } from "../../store/config.ts";
import { logFailure, readFailures } from "../../store/failure-log.ts";
import { writeText } from "../../store/gate.ts";
import { type Env, NO_STORE, sessionPaths, storeRoot } from "../../store/paths.ts";
import { refuseOpenStore, refuseStoreLinks } from "../../store/refuse-links.ts";
import { cycleOrLast } from "../../store/session/cycles.ts";
import { type Store, sessionAt, tellOnce } from "../../store/session-handle.ts";
import { printLine } from "../run/print.ts";
import { saveBeside } from "../steps/beside.ts";
import { type Measured, measure, triggerOf } from "../steps/measure.ts";
import { outputOf } from "./wrapped-status-line.ts";

/**
 * Runs the status line once: always prints a line, always ends 0. `--wrap COMMAND` names the user's own.
 */
export async function runStatusLine(readStdin: () => Uint8Array, args: readonly string[]): Promise<void> {
	const [how, command = null] = args;
	try {
		const wrapped = how === "--wrap" ? command : null;
		printLine(Buffer.from(await makeStatusLine(readStdin(), process.env, wrapped)));
	} catch (error) {
		logFailure(storeRoot(process.env), "statusline", error);
		printLine(Buffer.from("ccg"));
	}
	process.exit(0);
}

/**
 * One run of the status line: measures, keeps, drops the marker when it is due, and gives the lines to print: the wrapped
 * command's first, then ccg's own. Measuring comes before the wrapped command has ended: Claude Code cancels a run when
 * the next one is due.
 */
export async function makeStatusLine(
	bytes: Uint8Array,
	env: Env,
	wrapped: string | null,
	now = new Date(),
): Promise<string> {
	const input = parseStatusLine(bytes);
	const root = storeRoot(env);
	// the environment's secrets are known from here on
	keepOut(ownVariables(env, env.CLAUDE_PROJECT_DIR || input?.projectDir || env.CCG_CWD));
	const sid = input?.sid ?? undefined;
	const tell = tellOnce((problem) => logFailure(root, "statusline", problem, sid));
	// what lies in a store that others may write to does not count; why is told when it is written to
	const safe = quietly(() => root && refuseOpenStore(root)) ?? null;
	const { config } = loadConfig(safe, { sid, folder: input?.projectDir });
	const other = wrapped ? outputOf(wrapped, bytes, env) : null;
	const store = root ? { root, tell } : null;
	const { pressure, padding } = measureInput(input, bytes.length, store, { config, env, now });
	const above = withoutEnd((await other) ?? "", "\n");
	const own = statusText(
		{
			modelName: input?.modelName ?? null,
			pressure,
			cycle: pressure?.marker ?? "none",
			hasFailed: root !== null && sid !== undefined && hasFailed(root, sid, now),
		},
		statusRoom(Number(env.COLUMNS), padding),
		env.NO_COLOR ? String : paint,
	);
	if (root && pressure && input!.tokens !== null) keepLine(sessionPaths(root, input!.sid!).statusLine, `${own}\n`);
	return above ? `${above}\n${own}` : own;
}

/** For bin/ccg, while Bun can't be started. Most refreshes change nothing. */
function keepLine(path: string, line: string): void {
	if (readText(path) !== line) quietly(() => writeText(path, line, { sync: false }));
}

/** The pressure, `null` where nothing was measured, and the padding of the registered status line. */
function measureInput(
	input: StatusLineInput | null,
	size: number,
	store: Store | null,
	place: { config: Config; env: Env; now: Date },
): { pressure: Measured | null; padding: number } {
	const sid = input?.sid ?? undefined;
	let padding = 0;
	const measureSession = (): Measured | null => {
		if (!input) throw new Error(`input of ${size} bytes is not JSON`);
		if (!store) throw new Error(NO_STORE);
		const { tokens, model, cwd, transcriptPath, version: claudeVersion } = input;
		if (!sid || !model || input.agent) return null;
		refuseStoreLinks(store.root, sid);
		const session = sessionAt(store, sid);
		// one that tells no tokens feeds nothing: the transcript's reader goes on
		if (tokens !== null && !existsSync(session.paths.statusLine)) keepLine(session.paths.statusLine, "");
		const projectDir = input.projectDir || "/";
		const known = cycleOrLast(session);
		const where = { ...store, ...place };
		// some versions report 200,000 on a session with a larger window: more tokens than that prove it wrong
		const window = input.window !== null && tokens !== null && tokens > input.window ? null : input.window;
		const trigger = triggerOf(where, session, projectDir, { model, claudeVersion }, window);
		padding = statusLinePadding(trigger.scopes);
		const seen = { source: "status line", tokens, model, claudeVersion, cwd, transcriptPath } as const;
		const pressure = measure(session, where, { ...seen, known, trigger });
		if (pressure.isHigh) saveBeside({ env: where.env, launcher: launcherPath() }, session);
		return pressure;
	};
	const pressure = attempt((reason) => logFailure(store?.root ?? null, "statusline", reason, sid), measureSession);
	return { pressure, padding };
}

/** Whether a hook of the session failed in the last hours. */
function hasFailed(root: string, sid: string, now: Date): boolean {
	const failure = readFailures(root)(sid);
	return failure !== null && now.getTime() - Date.parse(failure.at) < FAILURE_SHOWN_MS;
}

const FAILURE_SHOWN_MS = 6 * 3600_000;
