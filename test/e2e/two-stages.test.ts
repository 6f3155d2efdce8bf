import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { everything, logged, times } from "./claude-sandbox.ts";
import { AGENT, FACTS, OF_THE_FIRST, playFacts } from "./planted-facts.ts";

test("every kind of fact is in what the model receives after each compaction, once", async () => {
	const { made, sid } = await playFacts();
	const main = made.api.requests.filter(({ first }) => !first.includes(AGENT));
	const at = main.flatMap(({ kind }, i) => (kind === "summary" ? [i] : []));
	expect(at).toHaveLength(3);
	const rounds = at.map((from, i) => main.slice(from + 1, at[i + 1]).filter(({ kind }) => kind === "main"));
	const table = Object.entries(FACTS).map(([kind, fact]) => [
		kind,
		...rounds.map((requests) => requests.some(({ all }) => all.includes(fact))),
	]);
	expect(table.filter(([, first]) => !first)).toEqual([]);
	const lasting = table.filter(([kind]) => !OF_THE_FIRST.includes(kind as string));
	expect(lasting.filter(([, ...found]) => !found.every(Boolean))).toEqual([]);

	const [first, last] = [rounds[0]![0]!, rounds[0]!.at(-1)!];
	expect(times(first, "ccg recovery precompact_checkpoint_")).toBe(1);
	expect(everything(first)).toContain(FACTS.directive);
	expect(times(last, "ccg recovery ")).toBe(1);
	const given = last.all.slice(last.all.indexOf("ccg recovery precompact_"));
	for (const fact of [FACTS.directive, FACTS["task in work"]]) expect(given.split(fact)).toHaveLength(2);

	const reports = JSON.parse(made.ccg("show", "--as", "report", "--session", sid, "--json"));
	// the summary holds nothing, and a block as small as this session's has room for all
	const fates = reports.map(({ messages }: { messages: { fate: string }[] }) => messages.map(({ fate }) => fate));
	expect(fates.map((all: string[]) => [...new Set(all)])).toEqual([["whole"], ["whole"], ["whole"]]);
	const { checkpoint, context } = JSON.parse(made.ccg("status", sid, "--json"));
	expect(checkpoint.delivered).toBe("yes");
	expect(context.system_state).toMatchObject({ compactions: 3, ended: "other" });
	// the summariser's own calls are none of the session's
	const messages = main.filter(({ kind }) => kind === "main").length;
	expect(Object.values(context.token_usage)).toMatchObject([{ messages }]);
	const page = readFileSync(JSON.parse(made.ccg("show", sid, "--as", "page", "--json")).written, "utf8");
	for (const part of ["compaction 3 of 3", "What ccg asks of the summary", FACTS.directive, 'class="saved"'])
		expect(page).toContain(part);
	// (each once in the list and once above its section)
	expect(page.match(/ccg gave back [1-9]/g)).toHaveLength(6);
	expect(page).not.toContain("made again");
	expect(logged(made)).toBe("");
});
