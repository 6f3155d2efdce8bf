import { Database } from "bun:sqlite";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { indexTranscript } from "../../src/claude/transcript/index-transcript.ts";
import { indexPath } from "../../src/store/paths.ts";
import { SearchIndex } from "../../src/store/search/search-index.ts";
import { passageId } from "../../src/store/search/stored-passage.ts";
import type { FidelityCase } from "../fidelity/cases.ts";

/** What lies before a compaction: the index, and the ids of its passages by session. */
export interface Before {
	index: SearchIndex;
	ids: readonly { id: string; session: string }[];
}

/** Each session's transcript as a whole. */
export type Sessions = readonly { name: string; cwd: string; lines: readonly string[] }[];

export function sessionsOf(cases: readonly FidelityCase[]): Sessions {
	const last = new Map(cases.map((one) => [one.name, one]));
	return [...last.values()].map(({ name, cwd, lines, after }) => ({ name, cwd, lines: [...lines, ...after] }));
}

/** Indexes what lies before a compaction: its session, and of the others in the same folder what was written before that time. */
export function indexBefore(one: FidelityCase, sessions: Sessions, folder: string): Before {
	mkdirSync(folder, { recursive: true });
	const root = join(folder, "store");
	const index = SearchIndex.open(root)!;
	const add = (name: string, lines: readonly string[]): void => {
		const path = join(folder, `${name}.jsonl`);
		writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
		indexTranscript(index, { path, project: "p", session: name });
	};
	const until = timeOf(one.after[0]!);
	for (const { name, cwd, lines } of sessions) {
		if (name === one.name || cwd !== one.cwd) continue;
		const end = lines.findIndex((line) => timeOf(line) >= until);
		add(name, end < 0 ? lines : lines.slice(0, end));
	}
	add(one.name, one.lines);
	return { index, ids: idsIn(root) };
}

/** When a line was written, as ISO text; `""` where it does not say. */
export const timeOf = (line: string): string => /"timestamp":"([^"]{20,30})"/.exec(line)?.[1] ?? "";

function idsIn(root: string): Before["ids"] {
	const database = new Database(indexPath(root), { readonly: true });
	try {
		const rows = database
			.query("SELECT s.tag, p.pos, p.part, s.session FROM passages p JOIN sources s ON s.id = p.source ORDER BY p.id")
			.values() as [string, number, number, string][];
		return rows.map(([tag, pos, part, session]) => ({ id: passageId(tag, pos, part), session }));
	} finally {
		database.close();
	}
}
