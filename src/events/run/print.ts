import { writeSync } from "node:fs";
import { isNotReadMarker, redactDeep, redactSecrets, type Safe, safeJson } from "../../core/redact/secrets.ts";
import { errorCode } from "../../files/system-failure.ts";
import type { Answer } from "./event.ts";

/** Redacts a hook's answer and writes it to stdout, for Claude Code. Gives whether all of it was written. */
export function printHookAnswer(answer: Answer, log: (reason: string) => void): boolean {
	const { text, isCut } = redactHookAnswer(answer);
	if (isCut) log("redaction rules are not loaded: the answer was left out");
	return text !== null && printLine(text);
}

/**
 * Writes a line to stdout: a redacted answer, or bytes for the user's terminal alone, which need no redaction. `false` where nobody reads it.
 * Not through `process.stdout`, whose set-up costs 12 ms of start-up (measured on Bun 1.4.5).
 */
export function printLine(text: Safe | Uint8Array): boolean {
	const bytes = Buffer.concat([typeof text === "string" ? Buffer.from(text) : text, Buffer.from("\n")]);
	for (let at = 0; at < bytes.length; ) {
		const count = retryUntilReady(() => writeSync(1, bytes, at));
		if (count === null) return false;
		at += count;
	}
	return true;
}

/** Repeats a read or write on a pipe until the pipe is ready, and gives its result; `null` where it fails. */
export function retryUntilReady(call: () => number): number | null {
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

/** The words of Claude Code's protocol that ccg writes, by field. */
const PROTOCOL: Record<string, readonly unknown[]> = {
	hookEventName: ["SessionStart", "PreToolUse", "PostToolUse", "UserPromptSubmit"],
	permissionDecision: ["deny"],
};
const NO_REASON =
	"ccg holds back changes at critical pressure until a task checkpoint is written (`ccg task checkpoint`). " +
	"More is not told here: ccg's redaction rules could not be loaded (`ccg doctor`).";

/**
 * Takes secrets out of a hook's answer. `text`: the answer to print, `null` where nothing is left; `isCut`: fields were left out, since the
 * redaction rules could not be loaded. The words of the protocol always stay: without them a denial would let the call through.
 */
export function redactHookAnswer(answer: Answer): { text: Safe | null; isCut: boolean } {
	let isCut = false;
	const clean = (fields: Fields): Fields => {
		const kept = Object.entries(fields).flatMap(([name, value]) => {
			if (PROTOCOL[name]?.includes(value)) return [[name, value]];
			const redacted = isFields(value) ? clean(value) : redactDeep({ [name]: value })[name];
			isCut ||= isNotReadMarker(redacted);
			return isNotReadMarker(redacted) ? [] : [[name, redacted]];
		});
		return Object.fromEntries(kept);
	};
	if (typeof answer === "string") {
		const text = redactSecrets(answer);
		return isNotReadMarker(text) ? { text: null, isCut: true } : { text, isCut };
	}
	const kept = clean(answer);
	const output = kept.hookSpecificOutput as Fields | undefined;
	if (output?.permissionDecision) output.permissionDecisionReason ??= NO_REASON;
	const saysMoreThanEvent = [...Object.keys(kept), ...Object.keys(output ?? {})].some(
		(name) => !name.startsWith("hook"),
	);
	// (`{}`: each field was redacted above)
	return { text: saysMoreThanEvent ? safeJson<Fields>({}, kept) : null, isCut };
}

/** Whether a value of an answer is itself an object with fields. */
const isFields = (value: unknown): value is Fields =>
	value !== null && typeof value === "object" && !Array.isArray(value);
