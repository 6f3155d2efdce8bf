import { readSync } from "node:fs";
import { type HookInput, MAX_INPUT_BYTES, parseHookInput } from "../../claude/hook-input.ts";
import { withoutRepositoryVariables } from "../../claude/machine/own-variables.ts";
import { registerEnvironmentSecrets } from "../../core/redact/secrets.ts";
import { parseBoundedJson } from "../../core/transcript/quiet-json.ts";
import { failureText } from "../../files/system-failure.ts";
import { launcherPath } from "../../install/launcher.ts";
import { loadConfig } from "../../store/config.ts";
import { logFailure } from "../../store/failure-log.ts";
import { isSessionId, NO_STORE, storeRoot } from "../../store/paths.ts";
import { refuseStoreLinks } from "../../store/refuse-links.ts";
import { reportOnce, sessionHandle } from "../../store/session-handle.ts";
import { type EventHandler, processBudget } from "./event.ts";
import { printHookAnswer, retryUntilReady } from "./print.ts";

/**
 * Runs one hook: reads stdin, calls the handler, prints its answer. It never throws; a failure is one line in the log. A plugin's hook does
 * nothing where ccg is installed in the settings too. A subagent's events are ignored, but for its end: it has the session id and transcript
 * of the main thread. `handlerForUnread` answers for a large input that can't be parsed, of which only the session is known.
 */
export function runHook(name: string, handler: EventHandler, handlerForUnread?: EventHandler): void {
	const { env } = process;
	const startFolder = env.CLAUDE_PROJECT_DIR || env.CCG_CWD;
	const root = storeRoot(env);
	registerEnvironmentSecrets(withoutRepositoryVariables(env, startFolder));
	let sid: string | undefined;
	let isLogLost = false;
	// once each: without a writable store all steps fail for one reason
	const onProblem = reportOnce((problem) => {
		if (!isLogLost) isLogLost = !logFailure(root, name, problem, sid);
	});
	const fail = (reason: unknown): void => onProblem(failureText(reason));
	try {
		const plugins = process.argv.at(-1) === "plugin" ? loadPluginBundle() : null;
		const plugin = plugins?.pluginFolders(process.argv.slice(2), env) ?? null;
		if (plugin && plugins?.registeredLauncher(env, startFolder ?? "/")) return;
		const bytes = readStdin();
		let input: HookInput;
		let parseError: unknown;
		try {
			input = parseHookInput(bytes, startFolder ?? "/");
		} catch (error) {
			if (!handlerForUnread || bytes.length < LARGE_BYTES) throw error;
			input = { session_id: env.CLAUDE_CODE_SESSION_ID };
			parseError = error;
		}
		if (!isSessionId(input.session_id)) throw new Error("input has no usable session_id");
		sid = input.session_id;
		if (input.agent_id !== undefined && name !== "subagent-stop") return;
		if (!root) throw new Error(NO_STORE);
		refuseStoreLinks(root, sid);
		const afterwards: (() => void)[] = [];
		const { config } = loadConfig(root, { sid, folder: env.CLAUDE_PROJECT_DIR ?? input.cwd });
		const answer = (parseError && handlerForUnread ? handlerForUnread : handler)({
			input: { ...input, session_id: sid },
			session: sessionHandle({ root, onProblem }, sid),
			folder: env.CLAUDE_PROJECT_DIR || input.cwd || "",
			env,
			root,
			onProblem,
			config,
			now: new Date(),
			launcher: launcherPath(),
			plugin,
			budget: processBudget(),
			whenPrinted: (act) => void afterwards.push(act),
			log: fail,
		});
		const isPrinted = answer ? printHookAnswer(answer, fail) : null;
		if (isPrinted !== false) for (const act of afterwards) act();
		if (!isPrinted && parseError) fail(parseError);
	} catch (error) {
		fail(error);
	}
}

/** Loads what only the hooks of a plugin need. */
const loadPluginBundle = (
	file = `${import.meta.dirname}/../../install/plugin/plugin-folders`,
): typeof import("../../install/plugin/plugin-folders.ts") => require(file);

/** JSON of this size that can't be parsed may be an attempt to get past the halt gate. */
const LARGE_BYTES = 64 * 1024;

/** Bytes that one read takes. */
const PIECE = 64 * 1024;

/** Reads stdin to its end, to a complete JSON object (a client may keep the pipe open), or to a little more than `MAX_INPUT_BYTES`. */
export function readStdin(): Uint8Array {
	const pieces: Buffer[] = [];
	const piece = Buffer.allocUnsafe(PIECE);
	for (let total = 0; total <= MAX_INPUT_BYTES; ) {
		// not through a stream, whose set-up costs 2 ms
		const count = retryUntilReady(() => readSync(0, piece, 0, piece.length, null)) ?? 0;
		if (count === 0) break;
		pieces.push(Buffer.from(piece.subarray(0, count)));
		total += count;
		if (count < PIECE && isCompleteJson(Buffer.concat(pieces).toString("utf8").trimEnd())) break;
	}
	return Buffer.concat(pieces);
}

/** Whether a text is a JSON object to its last bracket. */
const isCompleteJson = (text: string): boolean => text.endsWith("}") && parseBoundedJson(text) !== undefined;
