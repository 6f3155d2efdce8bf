import { join } from "node:path";
import { expect, test } from "vitest";
import type { PassageKind } from "../../src/search/passage.ts";
import { recallShown, search } from "../../src/search/recall.ts";
import { SearchIndex } from "../../src/search/search-index.ts";
import { scratch } from "../scratch-home.ts";

const asker = { project: "p", session: "", now: new Date(1_800_000_100_000) };
/** Of each session what is said or done in it, in order. */
const using = <T>(sessions: [PassageKind, string][][], act: (index: SearchIndex) => T): T =>
	SearchIndex.use(join(scratch("replies"), "store"), {}, (index) => {
		for (const [n, said] of sessions.entries())
			index.add(
				{ path: `/t/s${n}.jsonl`, project: "p", session: `s${n}` },
				said.map(([kind, text], pos) => ({ pos, part: 0, at: 1_800_000_000, kind, tool: "", path: "", text })),
			);
		return act(index);
	})!;

test("what is said to a message that holds the words is found; a call, who goes on and another session are not", () => {
	const sessions: [PassageKind, string][][] = [
		[
			["agent", "Ready."],
			["user", "Who may unlock the gate?"],
			["call", "$ ls"],
			["agent", "Only Maureen and her deputy"],
			["agent", "Nothing else to do."],
		],
		[["agent", "Of another session"]],
		[
			["agent", "The gate may be unlocked at six"],
			["agent", "And I sweep the yard"],
		],
		[["user", "Of the next session"]],
	];
	using(sessions, (index) => {
		const found = search(index, "who may unlock the gate", asker).found.map(({ text }) => text);
		expect(found[0]).toBe("Who may unlock the gate?");
		expect(found).toContain("Only Maureen and her deputy");
		for (const other of ["$ ls", "Of another session", "And I sweep the yard", "Of the next session"])
			expect(found).not.toContain(other);
	});
});

test("a word that stands nowhere is named, so that its absence is known", () => {
	using([[["agent", "the migration went well"]]], (index) => {
		const recalled = (words: string) => recallShown(index, words, asker).text;
		expect(recalled("the Kubernetes migration")).toMatch(/\n\(no passage holds: Kubernetes\)$/);
		expect(recalled("migration")).not.toContain("no passage holds");
	});
});
