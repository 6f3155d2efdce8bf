import { writeSync } from "node:fs";
import { redactAnswer } from "./redact-answer.ts";

/** Writes a hook's answer, for the model and the summariser, to stdout: through redaction, as the last step. */
export function print(answer: string, log: (reason: string) => void): void {
	const { text, isCut } = redactAnswer(answer);
	if (text !== null) printLine(text);
	if (isCut) log("redaction rules are not loaded: the answer was left out");
}

/**
 * Writes what only the user's terminal shows, as it is: the status line, with what the user's own command gave. Not through
 * `process.stdout`, whose set-up costs 12 ms of start-up (measured on Bun 1.4.5). A reader that went away is no failure.
 */
export function printLine(text: string): void {
	const bytes = Buffer.from(`${text}\n`);
	for (let at = 0; at < bytes.length; ) {
		try {
			at += writeSync(1, bytes, at);
		} catch (error) {
			if ((error as { code?: string }).code !== "EAGAIN") return;
			Bun.sleepSync(1);
		}
	}
}
