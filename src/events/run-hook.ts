import { readSync } from "node:fs";
import { MAX_INPUT_BYTES, parseHookInput } from "../claude/hook-input.ts";
import { keepOut } from "../core/redact/secrets.ts";
import { launcherPath } from "../install/launcher.ts";
import { loadConfig } from "../store/config.ts";
import { logFailure } from "../store/failure-log.ts";
import { guardStore } from "../store/guard.ts";
import { type Env, isSessionId, relativeFolder, storeRoot } from "../store/paths.ts";
import { onStoreProblem } from "../store/problems.ts";
import type { EventHandler, SessionInput } from "./event.ts";
import { print } from "./print.ts";

/**
 * Runs one hook: reads stdin, calls the handler, prints its answer. Whatever happens the process ends 0, and a failure is
 * one line in the log. Subagents are passed over (they share the parent's session id and transcript).
 */
export function runHook(name: string, handler: EventHandler): void {
	keepOut(process.env);
	const root = storeRoot(process.env);
	let sid: string | undefined;
	let lost = false;
	// without a writable store every step fails for one reason: it is told once
	const fail = (reason: unknown): void => {
		if (!lost) lost = !logFailure(root, name, reason, sid);
	};
	try {
		const input = parseHookInput(readStdin());
		if (!isSessionId(input.session_id)) throw new Error("input has no usable session_id");
		sid = input.session_id;
		if (input.agent_id !== undefined) return;
		if (!root) throw new Error(whyNoStore(process.env));
		guardStore(root, sid);
		onStoreProblem(({ text }) => fail(text));
		const { config, profile } = loadConfig(root, { sid, folder: process.env.CLAUDE_PROJECT_DIR ?? input.cwd });
		const answer = handler(input as SessionInput, {
			env: process.env,
			root,
			config,
			profile,
			now: new Date(),
			launcher: launcherPath(),
			log: fail,
		});
		if (answer) print(answer);
	} catch (error) {
		fail(error);
	}
}

function whyNoStore(env: Env): string {
	const relative = relativeFolder(env);
	return relative ? `${relative} is a relative path` : "neither CCG_HOME nor HOME is set";
}

/** All of stdin, up to just beyond what is parsed. */
export function readStdin(max = MAX_INPUT_BYTES + 1): Uint8Array {
	const chunks: Buffer[] = [];
	let total = 0;
	while (total < max) {
		const chunk = Buffer.allocUnsafe(64 * 1024);
		let count = 0;
		try {
			count = readSync(0, chunk, 0, chunk.length, null);
		} catch (error) {
			const code = (error as { code?: string }).code;
			if (code === "EOF") break;
			if (code === "EAGAIN") {
				Bun.sleepSync(1);
				continue;
			}
			throw error;
		}
		if (count === 0) break;
		total += count;
		chunks.push(chunk.subarray(0, count));
	}
	return Buffer.concat(chunks);
}
