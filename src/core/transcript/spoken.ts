import { inBackticks } from "../text/quoted.ts";
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
const NOTICE_BEGINNINGS = `[Request interrupted|[MESSAGE FROM NON-USER|[Image: source|[Image: original |Caveat:|Base directory for this skill:|
	This session is being continued from a previous|This session is being continued from another machine|Result of calling the |
	The user doesn't want to|The user doesn’t want to|The user opened the file|The user selected the lines|
	The user sent a new message while|Your claude.ai usage limit has reset|User approved your plan|User has approved your plan|
	The user approved your plan|The user has approved your plan|User answered|User has answered|The user answered|The user has answered|
	Another Claude session sent|This slash command can only be invoked by Claude|Unknown slash command: |Unknown skill: |{"task_id":"|
	The user has expressed a desire to invoke the agent|The user sent the following message:|
	Your tool call was malformed and could not be parsed|Plan mode is active. The user indicated|Compacted. ctrl+`;
const WHOLE_NOTICES = "(no content)|No response requested.|Continue from where you left off.";
/** And those with a name in them. */
const NOTICE_PATTERNS = [
	/^\[SYSTEM\b/,
	/^(?:[A-Z]\w{2,30}(?::[\w-]{1,80})? )?hook (?:feedback|additional context|success|blocking error|stopped continuation|error)\b/,
	/^[A-Z]\w{2,30}(?: \[[^\]\n]{0,200}\])? hook feedback/,
	/^Called the \w{1,40} tool with the following input/,
	/^[^\n]{1,60} output style is active\. Remember to follow/,
];

/** Whether a text is the machine's, by its beginning. `isSigned`: a person signed it, who may begin with any sentence. */
export function isHostText(text: string, isSigned: boolean): boolean {
	const begins = (beginning: string): boolean => text.startsWith(beginning);
	return (
		(text.startsWith("<") && isHostTag(text.slice(begins("</") ? 2 : 1, MAX_TAG), isSigned)) ||
		(!isSigned &&
			(someInList(NOTICE_BEGINNINGS, begins) ||
				someInList(WHOLE_NOTICES, (notice) => notice === text) ||
				NOTICE_PATTERNS.some((pattern) => pattern.test(text))))
	);
}
const MAX_TAG = 200;

/** Whether any entry of a list, which `|` parts, passes a test. Split only here, so that a process that needs none pays nothing. */
const someInList = (list: string, test: (entry: string) => boolean): boolean => list.split(/\|\s*/).some(test);

/** Whether a tag is one of the machine's. `tagText`: what follows its `<`. */
function isHostTag(tagText: string, isSigned: boolean): boolean {
	const tag = tagText.toLowerCase().replace(/\s/g, " ");
	if (someInList(HOST_TAGS, (beginning) => tag.startsWith(beginning)) || /^[a-z-]+-hook>/.test(tag)) return true;
	const [name] = /^[a-z_-]*/.exec(tag)!;
	if (isSigned || someInList(TAG_NAMES, (tagName) => tagName === name))
		return !isSigned && " />".includes(tag[name.length] ?? "x");
	// a tag of several words, such as `some-hook-output`: the machine's by any word but the first
	const [first, ...others] = name.split(/[-_]/, 5);
	const end = first ? others.indexOf("") : 0;
	return others
		.slice(0, end < 0 ? 4 : end)
		.some((word) => someInList(TAG_WORDS, (beginning) => word.startsWith(beginning)));
}

/** The notice with which a text begins where the user stopped the agent; `""` where there is none. */
export const interruptionNotice = (text: string): string =>
	["[Request interrupted by user]", "[Request interrupted by user for tool use]"].find((one) => text.startsWith(one)) ??
	"";

/** The texts of a message as one, without what an editor added and, in an unsigned one, the machine's notices. */
export function joinTexts(texts: readonly string[], isSigned = true): string {
	if (texts.length < 2) return texts.join("");
	const isUsersAct = (text: string): boolean =>
		interruptionNotice(text) === text || /^<(?:bash-input|command-)/.test(text);
	const isNotice = (text: string): boolean => !isSigned && isHostText(text, false) && !isUsersAct(text);
	const own = texts.filter((text) => !ADDED_TAG.test(text.trimStart()) && !isNotice(text.trim()));
	// an image that the words name stands there once
	const namesImage = own.some((text) => text.includes("[Image #"));
	return (namesImage ? own.filter((text) => text !== "[image]") : own).join("\n");
}
const ADDED_TAG = /^<(?:ide_|system-reminder\b|new-diagnostics\b)/;

/** A message without the reminders and editor texts that were put into it, and with pastes shortened. */
export function typedWords(text: string): string {
	if (!text.includes("<")) return text.trim();
	const [open, close] = ["<system-reminder>", "</system-reminder>"];
	// others' text inside may hold a closing tag: then the last one counts, and for an editor's text always
	const holdsOwnClose = text.split(close).length > text.split(open).length;
	let own = removeBetween(text, open, close, holdsOwnClose);
	for (const name of EDITOR_TAGS) own = removeBetween(own, `<${name}`, `</${name}>`, true);
	return shortenPastes(own).trim();
}
const EDITOR_TAGS = ["ide_selection", "ide_opened_file", "ide_diagnostics", "new-diagnostics"];

/** Removes each part from `open` to the next `close`; with `toLast` one part, up to the last `close`. One that is never closed stays. */
function removeBetween(text: string, open: string, close: string, toLast: boolean): string {
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

/** A line of a paste in backticks, at most `PASTED_LINE` characters of it. */
const pastedLine = (line: string): string => {
	const shown = oneLine(line);
	return inBackticks(shown.length > PASTED_LINE ? `${shown.slice(0, PASTED_LINE)}…`.toWellFormed() : shown);
};

/** A message with each paste as `[pasted: …]` with its first and last line, since it may be anybody's words. Its tags: 2.1.329. */
function shortenPastes(text: string): string {
	let shortened = "";
	let from = 0;
	for (;;) {
		const start = text.indexOf(PASTE, from);
		const idEnd = start < 0 ? -1 : text.indexOf('"', start + PASTE.length);
		const id = idEnd < 0 || idEnd - start > PASTE.length + 64 ? null : text.slice(start + PASTE.length, idEnd);
		const close = `</pasted_content id="${id}">`;
		const end = id === null ? -1 : text.indexOf(close, idEnd);
		if (end < 0) return shortened + text.slice(from);
		const pasted = text.slice(text.indexOf(">", idEnd) + 1, end).trim();
		const lines = pasted.split("\n").filter((line) => line.trim());
		const shown = [lines[0] ?? "", ...(lines.length > 1 ? [lines.at(-1)!] : [])].map(pastedLine).join(" … ");
		const lineCount = lines.length > 2 ? `, ${lines.length} lines` : "";
		shortened += `${text.slice(from, start).trimEnd()} [pasted: ${shown}${lineCount}] `;
		from = end + close.length;
		while (text[from] === "\n") from++;
	}
}

/** What stands between two tags, `null` when one of them is missing. */
export function textBetween(text: string, open: string, close: string): string | null {
	const start = text.indexOf(open);
	const end = start < 0 ? -1 : text.indexOf(close, start + open.length);
	return end < 0 ? null : text.slice(start + open.length, end);
}
