/** Tools that read, ask, plan within the session, or end what runs. */
export const READERS = new Set(
	(
		"Read Glob Grep LS NotebookRead WebFetch WebSearch LSP ToolSearch TodoRead TodoWrite TaskCreate TaskUpdate TaskGet TaskList " +
		"TaskOutput TaskStop BashOutput KillShell KillBash AskUserQuestion EnterPlanMode ExitPlanMode ListMcpResources " +
		"ListMcpResourcesTool ReadMcpResource ReadMcpResourceTool StructuredOutput SendUserMessage"
	).split(" "),
);
