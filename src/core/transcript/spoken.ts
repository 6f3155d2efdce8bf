import { foreign } from "../text/quoted.ts";
import { oneLine } from "../text/text.ts";

/**
 * The words in a line that a person may have spoken: without what Claude Code and editors put around them. Every search is
 * by place, so no text makes it slow.
 */

/** How the tags of the machine's own lines begin: what commands printed, notices, messages of others. */
const HOST_TAGS = `bash-|command-|local-command-|task-notification|teammate-|agent-message|agent-notification|cross-session-|channel |channel>|
	tick>|new-diagnostics|system-reminder|user-memory-|ide_|mcp-resource |persisted-|tool_use_error`;
/** Where nothing is signed: how the words behind the first begin in tags that are named like them, and names that are the machine's. */
const TAG_WORDS = `args|call|caveat|command|content|context|diagnostics|event|feedback|hook|input|instruction|memory|message|
	notification|output|policy|prompt|reminder|result|selection|stdout|stderr|summary|update`;
const TAG_NAMES = "system|policy|human|assistant|poll|event|notification|message|peer|observer|schedule";
/** The same: how its sentences begin, and those that are all it says. */
const SENTENCES = `[Request interrupted|[MESSAGE FROM NON-USER|[Image: source|[Image: original |Caveat:|Base directory for this skill:|
	This session is being continued from a previous|This session is being continued from another machine|Result of calling the |
	The user doesn't want to|The user doesn’t want to|The user opened the file|The user selected the lines|
	The user sent a new message while|Your claude.ai usage limit has reset|User approved your plan|User has approved your plan|
	The user approved your plan|The user has approved your plan|User answered|User has answered|The user answered|The user has answered|
	Another Claude session sent|This slash command can only be invoked by Claude|Unknown slash command: |Unknown skill: |{"task_id":"|
	The user has expressed a desire to invoke the agent|The user sent the following message:|
	Your tool call was malformed and could not be parsed|Plan mode is active. The user indicated|Compacted. ctrl+`;
const WHOLE_SENTENCES = "(no content)|No response requested.|Continue from where you left off.";
/** And those with a name in them. */
const NAMING = [
	/^\[SYSTEM\b/,
	/^(?:[A-Z]\w{2,30}(?::[\w-]{1,80})? )?hook (?:feedback|additional context|success|blocking error|stopped continuation|error)\b/,
	/^[A-Z]\w{2,30}(?: \[[^\]\n]{0,200}\])? hook feedback/,
	/^Called the \w{1,40} tool with the following input/,
	/^[^\n]{1,60} output style is active\. Remember to follow/,
];

/** The text is the machine's by its beginning. `isSigned`: a person's by signature, who may begin with any sentence. */
export function isHostText(text: string, isSigned: boolean): boolean {
	const begins = (one: string): boolean => text.startsWith(one);
	return (
		(text.startsWith("<") && isHostTag(text.slice(begins("</") ? 2 : 1, MAX_TAG), isSigned)) ||
		(!isSigned &&
			(isAnyListed(SENTENCES, begins) ||
				isAnyListed(WHOLE_SENTENCES, (one) => one === text) ||
				NAMING.some((one) => one.test(text))))
	);
}
const MAX_TAG = 200;

/** Whether one of a list, which is split here: a hook that reads no line takes nothing of it along. */
const isAnyListed = (list: string, is: (one: string) => boolean): boolean => list.split(/\|\s*/).some(is);

/** `written`: what stands behind its `<`. */
function isHostTag(written: string, isSigned: boolean): boolean {
	const tag = written.toLowerCase().replace(/\s/g, " ");
	if (isAnyListed(HOST_TAGS, (one) => tag.startsWith(one)) || /^[a-z-]+-hook>/.test(tag)) return true;
	const [name] = /^[a-z_-]*/.exec(tag)!;
	if (isSigned || isAnyListed(TAG_NAMES, (one) => one === name))
		return !isSigned && " />".includes(tag[name.length] ?? "x");
	const [first, ...others] = name.split(/[-_]/, 5);
	const end = first ? others.indexOf("") : 0;
	return others.slice(0, end < 0 ? 4 : end).some((word) => isAnyListed(TAG_WORDS, (one) => word.startsWith(one)));
}

/** What Claude Code writes at the beginning of a text where the user stopped the agent; `""` elsewhere. */
export const interruptionOf = (text: string): string =>
	["[Request interrupted by user]", "[Request interrupted by user for tool use]"].find((one) => text.startsWith(one)) ??
	"";

/**
 * The texts of a message as one: what an editor tells beside the typed words is a text of its own and left out, and so are
 * notices of the machine's where nothing is signed. A picture that the words name themselves is told once.
 */
export function joinTexts(texts: readonly string[], isSigned = true): string {
	if (texts.length < 2) return texts.join("");
	const isNotice = (text: string): boolean =>
		!isSigned && isHostText(text, false) && interruptionOf(text) !== text && !/^<(?:bash-input|command-)/.test(text);
	const own = texts.filter((text) => !BESIDE.test(text.trimStart()) && !isNotice(text.trim()));
	const isNamed = own.some((text) => text.includes("[Image #"));
	return (isNamed ? own.filter((text) => text !== "[image]") : own).join("\n");
}
const BESIDE = /^<(?:ide_|system-reminder\b|new-diagnostics\b)/;

/** A message without what was put into it, and with what was pasted told as pasted. */
export function ownWords(text: string): string {
	if (!text.includes("<")) return text.trim();
	const [open, close] = ["<system-reminder>", "</system-reminder>"];
	// what is in a reminder or shown by an editor may be others' text, and that may hold a closing tag
	const isClosedWithin = text.split(close).length > text.split(open).length;
	let own = without(text, open, close, isClosedWithin);
	for (const name of EDITOR) own = without(own, `<${name}`, `</${name}>`, true);
	return withPastesTold(own).trim();
}
const EDITOR = ["ide_selection", "ide_opened_file", "ide_diagnostics", "new-diagnostics"];

/** Without each part from `open` to the next `close`, or (`toLast`) from the first to the last; one that is never closed stays. */
function without(text: string, open: string, close: string, toLast: boolean): string {
	let kept = "";
	let from = 0;
	for (;;) {
		const start = text.indexOf(open, from);
		const end = start < 0 ? -1 : toLast ? text.lastIndexOf(close) : text.indexOf(close, start + open.length);
		if (end < start || end < 0) return kept + text.slice(from);
		kept += text.slice(from, start);
		from = end + close.length;
	}
}

const PASTE = '<pasted_content id="';
const PASTED_LINE = 160;

const pastedLine = (line: string): string => {
	const told = oneLine(line);
	return foreign(told.length > PASTED_LINE ? `${told.slice(0, PASTED_LINE)}…`.toWellFormed() : told);
};

/**
 * A longer paste stands in a message between tags with an id (2.1.329): it was not typed, and may be anybody's words. It is
 * told by its first and last line, in other marks than the user's.
 */
function withPastesTold(text: string): string {
	let told = "";
	let from = 0;
	for (;;) {
		const start = text.indexOf(PASTE, from);
		const idEnd = start < 0 ? -1 : text.indexOf('"', start + PASTE.length);
		const id = idEnd < 0 || idEnd - start > PASTE.length + 64 ? null : text.slice(start + PASTE.length, idEnd);
		const close = `</pasted_content id="${id}">`;
		const end = id === null ? -1 : text.indexOf(close, idEnd);
		if (end < 0) return told + text.slice(from);
		const pasted = text.slice(text.indexOf(">", idEnd) + 1, end).trim();
		const lines = pasted.split("\n").filter((line) => line.trim());
		const shown = [lines[0] ?? "", ...(lines.length > 1 ? [lines.at(-1)!] : [])].map(pastedLine).join(" … ");
		const more = lines.length > 2 ? `, ${lines.length} lines` : "";
		told += `${text.slice(from, start).trimEnd()} [pasted: ${shown}${more}] `;
		from = end + close.length;
		while (text[from] === "\n") from++;
	}
}

/** What stands between two tags, `null` when one of them is missing. */
export function between(text: string, open: string, close: string): string | null {
	const start = text.indexOf(open);
	const end = start < 0 ? -1 : text.indexOf(close, start + open.length);
	return end < 0 ? null : text.slice(start + open.length, end);
}
