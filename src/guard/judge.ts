import { join, normalize } from "node:path";
import { quietLstat } from "../files/quietly.ts";
import { isWithin, realPath } from "../files/real-path.ts";
import { claudeRoot } from "../store/paths.ts";
import { nativeMemoryFolder } from "../store/project.ts";
import { type Around, isOwnCommand } from "./command.ts";

interface ToolCall {
	session_id: string;
	tool_name?: string | undefined;
	tool_input?: Record<string, unknown> | undefined;
	cwd?: string | undefined;
}

/**
 * Whether a tool call may change something, and so waits for a checkpoint at critical pressure: all calls do, but for tools that read, writes
 * of notes, and ccg's own commands. What any other shell command would do is not looked at.
 */
export function mayChange({ session_id, tool_name = "", tool_input = {}, cwd }: ToolCall, around: Around): boolean {
	if (READERS.has(tool_name)) return false;
	const folder = around.env.CLAUDE_PROJECT_DIR ?? cwd;
	if (WRITERS.has(tool_name))
		return !isNote(tool_input.file_path ?? tool_input.notebook_path, noteFolders(folder, around));
	// a skill may begin an agent that is not held back, or run commands as it is read
	if (tool_name === "Skill") return !["context-guardian", "ccg:context-guardian"].includes(String(tool_input.skill));
	if (tool_name !== "Bash") return true;
	const { command, run_in_background: isBackground = false } = tool_input;
	// a client may take other values for yes
	if (typeof command !== "string" || isBackground !== false) return true;
	return !isOwnCommand(command, session_id, around);
}

/** Tools that read, ask, plan within the session, or end what runs. */
const READERS = new Set(
	(
		"Read Glob Grep LS NotebookRead WebFetch WebSearch LSP ToolSearch TodoRead TodoWrite TaskCreate TaskUpdate TaskGet TaskList " +
		"TaskOutput TaskStop BashOutput KillShell KillBash AskUserQuestion EnterPlanMode ExitPlanMode ListMcpResources " +
		"ListMcpResourcesTool ReadMcpResource ReadMcpResourceTool StructuredOutput SendUserMessage"
	).split(" "),
);
const WRITERS = new Set(["Edit", "Write", "MultiEdit", "NotebookEdit"]);

/**
 * The folders and files of notes: ccg's, Serena's, Claude Code's own of the project. `owner` is a folder above `path` that may be a link; below
 * it no link is followed.
 */
function noteFolders(folder: string | undefined, { root, env }: Around): { path: string; owner: string }[] {
	const claude = claudeRoot(env);
	return [
		...["MEMORY.md", "log", "projects"].map((name) => ({ path: join(root, name), owner: root })),
		...(folder ? [{ path: join(folder, ".serena", "memories"), owner: folder }] : []),
		...(folder && claude ? [{ path: nativeMemoryFolder(claude, folder), owner: claude }] : []),
	];
}

/** Whether a path is a Markdown file in a place of notes. Other files there are ccg's own, such as the project's choice of a profile. */
function isNote(path: unknown, places: ReturnType<typeof noteFolders>): boolean {
	if (typeof path !== "string" || !path.startsWith("/") || !path.endsWith(".md")) return false;
	if (normalize(path) !== path || /[\0-\x1f\x7f]/.test(path)) return false;
	return places.some((place) => isReallyInside(path, place));
}

/**
 * Whether a write to `path` ends in the place of notes: there is no link on the way, and the file, if it exists, is a regular
 * one without a second name.
 */
function isReallyInside(path: string, { path: place, owner }: { path: string; owner: string }): boolean {
	if (!isWithin(path, place) || place === owner || !isWithin(place, owner)) return false;
	if (realPath(path) !== realPath(owner) + path.slice(owner.length)) return false;
	const file = quietLstat(path);
	return !file || (file.isFile() && file.nlink === 1);
}
