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

/** What Claude Code reads from disk again after a compaction, normalised for look-ups; `""` where there is none. */
export function reloadedText(projectDir: string, env: Env): string {
	const root = claudeRoot(env);
	// a link to another file of the project is common here; nothing read is shown, only left out elsewhere
	const texts = ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"].map(
		(name) => (projectDir && textInside(projectDir, name, { maxBytes: MAX_BYTES, links: "inside" })) ?? "",
	);
	if (root) {
		texts.push(readText(join(root, "CLAUDE.md"), MAX_BYTES) ?? "");
		if (projectDir) {
			const memory = readText(join(nativeMemoryFolder(root, projectDir), "MEMORY.md"), MAX_BYTES) ?? "";
			texts.push(memory.slice(0, MEMORY_BYTES).split("\n").slice(0, MEMORY_LINES).join("\n"));
		}
	}
	// block comments are stripped before the model sees the file
	const parts = texts.join("\n").split("<!--");
	return normalised(parts.map((part, i) => (i > 0 ? part.slice(part.indexOf("-->") + 3) : part)).join(""));
}
