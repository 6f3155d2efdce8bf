import { writeSync } from "node:fs";
import { isNotRead, redactDeep, redactSecrets, type Safe, safeJson } from "../../core/redact/secrets.ts";
import { errorCode } from "../../files/system-failure.ts";
import type { Answer } from "./event.ts";

/** Writes a hook's answer, for the model and the summariser, to stdout: through redaction, as the last step. `true`: all of it. */
export function printHookAnswer(answer: Answer, log: (reason: string) => void): boolean {
	const { text, isCut } = redactHookAnswer(answer);
	if (isCut) log("redaction rules are not loaded: the answer was left out");
	return text !== null && printLine(text);
}

/**
 * Writes an answer that passed the gate, or what only the user's terminal shows: the status line, with what the user's own command gave. Not through
 * `process.stdout`, whose set-up costs 12 ms of start-up (measured on Bun 1.4.5). A reader that went away is no failure: `false` then.
 */
export function printLine(text: Safe | Uint8Array): boolean {
	const bytes = Buffer.concat([typeof text === "string" ? Buffer.from(text) : text, Buffer.from("\n")]);
	for (let at = 0; at < bytes.length; ) {
		const count = whenReady(() => writeSync(1, bytes, at));
		if (count === null) return false;
		at += count;
	}
	return true;
}

/** What a call on a pipe gives, once the pipe has something or has room; `null` where it fails. */
export function whenReady(call: () => number): number | null {
	for (;;) {
		try {
			return call();
		} catch (error) {
			if (errorCode(error) !== "EAGAIN") return null;
			Bun.sleepSync(1);
		}
	}
}

type Fields = Record<string, unknown>;

/** Only words that ccg itself writes there. */
const PROTOCOL: Record<string, readonly unknown[]> = {
	hookEventName: ["SessionStart", "PreToolUse", "PostToolUse", "UserPromptSubmit"],
	permissionDecision: ["deny"],
};
const NO_REASON =
	"ccg holds back changes at critical pressure until a task checkpoint is written (`ccg task checkpoint`). " +
	"More is not told here: ccg's redaction rules could not be loaded (`ccg doctor`).";

/**
 * A hook's answer with secrets out of its texts; `text` is `null` where nothing is left to say, `isCut`: something is left out,
 * since the rules to look through it are not there. The protocol's own words stay, whatever a variable of the environment holds:
 * without them Claude Code takes the answer for none, and a denial would let the call through.
 */
export function redactHookAnswer(answer: Answer): { text: Safe | null; isCut: boolean } {
	let isCut = false;
	const clean = (fields: Fields): Fields => {
		const kept = Object.entries(fields).flatMap(([name, value]) => {
			if (PROTOCOL[name]?.includes(value)) return [[name, value]];
			const read = isFields(value) ? clean(value) : redactDeep({ [name]: value })[name];
			isCut ||= isNotRead(read);
			return isNotRead(read) ? [] : [[name, read]];
		});
		return Object.fromEntries(kept);
	};
	if (typeof answer === "string") {
		const text = redactSecrets(answer);
		return isNotRead(text) ? { text: null, isCut: true } : { text, isCut };
	}
	const kept = clean(answer);
	const output = kept.hookSpecificOutput as Fields | undefined;
	if (output?.permissionDecision) output.permissionDecisionReason ??= NO_REASON;
	// more than the name of the event
	const says = [...Object.keys(kept), ...Object.keys(output ?? {})].some((name) => !name.startsWith("hook"));
	// (each field was looked through above)
	return { text: says ? safeJson<Fields>({}, kept) : null, isCut };
}

const isFields = (value: unknown): value is Fields =>
	value !== null && typeof value === "object" && !Array.isArray(value);
