import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MAX_INJECTED_CHARS } from "../../src/core/block/budget.ts";
import { type ClaudeSandbox, everything, logged, times } from "./claude-sandbox.ts";
import { AGENT, FACTS, IN_CLAUDE_MD, OF_THE_FIRST, playFacts } from "./planted-facts.ts";

let made: ClaudeSandbox;

test("every kind of fact is in what the model receives after each compaction, in two parts, each once", async () => {
	const played = await playFacts();
	made = played.made;
	const { sid } = played;

	const main = made.api.requests.filter(({ first }) => !first.includes(AGENT));
	const at = main.flatMap(({ kind }, i) => (kind === "summary" ? [i] : []));
	expect(at).toHaveLength(3);
	const rounds = at.map((from, i) => main.slice(from + 1, at[i + 1]).filter(({ kind }) => kind === "main"));
	const table = Object.entries(FACTS).map(([kind, fact]) => [
		kind,
		...rounds.map((requests) => requests.some(({ all }) => all.includes(fact))),
	]);
	expect(table.filter(([, first]) => !first)).toEqual([]);
	const lasting = table.filter(([kind]) => !OF_THE_FIRST.includes(kind as keyof typeof FACTS));
	expect(lasting.filter(([, ...found]) => !found.every(Boolean))).toEqual([]);

	const [first, last] = [rounds[0]![0]!, rounds[0]!.at(-1)!];
	expect(times(first, "ccg recovery precompact_checkpoint_")).toBe(1);
	expect(everything(first)).toContain(FACTS.directive);
	expect(everything(first)).not.toContain(", continued:");
	expect(times(last, ", continued: neither the summary nor the recovery block holds")).toBe(1);
	const given = last.all.slice(last.all.indexOf("ccg recovery precompact_"));
	for (const fact of [FACTS.directive, FACTS["task in work"]]) expect(given.split(fact)).toHaveLength(2);
	// what CLAUDE.md brings back by itself is there, and not from us
	expect(last.all).toContain(IN_CLAUDE_MD);
	expect(given).not.toContain(IN_CLAUDE_MD);

	const reports = JSON.parse(made.ccg("show", "--as", "report", "--session", sid, "--json"));
	expect(reports).toHaveLength(3);
	const [report] = reports;
	for (const { injected_chars: given } of reports)
		expect(Math.max(given.block, given.follow_up)).toBeLessThanOrEqual(MAX_INJECTED_CHARS);
	const { message } = report.kinds;
	expect(message).toMatchObject({ verbatim: 0, lost: 0, back: message.total });
	expect(JSON.parse(made.ccg("status", sid, "--json")).checkpoint.delivered).toBe("yes");

	const logs = join(made.store, "projects");
	const daily = readdirSync(logs, { recursive: true })
		.map(String)
		.find((name) => /log\/.*\.md$/.test(name))!;
	expect(readFileSync(join(logs, daily), "utf8")).toMatch(
		/compaction \(auto, [^\n]*\. The summary kept 0 of \d+ things the user said;/,
	);

	// resumed, continued and forked, the model holds both parts
	for (const args of [["--resume", sid], ["--continue"], ["--resume", sid, "--fork-session"]]) {
		await made.claude("go on", ...args);
		const last = made.main().at(-1)!;
		expect([times(last, "ccg recovery precompact_checkpoint_"), times(last, ", continued:")], args.join(" ")).toEqual([
			2, 1,
		]);
	}
	expect(logged(made)).toBe("");
});
