import { safeHead, safeTail } from "../text/safe-head.ts";
import { firstWords } from "../text/text.ts";

/** Most lines that are kept of an output: of a call that went well, and of one that failed, where the reason stands higher up. */
const LINES = { ok: 3, failed: 6 };
const LINE = 160;

/** What Claude Code writes in place of an output where there was none. */
const NOTHING = "(Bash completed with no output)";

/** What Claude Code writes behind an agent's report, and behind a command that had changed the folder. */
const FOOTER = /(?:^|\n)(?:Shell cwd was reset to [^\n]*|(?:agentId: |<usage>)[^\n]*(?:\n[^\n]*){0,8})$/;

/** Of an output that was too long, the result names where the whole was saved and holds the beginning. */
const SAVED = /^<persisted-output>\n([^\n]*)/;

/** The last lines of a call's output, made safe; `""` where there was none. */
export function lastOutput(whole: string, failed: boolean): string {
	const text = SAVED.exec(whole)?.[1] ?? whole.slice(0, -800) + whole.slice(-800).replace(FOOTER, "");
	if (text.trim() === NOTHING) return "";
	const most = failed ? LINES.failed : LINES.ok;
	const tail = safeTail(text, 2 * most * LINE);
	const lines = withoutMarks(tail).split("\n");
	// the first line may have lost its beginning: of that one, the end is shown
	const isCut = (n: number): boolean => n === 0 && text.length > tail.length;
	return lines
		.map((line, n) =>
			isCut(n) ? `…${line.trimEnd().slice(1 - LINE)}`.toWellFormed() : firstWords(line.trimEnd(), LINE),
		)
		.filter((line) => line.trim())
		.slice(-most)
		.join("\n");
}

const EXIT = /^(?:Error: )?Exit code (\d+)\s*/;

/** How a call ended, as Claude Code tells it. `ended` does not mean success: behind a pipe the code is another program's. */
export function outcomeOf(text: string, failed: boolean): string {
	const code = failed && EXIT.exec(text)?.[1];
	return code ? `exit code ${code}` : failed ? "failed" : "ended";
}

export const withoutExitCode = (text: string): string => text.replace(EXIT, "").trim();

/** A tool's message on its failure, made safe and without Claude Code's tags. */
export const toolFailure = (text: string): string => safeHead(withoutMarks(text), 2_000);

/** A text without the tags that Claude Code puts around a failure, also where they were made safe. */
const withoutMarks = (text: string): string => text.replace(/[<‹]\/?tool_use_error>/g, "");
