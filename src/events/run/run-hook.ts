import { readSync } from "node:fs";
import { type HookInput, MAX_INPUT_BYTES, parseHookInput } from "../../claude/hook-input.ts";
import { ownVariables } from "../../claude/machine/own-variables.ts";
import { keepOut } from "../../core/redact/secrets.ts";
import { quietJson } from "../../core/transcript/quiet-json.ts";
import { failureText } from "../../files/system-failure.ts";
import { launcherPath } from "../../install/launcher.ts";
import { loadConfig } from "../../store/config.ts";
import { logFailure } from "../../store/failure-log.ts";
import { isSessionId, NO_STORE, storeRoot } from "../../store/paths.ts";
import { refuseStoreLinks } from "../../store/refuse-links.ts";
import { sessionAt, tellOnce } from "../../store/session-handle.ts";
import { budgetOf, type EventHandler } from "./event.ts";
import { printHookAnswer, whenReady } from "./print.ts";

/**
 * Runs one hook: reads stdin, calls the handler, prints its answer. Whatever happens the process ends 0, and a failure
 * is one line in the log. A plugin's hook does nothing beside an installation in the settings. Subagents are passed over
 * (they share the parent's session id and transcript). `unread` answers for a large input that can't be parsed, of which
 * only the session is known.
 */
export function runHook(name: string, handler: EventHandler, unread?: EventHandler): void {
	const { env } = process;
	const started = env.CLAUDE_PROJECT_DIR || env.CCG_CWD;
	const root = storeRoot(env);
	keepOut(ownVariables(env, started));
	let sid: string | undefined;
	let lost = false;
	// without a writable store every step fails for one reason, and a transcript fails several parts: it is told once
	const tell = tellOnce((problem) => {
		if (!lost) lost = !logFailure(root, name, problem, sid);
	});
	const fail = (reason: unknown): void => tell(failureText(reason));
	try {
		const plugins = process.argv.at(-1) === "plugin" ? loadPlugins() : null;
		const plugin = plugins?.pluginFolders(process.argv.slice(2), env) ?? null;
		if (plugin && plugins?.registeredLauncher(env, started ?? "/")) return;
		const bytes = readStdin();
		let input: HookInput;
		let cause: unknown;
		try {
			input = parseHookInput(bytes, started ?? "/");
		} catch (error) {
			if (!unread || bytes.length < LARGE_BYTES) throw error;
			input = { session_id: env.CLAUDE_CODE_SESSION_ID };
			cause = error;
		}
		if (!isSessionId(input.session_id)) throw new Error("input has no usable session_id");
		sid = input.session_id;
		// (the end of a subagent is told to the main thread)
		if (input.agent_id !== undefined && name !== "subagent-stop") return;
		if (!root) throw new Error(NO_STORE);
		refuseStoreLinks(root, sid);
		const afterwards: (() => void)[] = [];
		const { config } = loadConfig(root, { sid, folder: env.CLAUDE_PROJECT_DIR ?? input.cwd });
		const answer = (cause && unread ? unread : handler)({
			input: { ...input, session_id: sid },
			session: sessionAt({ root, tell }, sid),
			folder: env.CLAUDE_PROJECT_DIR || input.cwd || "",
			env,
			root,
			tell,
			config,
			now: new Date(),
			launcher: launcherPath(),
			plugin,
			budget: budgetOf(),
			whenPrinted: (act) => void afterwards.push(act),
			log: fail,
		});
		const isPrinted = answer ? printHookAnswer(answer, fail) : null;
		if (isPrinted !== false) for (const act of afterwards) act();
		if (!isPrinted && cause) fail(cause);
	} catch (error) {
		fail(error);
	}
}

/** What a plugin's hooks alone need, in a bundle of its own. */
const loadPlugins = (
	file = `${import.meta.dirname}/../../install/plugin/plugin-folders`,
): typeof import("../../install/plugin/plugin-folders.ts") => require(file);

/** Broken JSON of this size was made to be too large, or of too many parts. */
const LARGE_BYTES = 64 * 1024;

/** Read at once. */
const PIECE = 64 * 1024;

/** All of stdin, up to just beyond what is parsed. An object that is complete is all: a client may keep the pipe open. */
export function readStdin(): Uint8Array {
	const read: Buffer[] = [];
	const piece = Buffer.allocUnsafe(PIECE);
	for (let total = 0; total <= MAX_INPUT_BYTES; ) {
		// not through a stream, whose set-up costs 2 ms
		const count = whenReady(() => readSync(0, piece, 0, piece.length, null)) ?? 0;
		if (count === 0) break;
		read.push(Buffer.from(piece.subarray(0, count)));
		total += count;
		if (count < PIECE && isWhole(Buffer.concat(read).toString("utf8").trimEnd())) break;
	}
	return Buffer.concat(read);
}

const isWhole = (text: string): boolean => text.endsWith("}") && quietJson(text) !== undefined;
