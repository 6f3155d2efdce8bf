import { anyOf, OUTPUT, wordsFor } from "../text/acts.ts";
import { counted, oneLine } from "../text/text.ts";
import { withoutToldPastes } from "../transcript/spoken.ts";

/**
 * What a person wrote themselves of a message, line by line where it stood: pasted code, logs, tables, quoted lines and blocks between
 * tags are blank. What looks like none of them stays. Linear.
 */
export function ownText(message: string): string {
	const lines = withoutBlocks(withoutToldPastes(message).split("\n"));
	const machine = lines.map((line) => line.length < MAX_LINE && MACHINE.test(line));
	const count = machine.filter(Boolean).length;
	if (count === 0 || (count === 1 && isSentence(lines, machine.indexOf(true)))) return withoutTold(lines).join("\n");
	const [first, last] = [machine.indexOf(true), machine.lastIndexOf(true)];
	const within = lines.slice(first, last).filter((line) => line.trim()).length;
	if (count >= LONG_PASTE && count > within * DENSE) machine.fill(true, first, last);
	// what hangs on such a line, or stands between two of them in one paragraph, came with it
	for (let at = 1; at < lines.length; at++)
		if (
			machine[at - 1] &&
			lines[at]!.trim() &&
			(hangsOn(lines[at - 1]!, lines[at]!) || machineAhead(lines, machine, at))
		)
			machine[at] = true;
	for (let at = lines.length - 2; at >= 0; at--)
		if (machine[at + 1] && isIndented(lines[at]!) && lines[at]!.trim()) machine[at] = true;
	return withoutTold(lines.map((line, at) => (machine[at] ? "" : line))).join("\n");
}

/** A message with what was pasted into it told as pasted: of each run of lines the first, and how many more. */
export function withPastesTold(message: string): string {
	const own = ownText(message).split("\n");
	const told: string[] = [];
	let run: string[] = [];
	const close = (): void => {
		const lines = run.filter((line) => line.trim());
		if (lines.length === 0) told.push(...run);
		else {
			const more = lines.length > 1 ? ` and ${counted(lines.length - 1, "more line")}` : "";
			told.push(
				`[pasted: \`${oneLine(lines[0]!)
					.slice(0, 120)
					.replace(/[`"“”„]/g, "'")
					.toWellFormed()}\`${more}]`,
			);
		}
		run = [];
	};
	for (const [at, line] of message.split("\n").entries()) {
		if (!own[at]?.trim()) run.push(line);
		else {
			close();
			told.push(line);
		}
	}
	close();
	return told.join("\n");
}

/** A message's words without what was pasted into them: nobody said what stands in a paste. */
export const withoutPastes = (message: string): string =>
	withPastesTold(message).replace(/\[pasted: `[^`\n]{0,400}`[^\]\n]{0,40}\]/g, "[pasted text]");

/** The one line that looks like a machine's is a person's sentence: none of a log's signs is in it, nothing hangs on it. */
const isSentence = (lines: readonly string[], at: number): boolean =>
	/^(?:(?:error|warning): [^\d()[\]{}<>"'`=/\\|:]+|[\w./-]{1,200}:\d+ [a-z][^:()[\]{}=|]*)$/i.test(lines[at]!) &&
	!HANGS.test(lines[at + 1] ?? "");

/** A sentence without the longer quotations in it: they are others' words, or a text to be written. */
export const withoutQuotations = (sentence: string): string => sentence.replace(QUOTATION, '""');
const QUOTATION =
	/["“„](?:[^\s"“”„]{1,60}\s+){2,60}[^"“”„]{1,200}["”“]|«[^«»]{12,400}»|`[^`]{2,400}`|「[^「」]{6,400}」|(?<![\p{L}\p{N}])['‘](?:[^\s'‘’]{1,60} ){2,60}[^'‘’]{1,200}['’](?![\p{L}\p{N}])/gu;

const MAX_LINE = 2_000;
/** So many lines of a machine's, and so dense, are one paste with all between the first and the last. */
const LONG_PASTE = 5;
const DENSE = 0.35;
/** Deeper than a list's item, or a sign that nobody begins a sentence with. */
const HANGS = /^(?:\t| {4,})(?![-*•] |\d+[.)] )|^[)\]}|+@]/;

const isIndented = (line: string): boolean => line.startsWith(" ") || line.startsWith("\t");
const hangsOn = (before: string, line: string): boolean =>
	HANGS.test(line) || (before.trimEnd().endsWith(":") && isIndented(line));

function machineAhead(lines: readonly string[], machine: readonly boolean[], from: number): boolean {
	for (let at = from; at < lines.length && at - from < 40 && lines[at]!.trim(); at++) if (machine[at]) return true;
	return false;
}

/** Lines that a program prints or that stand in code: of logs, of failures, with places, of test runners and shells, of differences and tables, code and data. */
const MACHINE = anyOf(String.raw`
	^\W{0,3}(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d\b|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d )
	^\W{0,3}(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|CRITICAL|PANIC)(?:\b[\])|: ]|$)|^(?:E|W|I) {2,}
	^\s*[\w./-]{1,40}: (?:cannot|can't|could not|no such|not found|command not found|failed|permission denied|unrecogni[sz]ed|invalid|unknown)\b
	^\s*(?:error|fatal|panic|remote|stderr|stdout)(?:\[\w+\])?: |^\s*(?:npm|yarn|pnpm) (?:ERR!|WARN|error|warn)(?: |$)
	^\s*(?:[\w$.]{0,80}(?:Error|Exception)|(?:Deprecation|User|Runtime|Syntax|Future)Warning)(?: \[\w+\])?(?::|$)
	^\s*(?:\S{1,20}\s)?\(?(?:[\w.@~-]{1,80}[/\\]){0,20}[\w.@-]{1,80}\.[A-Za-z]\w{0,7}(?::\d+|\(\d+)
	^\s*at \S+.{0,300}[:(]|^\s*File "[^"]{1,300}", line \d|^(?:Traceback \(|Caused by: |Exception in thread|goroutine \d|Stack trace|Thread \d)|^\s*#\d{1,3}[ ]
	^\s*(?:-{3,}|={3,}) ?[A-Z]|^(?:FAIL|PASS|FAILED|PASSED|SKIP|ok)\s{1,4}\S*[./]|^\s*[✓✔✗✘×●❯⎿⏺└├│┌▶▸✖╭╰]|^\s*\d+ (?:passed|failed|passing|failing|tests?|errors?|warnings?)\b
	^\s*(?:\$|>>>|PS [A-Z]:[^>]{0,200}>|[\w-]+@[\w.-]+[:~ ][^$#]{0,80}[$#]) \S|^\s*create mode \d|^(?:Exit code|exit status) \d
	^To [^.?!:]{3,90}(?:,| and) ?[^.?!:,]{0,40}\b(?:run|use|type|execute):?$|^Press [^.?!]{2,60} to [^.?!]{2,60}[.…]?$|^[Uu]sage:[ ]
	^(?:FAIL|PASS)(?:$|: )|^thread '.{1,80}' panicked|^note: run with |^test \S{1,200} \.\.\. \w|^-{4} .{1,200} -{4}$|\+0x[0-9a-f]{1,16}$|^CONFLICT \(|^HTTP/\d|^[IWEF]\d{4} \d\d:|^\s*\d+:\d+\s{1,4}(?:error|warning)\s|^(?:level|ts|time|msg)=\S
	^(?:@@ |diff --|index [0-9a-f]{7}|[+-]{3} \S|\+(?:\t| {2,}|[^\s\d+]))|^\s*\||\|.*\|.*\||^[-|+: ]{6,}$|^\s*\d+(?:\t|→| \| )
	[{}]\s*$|^(?=.*;\s*$).*[=()\]"']|^\s*(?:import|export|const|let|var|function|class|def|func|fn|public|private|#include|package|return|async def) .*[=({;:'"]|^\s*(?://|/\*|\*/|<!--)
	^\s*"[^"]{1,80}"\s?:\s|^[A-Z][A-Z0-9_]{2,40}=\S*$|^(?:import|export|const|class|def)[ ]
`);

/** Without fenced blocks, quoted lines and what stands between a tag on its own line and its end. An unclosed fence reaches to the end. */
function withoutBlocks(lines: readonly string[]): string[] {
	let isFenced = false;
	let tag = "";
	return lines.map((line, at) => {
		if (tag) {
			if (line.includes(`</${tag}>`)) tag = "";
			return "";
		}
		const isFence = /^\s{0,3}(?:[-*] )?(?:```|~~~)/.test(line);
		if (isFence) isFenced = !isFenced;
		if (isFenced || isFence || /^\s{0,3}>/.test(line)) return "";
		const opened = /^\s*<([A-Za-z][\w:.-]{0,60})(?:\s[^<>]{0,300})?>/.exec(line);
		if (opened && RULES_TAG.test(opened[1]!)) return line.slice(opened[0].length);
		if (!opened) return /^\s*<\/[A-Za-z]/.test(line) ? "" : line;
		const end = `</${opened[1]}>`;
		if (!line.includes(end) && lines.slice(at + 1, at + MAX_BLOCK).some((one) => one.includes(end))) tag = opened[1]!;
		return line.includes(end) ? line.slice(line.lastIndexOf(end) + end.length) : "";
	});
}
const MAX_BLOCK = 400;
const RULES_TAG =
	/^(?:my[-_]?)?(?:rules?|constraints?|conventions?|requirements?|guidelines?|instructions?|important)$/i;

/** Without the paragraph behind a line that says that an output follows; a list is a person's own. */
function withoutTold(lines: readonly string[]): string[] {
	let state: "own" | "announced" | "told" = "own";
	return lines.map((line) => {
		const isBlank = line.trim() === "";
		if (state === "announced" && !isBlank) state = /^\s*(?:[-*•]|\d+[.)])\s/.test(line) ? "own" : "told";
		else if (state === "told" && isBlank) state = "own";
		if (state !== "own") return "";
		if (TELLS_OUTPUT.test(line.slice(-100)) && !/^\W*(?:when|whenever|if)\b/i.test(line)) state = "announced";
		return line;
	});
}
const TELLS_OUTPUT = new RegExp(
	"(?<!\\p{L})(?:prints?|printed|says|said|complains|reports|(?:i|we|you|it|now) (?:get|got|see|shows?))[^.!?\\n]{0,30}[:：]\\s*$|" +
		`^\\W*(?:(?:the|my|full) )?(?:${wordsFor(OUTPUT)})\\s*[:：]\\s*$`,
	"iu",
);
