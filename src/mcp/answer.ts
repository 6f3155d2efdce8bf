import { exact, redactSecrets, type Safe, safely, safePart } from "../core/redact/secrets.ts";
import { forModel } from "../core/text/text.ts";
import { whyOf } from "../files/system-failure.ts";

/** The most characters of an answer; no answer should be so long, but a note or a checkpoint may have any length. */
const MOST = 40_000;

/** Redacts and cuts a text: the gate that all answers of the MCP server pass, errors too. */
function passGate(text: string): Safe {
	// an invisible character could split a secret: those go first
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
