import { anyOf } from "../text/acts.ts";
import { visible } from "../text/invisible.ts";
import { safeHead } from "../text/safe-head.ts";
import { cut, oneLine, safeText } from "../text/text.ts";

/** The lines at an output's end, without one that was cut: what is left of a secret there is not known for one. */
const lastLines = (text: string, max: number): string[] =>
	text
		.slice(-max)
		.split("\n")
		.slice(text.length > max ? 1 : 0);

const COUNTS =
	/\b\d+ (?:passed|passing|failed|failing|tests?|errors?|warnings?|problems?|specs?|examples?)\b|^(?:ok|PASS|(?:--- )?FAIL(?:ED)?|OK|BUILD \w+|test result:|Tests?:|Found \d+)\b/i;
const BAD =
	/\b[1-9]\d* (?:(?:tests?|suites?|specs?|examples?|checks?) )?(?:failed|failing|failures?|errors?)\b|^(?:--- )?FAIL(?:ED)?\b|^BUILD FAILED\b|test result: FAILED/im;

/** The line of a check's output that tells how it went; `""` where none does. Asked up to four times of one output. */
export function checkLine(text: string): string {
	const end = text.slice(-3_001);
	if (end === asked.end) return asked.line;
	const line = lastLines(end, 3_000).findLast((one) => COUNTS.test(one.trim()));
	asked = { end, line: line ? cut(oneLine(safeText(line)), 120) : "" };
	return asked.line;
}
let asked = { end: "", line: "" };

/** How a check went by the words of its output, `null` where they do not say. */
export function checkOutcome(text: string, failed: boolean): "done" | "failed" | null {
	const outcome = checkLine(text);
	if (BAD.test(outcome)) return "failed";
	return outcome && !failed ? "done" : null;
}

const WHOLE = 200;
const LINES = 3;
const LINE = 120;
const END = 4_000;
const TELLING = anyOf(
	String.raw`
		\b\d+ (passed|passing|failed|failing|tests?|errors?|warnings?|problems?|issues?|files? changed|insertions?|deletions?)\b
		\b(error|failed|failure|fatal|panic|exception|cannot|not found|denied|undefined|mismatch|expected|created|merged)\b
		\b(rejected|up to date|listening|deployed|published)\b|^(ok|PASS|FAIL|---)\b|\bhttps?:\/\/|->
	`,
	"i",
);

/** What Claude Code puts where there was no output. */
const NOTHING = "(Bash completed with no output)";

/** Of a command's output the lines that tell how it went or what it gave, on one line and made safe; `""` where none does. */
export function tellingLines(text: string): string {
	const end = text.slice(-END).trim();
	if (!end || end === NOTHING) return "";
	if (text.length <= END && end.length <= WHOLE) return oneLine(safeText(end));
	const tells = (line: string): boolean => TELLING.test(line.slice(0, 1_000));
	const shown = visible(lastLines(text, END).join("\n"));
	// most outputs tell nothing, and looking for secrets costs more than all else
	if (!shown.split("\n").some(tells)) return "";
	return safeText(shown)
		.split("\n")
		.filter(tells)
		.slice(-LINES)
		.map((line) => cut(oneLine(line), LINE))
		.join(" | ");
}

const EXIT = /^(?:Error: )?Exit code \d+\s*/;

/** A shell says before the output that a question was answered with no: nothing was found, is not there, or differs. */
export const saysNo = (text: string): boolean => /^(?:Error: )?Exit code [12]\b/.test(text);

export const withoutExitCode = (text: string): string => text.replace(EXIT, "").trim();

/** What a tool said of its failure. */
export const failureText = (text: string): string =>
	safeHead(text.replaceAll("<tool_use_error>", "").replaceAll("</tool_use_error>", ""), 2_000);

/** The line of it that tells why. */
export function failureLine(text: string): string {
	const lines = failureText(text).split("\n").map(oneLine).filter(withoutExitCode);
	return cut(lines.find((line) => TELLS.test(line)) ?? lines[0] ?? "", 120);
}
const TELLS = /\b(?:error|fatal|failed|rejected|denied|forbidden|conflict|refused|cannot|can't|not found)\b/i;
