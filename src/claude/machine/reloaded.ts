import { join } from "node:path";
import { normalised } from "../../core/text/text.ts";
import { textInside } from "../../files/read-inside.ts";
import { readText } from "../../store/json-file.ts";
import { claudeRoot, type Env } from "../../store/paths.ts";
import { nativeMemoryFolder } from "../../store/project.ts";

/**
 * Of one file; Claude Code itself warns of more than 40,000 characters. A larger one counts as not reloaded: what it
 * holds is injected again.
 */
const MAX_BYTES = 128 * 1024;
/** What Claude Code loads of its own MEMORY.md. */
const MEMORY_LINES = 200;
const MEMORY_BYTES = 25 * 1024;

/**
 * What Claude Code reads from disk again after a compaction, normalised for look-ups: the project's CLAUDE.md files,
 * the user's, and the index of its own memory. `""` where there is none.
 */
export function reloadedText(projectDir: string, env: Env): string {
	const root = claudeRoot(env);
	const texts: string[] = [];
	if (projectDir)
		// a link to another file of the project is common here; nothing read is shown, only left out elsewhere
		for (const name of ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"])
			texts.push(textInside(projectDir, name, { maxBytes: MAX_BYTES, links: "inside" }) ?? "");
	if (root) {
		texts.push(readText(join(root, "CLAUDE.md"), MAX_BYTES) ?? "");
		if (projectDir) {
			const memory = readText(join(nativeMemoryFolder(root, projectDir), "MEMORY.md"), MAX_BYTES) ?? "";
			texts.push(memory.slice(0, MEMORY_BYTES).split("\n").slice(0, MEMORY_LINES).join("\n"));
		}
	}
	// block comments are stripped before the model sees the file
	return normalised(withoutComments(texts.join("\n")));
}

/** In one pass: an opener without its end would be looked for to the end of the text, each time. */
export function withoutComments(text: string): string {
	const kept: string[] = [];
	let from = 0;
	for (let at = text.indexOf("<!--"); at >= 0; at = text.indexOf("<!--", from)) {
		const end = text.indexOf("-->", at + 4);
		if (end < 0) break;
		kept.push(text.slice(from, at));
		from = end + 3;
	}
	return kept.join("") + text.slice(from);
}
