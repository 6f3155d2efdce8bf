import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Filter, Passage } from "../../src/search/passage.ts";
import { recallText, searchPassages } from "../../src/search/recall.ts";
import { SearchIndex } from "../../src/search/search-index.ts";
import { findProject } from "../../src/store/project.ts";
import type { Sandbox } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";

/** A passage of the agent's; `pos` is its place in the transcript. */
export const passage = (text: string, pos = 0, more: Partial<Passage> = {}): Passage => ({
	...{ pos, part: 0, at: 1_800_000_000, kind: "agent", tool: "", path: "", text },
	...more,
});

export const source = (path = "/t/s1.jsonl", project = "p", session = "s1") => ({ path, project, session });

/** A day behind the passages. */
export const asker = { project: "p", session: "s1", now: new Date(1_800_000_100_000) };

/** Runs `act` with an index, a new one where no store is named. */
export const using = <T>(act: (index: SearchIndex) => T, root = join(scratch("index"), "store")): T =>
	SearchIndex.use(root, {}, act)!;

export const add = (index: SearchIndex, texts: readonly string[], of = source()): void =>
	index.add(
		of,
		texts.map((text, n) => passage(text, n * 100)),
	);

/** The texts that a query finds, best first. */
export const found = (index: SearchIndex, words: string, filter: Filter = { project: "p" }): string[] =>
	searchPassages(index, words, asker, filter).found.map(({ text }) => text);

/** What a query is answered. */
export const recalled = (index: SearchIndex, words: string): string => recallText(index, words, asker);

/** Puts passages of one session of a folder's project into the sandbox's index. */
export function plant(at: Sandbox, folder: string, texts: string[], session = "old-session"): void {
	mkdirSync(at.store, { recursive: true, mode: 0o700 });
	const of = { path: join(folder, `${session}.jsonl`), project: findProject(folder).key, session };
	using((index) => add(index, texts, of), at.store);
}
