import { exact, redactSecrets, type Safe, safeTemplate, sliceSafe } from "../core/redact/secrets.ts";
import { cleanForModel } from "../core/text/text.ts";
import { errorText } from "../files/system-failure.ts";

/** The most characters of an answer; no answer should be so long, but a note or a checkpoint may have any length. */
const MAX_ANSWER_CHARS = 40_000;

/** Redacts a text and cuts it at the most characters of an answer; each answer of the MCP server passes here, errors too. */
function redactAndTruncate(text: string): Safe {
	// an invisible character could split a secret: those go first
	const clean = redactSecrets(cleanForModel(text));
	const omitted = clean.length - MAX_ANSWER_CHARS;
	if (omitted <= 0) return clean;
	return safeTemplate`${sliceSafe(clean, 0, MAX_ANSWER_CHARS)}\n… ${exact(`${omitted}`)} more characters`;
}

/** Gives the answer of a tool in the form of the MCP protocol. */
export const toolAnswer = (text: string) => ({ content: [{ type: "text" as const, text: redactAndTruncate(text) }] });

/** Gives the answer of a tool that failed, with the error's text for the model. */
export const failureAnswer = (error: unknown) => ({ ...toolAnswer(`ccg: ${safeErrorText(error)}`), isError: true });

/** Gives the text of an error, safe to answer and to log. */
export const safeErrorText = (error: unknown): Safe => redactAndTruncate(errorText(error).slice(0, 2_000));
