/** A path made absolute from the folder it was given in, without `.` and `..`. One with `~` or a drive stays as it is. */
export function absolutePath(path: string, folder: string): string {
	if (path.startsWith("/") || !folder.startsWith("/") || /^(?:~|[A-Za-z]:|\\)/.test(path)) return path;
	const parts: string[] = [];
	for (const part of `${folder}/${path}`.split("/")) {
		if (part === "..") parts.pop();
		else if (part && part !== ".") parts.push(part);
	}
	return `/${parts.join("/")}`;
}

/** The part of a subagent's transcript path that tells it from others, `subagents/agent-….jsonl`; `null` for another file. */
export const subagentFile = (path: string): string | null =>
	/subagents\/agent-[\w-]{1,100}\.jsonl$/.exec(path)?.[0] ?? null;
