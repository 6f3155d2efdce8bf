import { safeHead, safeTail } from "../text/safe-head.ts";
import { firstWords } from "../text/text.ts";

/** Of what went well, and of what failed: there the reason stands higher up. */
const LINES = { ok: 3, failed: 6 };
const LINE = 160;

/** What Claude Code puts where there was no output. */
const NOTHING = "(Bash completed with no output)";

/** What it puts behind an agent's report, and where a command had changed the folder. */
const FOOTER = /(?:^|\n)(?:Shell cwd was reset to [^\n]*|(?:agentId: |<usage>)[^\n]*(?:\n[^\n]*){0,8})$/;

/** Of what was too long the result holds the beginning, and where it was saved. */
const SAVED = /^<persisted-output>\n([^\n]*)/;

/** The last lines of what a call gave, made safe; `""` where it gave nothing. */
export function lastOutput(whole: string, failed: boolean): string {
	const text = SAVED.exec(whole)?.[1] ?? whole.slice(0, -800) + whole.slice(-800).replace(FOOTER, "");
	if (text.trim() === NOTHING) return "";
	const most = failed ? LINES.failed : LINES.ok;
	const end = safeTail(text, 2 * most * LINE);
	const lines = withoutMarks(end).split("\n");
	// of a line that is longer than what was looked at, its end
	const isCut = (n: number): boolean => n === 0 && text.length > end.length;
	return lines
		.map((line, n) =>
			isCut(n) ? `…${line.trimEnd().slice(1 - LINE)}`.toWellFormed() : firstWords(line.trimEnd(), LINE),
		)
		.filter((line) => line.trim())
		.slice(-most)
		.join("\n");
}

const EXIT = /^(?:Error: )?Exit code (\d+)\s*/;

/** How a call ended, as the client tells it. That it ended says not that it went well: behind a pipe the code is another program's. */
export function outcomeOf(text: string, failed: boolean): string {
	const code = failed && EXIT.exec(text)?.[1];
	return code ? `exit code ${code}` : failed ? "failed" : "ended";
}

export const withoutExitCode = (text: string): string => text.replace(EXIT, "").trim();

/** What a tool said of its failure. */
export const toolFailure = (text: string): string => safeHead(withoutMarks(text), 2_000);

/** Without what the client puts around a failure, also where it was made safe. */
const withoutMarks = (text: string): string => text.replace(/[<‹]\/?tool_use_error>/g, "");
