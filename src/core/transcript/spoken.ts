/**
 * The words in a line that a person may have spoken: without what Claude Code and editors put around them. Every search is
 * by place, so no text makes it slow.
 */

/** How the machine's own lines begin: what commands printed, notices, messages of others. */
const HOST_TAG =
	/^<\/?(?:bash-|command-|local-command-|task-notification|teammate-|agent-(?:message|notification)|cross-session-|channel[\s>]|tick>|[a-z-]+-hook>|new-diagnostics|system-reminder|user-memory-|ide_|mcp-resource\s|persisted-|tool_use_error)/i;
/** Where nothing is signed, also what is named like them. */
const LIKE_HOST_TAG =
	/^<\/?(?:(?:[a-z]+[-_]){1,4}(?:args|calls?|caveat|command|content|context|diagnostics|event|feedback|hook|input|instructions?|memory|messages?|notifications?|output|policy|prompt|reminder|results?|selection|stdout|stderr|summary|update)|(?:system|policy|human|assistant|poll|event|notification|message|peer|observer|schedule)(?=[\s/>]))/i;
/** And sentences it begins with, where nothing is signed. */
const HOST_SENTENCE =
	/^(?:\[Request interrupted|\[(?:MESSAGE FROM NON-USER|SYSTEM\b|Image: source)|Caveat:|This session is being continued from a previous|Base directory for this skill:|(?:[A-Z]\w{2,30}(?::[\w-]{1,80})? )?hook (?:feedback|additional context|success|blocking error|stopped continuation|error)\b|[A-Z]\w{2,30}(?: \[[^\]\n]{0,200}\])? hook feedback|Called the \w{1,40} tool with the following input|Result of calling the |The user (?:doesn['’]t want to|opened the file|selected the lines|sent a new message while)|Your claude\.ai usage limit has reset|(?:User|The user) (?:has )?(?:approved your plan|answered)|Another Claude session sent|This session is being continued from another machine|This slash command can only be invoked by Claude|Unknown slash command: |The user (?:has expressed a desire to invoke the agent|sent the following message:)|Your tool call was malformed and could not be parsed|Plan mode is active\. The user indicated|\[Image: original |Compacted\. ctrl\+|[^\n]{1,60} output style is active\. Remember to follow|(?:\(no content\)|No response requested\.|Continue from where you left off\.)$)/;

/** The whole line says that the user stopped the agent. */
const isInterruption = (text: string): boolean => /^\[Request interrupted by user(?: for tool use)?\]$/.test(text);

/** The text is the machine's by its beginning. `isSigned`: a person's by signature, who may begin with any sentence. */
export const isHostText = (text: string, isSigned: boolean): boolean =>
	HOST_TAG.test(text) || (!isSigned && (LIKE_HOST_TAG.test(text) || HOST_SENTENCE.test(text)));

/**
 * The texts of a message as one: what an editor tells beside the typed words is a text of its own and left out, and so are
 * notices of the machine's where nothing is signed. A picture that the words name themselves is told once.
 */
export function joined(texts: readonly string[], isSigned = true): string {
	if (texts.length < 2) return texts.join("");
	const isNotice = (text: string): boolean =>
		!isSigned && isHostText(text, false) && !isInterruption(text) && !/^<(?:bash-input|command-)/.test(text);
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
const PASTE_SHOWN = 300;

/**
 * A longer paste stands in a message between tags with an id (2.1.329): it was not typed, and may be anybody's words. It is
 * told, with its beginning in other marks than the user's.
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
		const shown = pasted
			.slice(0, PASTE_SHOWN)
			.replace(/\s+/g, " ")
			.replace(/[`"“”„]/g, "'");
		const more = pasted.length > PASTE_SHOWN ? ` and ${pasted.length - PASTE_SHOWN} more characters` : "";
		told += `${text.slice(from, start).trimEnd()} [pasted: \`${shown}\`${more}] `;
		from = end + close.length;
		while (text[from] === "\n") from++;
	}
}

/** A message's words without what was pasted into them: nobody said what stands in a paste. */
export const withoutPastes = (text: string): string =>
	text.includes("[pasted: `") ? text.replace(/\[pasted: `[^`]{0,400}`[^\]\n]{0,40}\]/g, "[pasted text]") : text;

/** What stands between two tags, `null` when one of them is missing. */
export function between(text: string, open: string, close: string): string | null {
	const start = text.indexOf(open);
	const end = start < 0 ? -1 : text.indexOf(close, start + open.length);
	return end < 0 ? null : text.slice(start + open.length, end);
}
