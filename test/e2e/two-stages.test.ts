import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MAX_INJECTED_CHARS } from "../../src/core/config/config.ts";
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
	expect(reports).toHaveLength(3);
	for (const { messages, ...report } of reports) {
		expect(report.blockChars ?? report.block_chars).toBeLessThanOrEqual(MAX_INJECTED_CHARS);
		// the summary holds nothing, and a block as small as this session's has room for all
		expect(messages.map(({ fate }: { fate: string }) => fate)).toEqual(messages.map(() => "whole"));
	}
	const statusOf = () => JSON.parse(made.ccg("status", sid, "--json"));
	const { checkpoint, context } = statusOf();
	expect(checkpoint.delivered).toBe("yes");
	expect(context.system_state).toMatchObject({ compactions: 3, ended: "other" });
	// the summariser's own calls are none of the session's
	const answers = main.filter(({ kind }) => kind === "main").length;
	expect(Object.values(context.token_usage)).toMatchObject([{ messages: answers }]);

	const logs = join(made.store, "projects");
	const daily = readdirSync(logs, { recursive: true })
		.map(String)
		.find((name) => /log\/.*\.md$/.test(name))!;
	expect(readFileSync(join(logs, daily), "utf8")).toMatch(
		/compaction \(auto, [^\n]*\. The summary holds 0 of the user's \d+ messages word for word;/,
	);

	// its context goes on
	await made.claude("go on", "--resume", sid);
	expect(times(made.last(), "ccg recovery precompact_checkpoint_")).toBe(1);
	const { recent_history: history, token_usage: used } = statusOf().context;
	expect(history).toContainEqual(context.recent_history.at(-1));
	expect(Object.values(used)).toMatchObject([{ messages: answers + 1 }]);
	expect(logged(made)).toBe("");
});
