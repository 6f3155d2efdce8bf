import { join, normalize } from "node:path";
import { tryLstat } from "../files/quietly.ts";
import { isWithin, realPath } from "../files/real-path.ts";
import { claudeRoot } from "../store/paths.ts";
import { nativeMemoryFolder } from "../store/project.ts";
import { type GateContext, isOwnCommand } from "./command.ts";

interface ToolCall {
	session_id: string;
	tool_name?: string | undefined;
	tool_input?: Record<string, unknown> | undefined;
	cwd?: string | undefined;
}

/**
 * Whether a tool call may change something, and so waits for a task checkpoint at a halt. It may, unless its tool only reads, it writes a note,
 * or it runs one of ccg's own commands; of any other shell command this does not look at what it does.
 */
export function mayChange(call: ToolCall, context: GateContext): boolean {
	const { session_id, tool_name = "", tool_input = {}, cwd } = call;
	if (READ_TOOLS.has(tool_name)) return false;
	const folder = context.env.CLAUDE_PROJECT_DIR ?? cwd;
	if (WRITE_TOOLS.has(tool_name))
		return !isNote(tool_input.file_path ?? tool_input.notebook_path, notePaths(folder, context));
	// a skill may begin an agent that is not held back, or run commands as it is read
	if (tool_name === "Skill") return !["context-guardian", "ccg:context-guardian"].includes(String(tool_input.skill));
	if (tool_name !== "Bash") return true;
	const { command, run_in_background: isBackground = false } = tool_input;
	// a client may take other values for yes
	if (typeof command !== "string" || isBackground !== false) return true;
	return !isOwnCommand(command, session_id, context);
}

/** Tools that read, ask, plan within the session, or end what runs. */
const READ_TOOLS = new Set(
	(
		"Read Glob Grep LS NotebookRead WebFetch WebSearch LSP ToolSearch TodoRead TodoWrite TaskCreate TaskUpdate TaskGet TaskList " +
		"TaskOutput TaskStop BashOutput KillShell KillBash AskUserQuestion EnterPlanMode ExitPlanMode ListMcpResources " +
		"ListMcpResourcesTool ReadMcpResource ReadMcpResourceTool StructuredOutput SendUserMessage"
	).split(" "),
);
const WRITE_TOOLS = new Set(["Edit", "Write", "MultiEdit", "NotebookEdit"]);

/** A file or folder of notes (`path`). `base`: a folder above it, which may be reached by a link; below `base` no link is followed. */
type NotePlace = { path: string; base: string };

/** The files and folders of notes: ccg's, Serena's, Claude Code's own of the project. */
function notePaths(folder: string | undefined, { root, env }: GateContext): NotePlace[] {
	const claude = claudeRoot(env);
	return [
		...["MEMORY.md", "log", "projects"].map((name) => ({ path: join(root, name), base: root })),
		...(folder ? [{ path: join(folder, ".serena", "memories"), base: folder }] : []),
		...(folder && claude ? [{ path: nativeMemoryFolder(claude, folder), base: claude }] : []),
	];
}

/** Whether a path is a Markdown file in one of the places of notes; other files there are no notes, but ccg's own. */
function isNote(path: unknown, places: NotePlace[]): boolean {
	if (typeof path !== "string" || !path.startsWith("/") || !path.endsWith(".md")) return false;
	if (normalize(path) !== path || /[\0-\x1f\x7f]/.test(path)) return false;
	return places.some((place) => isWriteInside(path, place));
}

/** Whether a write to `path` stays in that place of notes: no link is on the way, and the file, if there is one, has no second name. */
function isWriteInside(path: string, { path: place, base }: NotePlace): boolean {
	if (!isWithin(path, place) || place === base || !isWithin(place, base)) return false;
	if (realPath(path) !== realPath(base) + path.slice(base.length)) return false;
	const file = tryLstat(path);
	return !file || (file.isFile() && file.nlink === 1);
}
