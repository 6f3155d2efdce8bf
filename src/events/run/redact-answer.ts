import { redactDeep, redactJson } from "../../core/redact/deep.ts";
import { marker } from "../../core/redact/marker.ts";

/** A hook's answer as it may be printed. */
export interface Checked {
	/** `null` where nothing is left to say. */
	text: string | null;
	/** Something could not be looked through, since the rules are not there, and is left out. */
	isCut: boolean;
}

/**
 * A hook's answer with secrets out of its texts. The protocol's own words stay, whatever they look like and whatever a variable of
 * the environment holds: without them Claude Code takes the answer for none, and a denial would let the call through.
 */
export function redactAnswer(answer: string): Checked {
	const from = objectIn(answer);
	if (!from) return checkedText(redactJson(answer));
	const clean = redactDeep(from);
	if (clean === from) return { text: answer, isCut: false };
	const output = clean.hookSpecificOutput && withProtocol(clean.hookSpecificOutput, from.hookSpecificOutput ?? {});
	const kept = { ...readable(clean), ...(output && { hookSpecificOutput: readable(output) }) };
	const isCut = isUnread(clean) || (output !== undefined && isUnread(output));
	if (kept.hookSpecificOutput?.permissionDecision) kept.hookSpecificOutput.permissionDecisionReason ??= NO_REASON;
	return { text: saysSomething(kept) ? JSON.stringify(kept) : null, isCut };
}

type Fields = Record<string, unknown>;
type Answer = Fields & { hookSpecificOutput?: Fields };

const NOT_READ = marker("not-read");
const NO_REASON =
	"ccg holds back changes at critical pressure until a task checkpoint is written (`ccg task checkpoint`). " +
	"More is not told here: ccg's redaction rules could not be loaded (`ccg doctor`).";

const isNotRead = (value: unknown): boolean => typeof value === "string" && value.trimEnd() === NOT_READ;

const checkedText = (text: string): Checked => (isNotRead(text) ? { text: null, isCut: true } : { text, isCut: false });

function objectIn(text: string): Answer | null {
	if (!text.startsWith("{")) return null;
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

/** Only words that ccg itself writes there. */
const PROTOCOL: Record<string, readonly string[]> = {
	hookEventName: ["SessionStart", "PreToolUse", "PostToolUse", "UserPromptSubmit"],
	permissionDecision: ["deny"],
};

function withProtocol(output: Fields, from: Fields): Fields {
	const own = Object.entries(from).filter(([name, value]) => PROTOCOL[name]?.includes(value as string));
	return { ...output, ...Object.fromEntries(own) };
}

const isUnread = (fields: Fields): boolean => Object.values(fields).some(isNotRead);

const readable = <T extends Fields>(fields: T): T =>
	Object.fromEntries(Object.entries(fields).filter(([, value]) => !isNotRead(value))) as T;

/** More than the name of the event. */
const saysSomething = ({ hookSpecificOutput: output = {}, ...rest }: Answer): boolean =>
	[...Object.keys(rest), ...Object.keys(output)].some((name) => name !== "hookEventName");
