import { existsSync } from "node:fs";
import { statusLinePadding } from "../../claude/machine/compaction-settings.ts";
import { withoutRepositoryVariables } from "../../claude/machine/own-variables.ts";
import { parseStatusLine, type StatusLineInput } from "../../claude/status-line-input.ts";
import type { Config } from "../../core/config/config.ts";
import { paintText, statusLineColumns, statusText } from "../../core/pressure/status-parts.ts";
import { knownSafe, mapSafe, redactSecrets, registerEnvironmentSecrets } from "../../core/redact/secrets.ts";
import { trimEndSigns } from "../../core/text/text.ts";
import { readText } from "../../files/json-file.ts";
import { tryOrLog, tryOrUndefined } from "../../files/quietly.ts";
import { launcherPath } from "../../install/launcher.ts";
import { loadConfig } from "../../store/config.ts";
import { loadFailureFinder, logFailure } from "../../store/failure-log.ts";
import { writeText } from "../../store/gate.ts";
import { type Env, NO_STORE, sessionPaths, storeRoot } from "../../store/paths.ts";
import { refuseStoreLinks, refuseUnsafeStore } from "../../store/refuse-links.ts";
import { readKnownCycle } from "../../store/session/cycles.ts";
import { reportOnce, type Store, sessionHandle } from "../../store/session-handle.ts";
import { printLine } from "../run/print.ts";
import { startHighUseSave } from "../steps/beside.ts";
import { type Measured, recordMeasurement, sessionTrigger } from "../steps/measure.ts";
import { runWrapped } from "./wrapped-status-line.ts";

/** Runs the status line once: always prints a line, always ends 0. `args`: `--wrap COMMAND`, the user's own status line. */
export async function runStatusLine(readStdin: () => Uint8Array, args: readonly string[]): Promise<void> {
	const [option, command = null] = args;
	try {
		const wrapped = option === "--wrap" ? command : null;
		printLine(Buffer.from(await makeStatusLine(readStdin(), process.env, wrapped)));
	} catch (error) {
		logFailure(storeRoot(process.env), "statusline", error);
		printLine(Buffer.from("ccg"));
	}
	process.exit(0);
}

/**
 * Measures the session and gives the lines to print: those of the `wrapped` command first, then ccg's own. It measures before the command
 * has ended, as Claude Code may cancel the run.
 */
export async function makeStatusLine(
	bytes: Uint8Array,
	env: Env,
	wrapped: string | null,
	now = new Date(),
): Promise<string> {
	const input = parseStatusLine(bytes);
	const root = storeRoot(env);
	registerEnvironmentSecrets(
		withoutRepositoryVariables(env, env.CLAUDE_PROJECT_DIR || input?.projectDir || env.CCG_CWD),
	);
	const sid = input?.sid ?? undefined;
	const onProblem = reportOnce((problem) => logFailure(root, "statusline", problem, sid));
	// a store that others may write to gives no configuration
	const safeRoot = tryOrUndefined(() => root && refuseUnsafeStore(root)) ?? null;
	const { config } = loadConfig(safeRoot, { sid, folder: input?.projectDir });
	const wrappedOutput = wrapped ? runWrapped(wrapped, bytes, env) : null;
	const store = root ? { root, onProblem } : null;
	const { pressure, padding, compactions, moment } = measureInput(input, bytes.length, store, { config, env, now });
	const above = trimEndSigns((await wrappedOutput) ?? "", "\n");
	const hasFailed = root !== null && sid !== undefined && hasRecentFailure(root, sid, now);
	const cacheMs = config.statusLine.cacheClock ? msToCacheEnd(input, now) : null;
	const facts = { pressure, cycle: pressure?.nudge ?? "none", hasFailed, compactions, cacheMs, moment } as const;
	const columns = statusLineColumns(Number(env.COLUMNS), padding);
	// the model's name alone is not ccg's: the whole line would load the rules at each change
	const own = mapSafe(redactSecrets(input?.modelName ?? ""), (modelName) =>
		statusText({ modelName, ...facts }, columns, env.NO_COLOR ? String : paintText),
	);
	if (root && pressure && input!.tokens !== null)
		writeIfChanged(sessionPaths(root, input!.sid!).statusLine, knownSafe`${own}\n`);
	return above ? `${above}\n${own}` : own;
}

/** Keeps the status line in a file, which bin/ccg prints where Bun can't start. Most refreshes change nothing. */
function writeIfChanged(path: string, line: string): void {
	if (readText(path) !== line) tryOrUndefined(() => writeText(path, line, { sync: false }));
}

/** Records the status line's measurement; gives the pressure (`null`: none was measured) and the padding of the registered status line. */
function measureInput(
	input: StatusLineInput | null,
	inputBytes: number,
	store: Store | null,
	context: { config: Config; env: Env; now: Date },
): { pressure: Measured | null; padding: number; compactions: number; moment: boolean } {
	const sid = input?.sid ?? undefined;
	let [padding, compactions, moment] = [0, 0, false];
	const measureSession = (): Measured | null => {
		if (!input) throw new Error(`input of ${inputBytes} bytes is not JSON`);
		if (!store) throw new Error(NO_STORE);
		const { tokens, model, cwd, transcriptPath, version: claudeVersion } = input;
		if (!sid || !model || input.agent) return null;
		refuseStoreLinks(store.root, sid);
		const session = sessionHandle(store, sid);
		// the file says that a status line measures; without tokens it does not, and hooks do it
		if (tokens !== null && !existsSync(session.paths.statusLine)) writeIfChanged(session.paths.statusLine, "");
		const projectDir = input.projectDir || "/";
		const cycleBefore = readKnownCycle(session);
		compactions = cycleBefore.compactions ?? 0;
		moment = tokens !== null && tokens === cycleBefore.moment;
		const storeContext = { ...store, ...context };
		// some versions report 200,000 for a larger window: more tokens than that prove it wrong
		const window = input.window !== null && tokens !== null && tokens > input.window ? null : input.window;
		const trigger = sessionTrigger(storeContext, session, projectDir, { model, claudeVersion }, window);
		padding = statusLinePadding(trigger.scopes);
		const measured = { source: "status line", tokens, model, claudeVersion, cwd, transcriptPath } as const;
		const pressure = recordMeasurement(session, storeContext, { ...measured, cycleBefore, trigger });
		if (pressure.needsCheckpoint) startHighUseSave({ env: context.env, launcher: launcherPath() }, session);
		return pressure;
	};
	const pressure = tryOrLog((reason) => logFailure(store?.root ?? null, "statusline", reason, sid), measureSession);
	return { pressure, padding, compactions, moment };
}

/** How long the prompt cache still lives, in its last fifth; `null` before, after, and where the client does not tell. */
function msToCacheEnd(input: StatusLineInput | null, now: Date): number | null {
	if (!input?.cache) return null;
	const left = input.cache.expires - now.getTime();
	return left > 0 && left <= (input.cache.isLong ? 720_000 : 60_000) ? left : null;
}

/** Whether a hook of the session failed in the last hours. */
function hasRecentFailure(root: string, sid: string, now: Date): boolean {
	const failure = loadFailureFinder(root)(sid);
	return failure !== null && now.getTime() - Date.parse(failure.at) < RECENT_MS;
}

const RECENT_MS = 6 * 3600_000;
