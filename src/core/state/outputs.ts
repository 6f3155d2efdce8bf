import { safeHead, safeTail } from "../text/safe-head.ts";
import { firstWords } from "../text/text.ts";

/** Most lines that are kept of an output: of a call that went well, and of one that failed, where the reason stands higher up. */
const MAX_LINES = { ok: 3, failed: 6 };
const MAX_LINE = 160;

/** What Claude Code writes in place of an output where there was none. */
const NO_OUTPUT = "(Bash completed with no output)";

/** What Claude Code writes behind an agent's report, and behind a command that had changed the folder. */
const FOOTER = /(?:^|\n)(?:Shell cwd was reset to [^\n]*|(?:agentId: |<usage>)[^\n]*(?:\n[^\n]*){0,8})$/;

/** Of an output that was too long, the result names where the whole was saved and holds the beginning. */
const SAVED_OUTPUT = /^<persisted-output>\n([^\n]*)/;

/** The last lines of a call's output, made safe; `""` where there was none. */
export function lastOutput(output: string, failed: boolean): string {
	const withoutFooter = output.slice(0, -800) + output.slice(-800).replace(FOOTER, "");
	const text = SAVED_OUTPUT.exec(output)?.[1] ?? withoutFooter;
	if (text.trim() === NO_OUTPUT) return "";
	const maxLines = failed ? MAX_LINES.failed : MAX_LINES.ok;
	const tail = safeTail(text, 2 * maxLines * MAX_LINE);
	const lines = withoutErrorTags(tail).split("\n");
	// the first line may have lost its beginning: of that one, the end is shown
	const hasLostBeginning = (n: number): boolean => n === 0 && text.length > tail.length;
	return lines
		.map((line, n) =>
			hasLostBeginning(n)
				? `…${line.trimEnd().slice(1 - MAX_LINE)}`.toWellFormed()
				: firstWords(line.trimEnd(), MAX_LINE),
		)
		.filter((line) => line.trim())
		.slice(-maxLines)
		.join("\n");
}

/** Gives an object a text that is made when it is first read: most of what a long transcript holds is dropped before. */
export function withLateText<T extends object, Name extends string>(target: T, name: Name, make: () => string) {
	const keep = (value: string) =>
		Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true }) && value;
	const accessors = { get: () => keep(make()), set: keep, enumerable: true, configurable: true };
	return Object.defineProperty(target, name, accessors) as T & Record<Name, string>;
}

const EXIT_CODE = /^(?:Error: )?Exit code (\d+)\s*/;

/** How a call ended, as Claude Code tells it. `ended` does not mean success: behind a pipe the code is another program's. */
export function callOutcome(text: string, failed: boolean): string {
	const code = failed && EXIT_CODE.exec(text)?.[1];
	return code ? `exit code ${code}` : failed ? "failed" : "ended";
}

/** A failed shell command's output without the line of its exit code. */
export const withoutExitCode = (text: string): string => text.replace(EXIT_CODE, "").trim();

/** A tool's message on its failure, made safe and without Claude Code's tags. */
export const failureMessage = (text: string): string => safeHead(withoutErrorTags(text), 2_000);

/** A text without the tags that Claude Code puts around a failure, also where they were made safe. */
const withoutErrorTags = (text: string): string => text.replace(/[<‹]\/?tool_use_error>/g, "");
