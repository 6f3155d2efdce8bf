import { readSync } from "node:fs";
import { type HookInput, MAX_INPUT_BYTES, parseHookInput } from "../../claude/hook-input.ts";
import { keepOut } from "../../core/redact/secrets.ts";
import { quietJson } from "../../core/transcript/quiet-json.ts";
import { quietly } from "../../files/quietly.ts";
import { failureText } from "../../files/system-failure.ts";
import { launcherPath } from "../../install/launcher.ts";
import { pluginFolders, registeredLauncher } from "../../install/plugin/plugin-folders.ts";
import { loadConfig } from "../../store/config/config.ts";
import { logFailure } from "../../store/failure-log.ts";
import { ownVariables } from "../../store/own-variables.ts";
import { isSessionId, NO_STORE, storeRoot } from "../../store/paths.ts";
import { refuseStoreLinks } from "../../store/refuse-links.ts";
import { sessionAt, tellOnce } from "../../store/session-handle.ts";
import { budgetOf, type EventHandler } from "./event.ts";
import { printHookAnswer } from "./print.ts";

/**
 * Runs one hook: reads stdin, calls the handler, prints its answer. Whatever happens the process ends 0, and a failure
 * is one line in the log. A plugin's hook does nothing beside an installation in the settings. Subagents are passed over
 * (they share the parent's session id and transcript). `unread` answers for a large input that can't be parsed, of which
 * only the session is known.
 */
export async function runHook(name: string, handler: EventHandler, unread?: EventHandler): Promise<void> {
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
		const plugin = pluginFolders(process.argv.slice(2), env);
		if (plugin && registeredLauncher(env, started ?? "/")) return;
		const bytes = await readStdin();
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
		if (input.cut) fail(`input is too long: ${input.cut.join("; ")}`);
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

/** Broken JSON of this size was made to be too large, or of too many parts. */
const LARGE_BYTES = 64 * 1024;

const PAUSE_MS = 100;
/** So long the next piece of an object is waited for; before the first one Claude Code's own time limit counts. */
const MAX_MS = 5_000;

/**
 * All of stdin, up to just beyond what is parsed; an object that is complete is all, its end need not come. Most inputs are read at once:
 * waiting for more takes a stream, and 2 ms to set it up.
 */
export async function readStdin(max = MAX_INPUT_BYTES + 1): Promise<Uint8Array> {
	const first = Buffer.allocUnsafe(64 * 1024);
	const count = quietly(() => readSync(0, first, 0, first.length, null)) ?? 0;
	const read: Uint8Array[] = [first.subarray(0, count)];
	const whole = count < first.length ? objectIn(read) : null;
	return whole ?? readRest(read, max);
}

async function readRest(read: Uint8Array[], max: number): Promise<Uint8Array> {
	let late = performance.now() + MAX_MS;
	const stdin = Bun.stdin.stream().getReader();
	let [next, total, whole, isNew] = [stdin.read(), 0, null as Uint8Array | null, true];
	while (total < max && performance.now() < late && !whole) {
		const pause = new Promise<null>((resolve) => setTimeout(resolve, PAUSE_MS, null).unref());
		const piece = await Promise.race([next, pause]);
		if (piece?.done) break;
		if (!piece && isNew) whole = objectIn(read);
		isNew = piece !== null;
		if (!piece) continue;
		read.push(piece.value);
		total += piece.value.length;
		next = stdin.read();
		late = performance.now() + MAX_MS;
	}
	// it would keep this process
	void stdin.cancel();
	return whole ?? Buffer.concat(read);
}

/** What was read, up to the end of its object; `null` where that is still to come. */
function objectIn(read: Uint8Array[]): Buffer | null {
	const text = Buffer.concat(read).toString("utf8");
	const object = text.slice(0, text.lastIndexOf("}") + 1);
	return quietJson(object) === undefined ? null : Buffer.from(object);
}
