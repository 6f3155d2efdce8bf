import type { TranscriptEvent } from "../../core/transcript/event.ts";
import { BOUNDARY } from "./compactions.ts";
import { ANSWERS, MAX_WORDS, PICTURE, RESULT } from "./parse-line.ts";

const bytes = (text: string): Buffer => Buffer.from(text);
const USER = bytes('"type":"user"');
const QUEUED = [bytes('"queued_command"'), bytes('"queue-operation"')];
const ASSISTANT = bytes('"type":"assistant"');
const TELLING = [USER, ASSISTANT, bytes(BOUNDARY), ...QUEUED];
/** Calls that ask the user, and results in which the user answered. */
const DIALOGS = ['"name":"AskUserQuestion"', '"name":"ExitPlanMode"'].map(bytes);
const AGENT_PROGRESS = bytes('"data":{"type":"agent_progress"');
const FAILED = bytes('"is_error":true');
const TEXT_BESIDE = bytes('},{"type":"text","text":"');
const RESULT_ID = bytes('"tool_use_id":"');
/** Shorter lines are not worth the look. */
const LARGE = 2_048;
const QUOTE = 34;

/** A cheap look before the parse: most bytes of a transcript are progress, snapshots and requests as sent. */
export const isTelling = (line: Buffer): boolean => TELLING.some((word) => line.includes(word));

export function isUserWord(line: Buffer): boolean {
	if (line.length > MAX_WORDS) return line.includes(PICTURE) && isTyped(line);
	if (line.includes(RESULT)) return ANSWERS.some((mark) => line.includes(mark));
	if (line.includes(ASSISTANT)) return DIALOGS.some((mark) => line.includes(mark));
	return line.includes(USER) || QUEUED.some((mark) => line.includes(mark));
}

export const isTyped = (line: Buffer): boolean => line.includes(USER) && !line.includes(RESULT);

/**
 * Spares the parse of a large line that tells nothing but that a call succeeded: half of a transcript's bytes are results of
 * which no word is asked. Gives the event in its place, `undefined` for none; `null` where the line has to be parsed.
 */
export function passedOver(line: Buffer, asks?: (id: string) => boolean): TranscriptEvent | null | undefined {
	if (line.length < LARGE) return null;
	if (line.includes(AGENT_PROGRESS)) return undefined;
	if (!asks || !line.includes(RESULT) || line.includes(FAILED) || line.includes(TEXT_BESIDE)) return null;
	const at = line.indexOf(RESULT_ID);
	if (at < 0) return null;
	const from = at + RESULT_ID.length;
	const id = line.toString("latin1", from, line.indexOf(QUOTE, from));
	return asks(id) ? null : { kind: "result", at: "", id, failed: false, text: "", detail: null };
}
