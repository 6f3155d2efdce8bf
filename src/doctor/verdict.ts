import type { Ran } from "../install/run-process.ts";
import { isObject } from "../install/settings-sources.ts";
import type { Situation } from "./situations.ts";

export interface RunVerdict {
	valid: boolean;
	reason?: string;
	/** Of the value Claude Code takes: the `additionalContext`, else all of stdout. */
	chars: number;
}

/** Claude Code replaces a value of more than 10,000 characters by a preview. */
const MAX_CHARS = 9_500;

/** Whether a command's answer is what Claude Code reads and the situation calls for. `hasUsage`: it left a measurement. */
export function verdict({ event, expects }: Situation, result: Ran, hasUsage: boolean): RunVerdict {
	const text = result.out.trim();
	const value = expects.kind === "context" ? contextOf(text, event) : { text };
	const chars = (value.text ?? text).length;
	const reason =
		endOf(result) ??
		(value.problem || null) ??
		answerProblem(expects, value.text ?? "", hasUsage) ??
		(chars > MAX_CHARS ? `${chars} characters; from 10,000 on Claude Code gives the model a preview only` : null);
	return { valid: reason === null, ...(reason !== null && { reason }), chars };
}

function endOf({ code, err, timedOut, ms }: Ran): string | null {
	if (timedOut) return `no end after ${Math.round(ms / 1000)} s, killed`;
	if (code === 0) return null;
	const said = err
		.trim()
		.split("\n")[0]!
		.replace(/\p{Cc}/gu, "");
	return `${code === null ? "ended by a signal" : `exit code ${code}`}${said ? ` (${said.slice(0, 200)})` : ""}`;
}

function answerProblem(expects: Situation["expects"], text: string, hasUsage: boolean): string | null {
	switch (expects.kind) {
		case "context":
			if (text === "" && expects.orNothing) return null;
			return startProblem(text, expects.starts);
		case "text":
			return startProblem(text, expects.starts);
		case "nothing":
			if (text !== "") return `printed ${excerpt(text)} where nothing is to be said`;
			return expects.leavesUsage && !hasUsage ? "left no measurement in the store" : null;
		case "lines":
			return text === "" ? "printed no line" : null;
	}
}

function startProblem(text: string, starts: string): string | null {
	if (text === "") return `printed nothing, expected a text that starts with "${starts}"`;
	return text.startsWith(starts) ? null : `${excerpt(text)} does not start with "${starts}"`;
}

const TOP = ["hookSpecificOutput", "systemMessage"];
const INNER = ["hookEventName", "additionalContext"];

/** The text for the model in a hook's JSON. Any other key would decide something ccg has no business deciding. */
function contextOf(text: string, event: string): { text?: string; problem?: string } {
	if (text === "") return { text };
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return { problem: `printed ${excerpt(text)}, which is not one JSON object` };
	}
	if (!isObject(value)) return { problem: `printed ${excerpt(text)}, which is not one JSON object` };
	const { hookSpecificOutput: inner, systemMessage: line } = value;
	// a line for the user decides nothing
	if (inner === undefined && typeof line === "string" && strangeKeys(value, TOP).length === 0) return { text: "" };
	if (!isObject(inner)) return { problem: "the JSON has no hookSpecificOutput" };
	const strange = [...strangeKeys(value, TOP), ...strangeKeys(inner, INNER)];
	if (strange.length > 0) return { problem: `the JSON holds ${strange.join(", ")}, which ccg never sends` };
	if (inner.hookEventName !== event)
		return { problem: `hookEventName is ${String(inner.hookEventName)}, not ${event}` };
	if (typeof inner.additionalContext !== "string") return { problem: "additionalContext is no text" };
	return { text: inner.additionalContext };
}

const strangeKeys = (value: object, known: string[]): string[] =>
	Object.keys(value).filter((key) => !known.includes(key));

const excerpt = (text: string): string =>
	JSON.stringify(text.replace(/\s+/g, " ").slice(0, 60)) + (text.length > 60 ? "…" : "");
