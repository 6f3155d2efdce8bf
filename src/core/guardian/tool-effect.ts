import { simpleCommands } from "./shell-command.ts";

export interface ToolCall {
	name: string;
	input: Record<string, unknown>;
}

/** Where what is written counts as memory, and how ccg is called. */
export interface Surroundings {
	/** Absolute path of `bin/ccg`. */
	launcher: string;
	/** Folders and files of notes, absolute: Claude Code's own memory, ccg's, Serena's. */
	memory: string[];
}

/**
 * Whether a tool call may change something and so waits for a checkpoint at critical pressure. Decided by what is known to
 * change nothing; whatever is not known counts as a change.
 */
export function mayChange({ name, input }: ToolCall, around: Surroundings): boolean {
	if (READERS.has(name)) return false;
	if (WRITERS.has(name)) return !isMemory(input.file_path ?? input.notebook_path, around.memory);
	if (name === "Bash") return !isHarmless(input, around);
	// a memory server's notes are what a stop is for
	return !/^mcp__[\w-]*__(?:read|write|edit|list)_memor(?:y|ies)$/.test(name);
}

/** Tools that read, ask, plan within the session, or end what runs. */
const READERS = new Set([
	"Read",
	"Glob",
	"Grep",
	"LS",
	"NotebookRead",
	"WebFetch",
	"WebSearch",
	"LSP",
	"ToolSearch",
	"TodoWrite",
	"TaskCreate",
	"TaskUpdate",
	"TaskGet",
	"TaskList",
	"TaskOutput",
	"TaskStop",
	"BashOutput",
	"KillShell",
	"KillBash",
	"AskUserQuestion",
	"EnterPlanMode",
	"ExitPlanMode",
	"Skill",
	"ListMcpResources",
	"ListMcpResourcesTool",
	"ReadMcpResource",
	"ReadMcpResourceTool",
	"StructuredOutput",
	"SendUserMessage",
]);

const WRITERS = new Set(["Edit", "Write", "MultiEdit", "NotebookEdit"]);

function isMemory(path: unknown, memory: string[]): boolean {
	if (typeof path !== "string" || !path.startsWith("/") || /(^|\/)\.\.?(\/|$)/.test(path)) return false;
	// beside the notes lie files of ccg's own, such as the project's choice of a profile
	return path.endsWith(".md") && memory.some((place) => path === place || path.startsWith(`${place}/`));
}

function isHarmless({ command, run_in_background }: Record<string, unknown>, { launcher }: Surroundings): boolean {
	if (typeof command !== "string" || run_in_background === true) return false;
	const commands = simpleCommands(command);
	return commands?.every((words) => isOwn(words, launcher) || isReading(words)) ?? false;
}

/** ccg's commands that save, show or check; not those that lift the stop or change what is installed and configured. */
const OWN =
	/^(?:task (?:status|ensure|checkpoint|bundle|complete|archive|skill)|memory (?:save|list|show)|status|show|report|env|approvals|sessions (?:list|show))\b/;

function isOwn([first, ...rest]: string[], launcher: string): boolean {
	return (first === launcher || first === "ccg") && OWN.test(rest.join(" "));
}

/** Commands that only read, each with the arguments that would make it write or run something. */
const READING: Record<string, RegExp | null> = {
	basename: null,
	cat: null,
	cd: null,
	cmp: null,
	column: null,
	cut: null,
	date: /^(?:-\w*s|--s|\d)/,
	df: null,
	diff: null,
	dirname: null,
	du: null,
	echo: null,
	false: null,
	file: /^(?:-\w*C|--compile)/,
	find: /^-(?:exec|ok|delete|fprint|fls)/,
	grep: null,
	head: null,
	id: null,
	jq: null,
	ls: null,
	nl: null,
	// -v assigns, also to a subscript that is evaluated; so does arithmetic of zsh
	printf: /^-v|\[/,
	ps: null,
	pwd: null,
	readlink: null,
	realpath: null,
	rg: /^--(?:pre|hostname-bin)/,
	sort: /^(?:-\w*[oT]|--(?:o|co|t))/,
	stat: null,
	tail: null,
	test: /^-[vR]|\[/,
	tr: null,
	tree: /^(?:-\w*[oR])/,
	true: null,
	type: null,
	uname: null,
	// a second operand is written to
	uniq: /^[^-]/,
	wc: null,
	which: null,
	whoami: null,
};

const GIT = new Set(["status", "log", "diff", "show", "blame", "rev-parse", "ls-files", "describe", "shortlog"]);

function isReading([first, ...rest]: string[]): boolean {
	if (first === "git") {
		const [at, ...after] = rest[0] === "-C" ? rest.slice(2) : rest;
		return GIT.has(at!) && !after.some((word) => /^(?:--ou|--ext-diff|--textconv|-O)/.test(word));
	}
	if (first === "sed")
		return (
			rest[0] === "-n" &&
			/^\d+(?:,(?:\d+|\$))?p$/.test(rest[1] ?? "") &&
			!rest.slice(2).some((word) => word.startsWith("-"))
		);
	if (!Object.hasOwn(READING, first!)) return false;
	const writing = READING[first!];
	return !writing || !rest.some((word) => writing.test(word));
}
