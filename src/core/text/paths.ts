/** An absolute path of a name given in a folder, without `.` and `..`. A name that can't be placed stays as it is. */
export function absolutePath(name: string, folder: string): string {
	if (name.startsWith("/") || !folder.startsWith("/") || /^(?:~|[A-Za-z]:|\\)/.test(name)) return name;
	const parts: string[] = [];
	for (const part of `${folder}/${name}`.split("/")) {
		if (part === "..") parts.pop();
		else if (part && part !== ".") parts.push(part);
	}
	return `/${parts.join("/")}`;
}

/** The end of the path of a subagent's transcript: below it a call's result names it; `null` of another file. */
export const subagentIn = (path: string): string | null =>
	/subagents\/agent-[\w-]{1,100}\.jsonl$/.exec(path)?.[0] ?? null;
