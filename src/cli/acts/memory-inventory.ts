import { type MemoryCategory, memoryInventory } from "../../claude/machine/memory-inventory.ts";
import { counted } from "../../core/text/text.ts";
import { claudeRoot } from "../../store/paths.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { projectFolderOf } from "../../store/session/session-project.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { fitted, pad } from "../support/layout/fit.ts";
import { moment } from "../support/layout/moment.ts";
import { oneLineOf } from "../support/pick-note.ts";

const TITLES: Record<MemoryCategory, string> = {
	claude: "Claude Code's own memory (only read)",
	serena: "Serena's memories, .serena/memories (only read)",
	ccg: "ccg's notes and daily logs",
	claude_md: "CLAUDE.md (only read)",
};

/** `ccg memory inventory`: the keys of all memories, by who keeps them. */
export function inventory({ json }: { json?: boolean }, io: Io): void {
	const keys = memoryInventory(storeOf(io).root, claudeRoot(io.env), projectFolderOf(io));
	const categories = (Object.keys(TITLES) as MemoryCategory[]).map((category) => ({
		category,
		keys: keys.filter((key) => key.category === category).map(({ category: _, ...key }) => key),
	}));
	if (json) return answerJson(io, { categories });
	const width = Math.max(0, ...keys.map(({ key }) => Bun.stringWidth(oneLineOf(key))));
	for (const { category, keys: own } of categories) {
		io.out(`${TITLES[category]}: ${own.length === 0 ? "none" : counted(own.length, "key")}`);
		for (const { key, notes, bytes, modifiedAt, headings } of own) {
			const count = notes === null ? "not counted" : counted(notes, "note");
			const topics = headings.length > 0 ? `  ${oneLineOf(headings.join("; "))}` : "";
			const line = `  ${pad(oneLineOf(key), width)}  ${count}, ${bytes} B, ${moment(modifiedAt)}${topics}`;
			io.out(fitted(line, io.columns ?? Number.POSITIVE_INFINITY));
		}
	}
}
