import { statSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../files/names-in.ts";
import { isSessionId } from "../../store/paths.ts";

export interface FoundTranscript {
	path: string;
	session: string;
	bytes: number;
}

/** The transcripts of the main conversations below Claude Code's own folder: subagents' lie deeper. */
export function transcriptsBelow(claudeRoot: string): FoundTranscript[] {
	const projects = join(claudeRoot, "projects");
	return namesIn(projects).flatMap((project) =>
		namesIn(join(projects, project)).flatMap((name) => {
			const session = name.endsWith(".jsonl") ? name.slice(0, -".jsonl".length) : "";
			const path = join(projects, project, name);
			const stat = isSessionId(session) ? statSync(path, { throwIfNoEntry: false }) : undefined;
			return stat?.isFile() ? [{ path, session, bytes: stat.size }] : [];
		}),
	);
}
