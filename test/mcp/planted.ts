import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Passage } from "../../src/search/passage.ts";
import { SearchIndex } from "../../src/search/search-index.ts";
import { projectOf } from "../../src/store/project.ts";
import type { Sandbox } from "../kit/sandbox.ts";

const passage = (text: string, pos: number): Passage => ({
	pos,
	part: 0,
	at: 1_790_000_000,
	kind: "agent",
	tool: "",
	path: "",
	text,
});

/** Puts passages of one session of a folder's project into the sandbox's index. */
export function plant(at: Sandbox, folder: string, texts: string[], session = "old-session"): void {
	mkdirSync(at.store, { recursive: true, mode: 0o700 });
	const index = SearchIndex.open(at.store)!;
	const source = { path: join(folder, `${session}.jsonl`), project: projectOf(folder).key, session };
	index.add(source, texts.map(passage), { reached: { reached: texts.length, state: "" } });
	index.close();
}
