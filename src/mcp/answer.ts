import { exact, redactSecrets, type Safe, safely, safePart } from "../core/redact/secrets.ts";
import { forModel } from "../core/text/text.ts";
import { whyOf } from "../files/system-failure.ts";

/** Longer than any answer is meant to be: what a note or a checkpoint holds may be of any length. */
const MOST = 40_000;

/** The gate of the MCP server: all text it answers with, its own words and errors too. */
function passGate(text: string): Safe {
	// what is not seen could part a secret: it goes first
	const clean = redactSecrets(forModel(text));
	return clean.length <= MOST
		? clean
		: safely`${safePart(clean, 0, MOST)}\n… ${exact(`${clean.length - MOST}`)} more characters`;
}

/** A tool's answer. */
export const toolAnswer = (text: string) => ({ content: [{ type: "text" as const, text: passGate(text) }] });

/** A tool's failure, in words the model can act on. */
export const failureAnswer = (error: unknown) => ({ ...toolAnswer(`ccg: ${failureWords(error)}`), isError: true });

export const failureWords = (error: unknown): Safe => passGate(whyOf(error).slice(0, 2_000));
