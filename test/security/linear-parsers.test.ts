import { expect, test } from "vitest";
import { emptyState } from "../../src/core/state/session-state.ts";
import { load } from "./kit.ts";

/** Every reader of foreign text, on half a megabyte and on a whole one of what is worst for it. */
const MB = 1024 * 1024;
const fill = (unit: string) => (length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
const behind = (head: string, unit: string) => (length: number) => head + fill(unit)(length);

const READERS: [module: string, name: string, texts: ((length: number) => string)[], more?: unknown[]][] = [
	[
		"src/core/recovery/workspace-plan.ts",
		"planSummary",
		[
			fill("\n"),
			fill(" \n"),
			fill("\r"),
			fill("\u2028"),
			fill("**Goal**:\n"),
			behind("**Goal**:", "\t\n"),
			fill("1."),
			fill("[in"),
		],
	],
	[
		"src/core/recovery/workspace-plan.ts",
		"lastLoggedFailure",
		[fill("\n"), fill("---\n"), behind("---", " "), fill("--- \n\n")],
	],
	[
		"src/claude/machine/reloaded.ts",
		"withoutComments",
		[fill("<!--"), fill("<!-->"), fill("<!---->"), fill("<!-- -->x<!--")],
	],
	[
		"src/core/state/directives.ts",
		"directivesOf",
		[
			fill("a. "),
			fill("```\n"),
			fill("|"),
			fill("never "),
			fill("keep a "),
			fill("use a "),
			fill(", not a"),
			fill("don't know. "),
			fill("ne a b "),
			fill("no\u3002"),
			fill("nicht a "),
			fill("; "),
		],
	],
	[
		"src/core/state/sentences.ts",
		"sentencesOf",
		[fill("e.g. "), fill("."), fill(".)"), fill("\n"), fill(" "), fill("1. "), fill("。")],
	],
	["src/core/state/shorten.ts", "shorten", [fill("never a. "), fill("a"), fill("\n\n"), fill("use a. ")], [6_000]],
	[
		"src/store/memory/notes.ts",
		"notesIn",
		[fill("\n"), fill("- a\n"), fill("```\n"), fill("# a\n"), fill(" "), fill("\r"), fill("a")],
	],
	[
		"src/store/memory/notes.ts",
		"cleanText",
		[fill("\u001b["), fill("\u001b[1"), fill("\r"), fill("\u0000"), behind("\u001b[", ";")],
	],
	[
		"src/core/state/shell-text.ts",
		"withoutQuotes",
		[fill("<<a\n"), fill("<<a"), fill("<"), fill("'"), fill('"\\"'), fill("'\""), fill("<<'"), behind("<<a\n", "\n")],
	],
	[
		"src/core/state/commands.ts",
		"checkKind",
		[fill("npx "), fill("a=b "), fill("&&"), fill("node "), fill("/a"), fill("git -c "), fill("git --a "), fill(";\n")],
	],
	[
		"src/core/state/directives.ts",
		"directivesOf",
		[fill("\n"), fill(". "), fill("only\n"), behind(".", " "), fill("use a ")],
	],
	[
		"src/core/state/background-tasks.ts",
		"portsIn",
		[fill("running "), fill("localhost:"), fill("port "), fill("--port "), fill("http.server ")],
	],
	["src/core/recovery/loss.ts", "summaryText", [fill("a."), fill("."), fill(" "), fill("a/"), fill("_-")]],
	[
		"src/core/recovery/claims.ts",
		"claimsIn",
		[fill("user "), fill('user: "aaaa bbbb" '), fill('"'), fill('user "a. '), fill("user. "), fill("\n")],
		[{ ...emptyState(), messages: [{ text: "a".repeat(6_000), directives: [] }] }],
	],
	[
		"src/core/recovery/claims/deed-claims.ts",
		"deedClaims",
		[
			fill("pushed "),
			fill("tests pass, "),
			fill("I committed, "),
			fill("- `a.ts` created "),
			fill("was merged and "),
			fill("a:\n"),
			fill('"'),
			fill("\n"),
		],
	],
	[
		"src/core/state/deed-kinds.ts",
		"deedsOfCommand",
		[
			fill("git push "),
			fill("git -C a "),
			fill("sh a;"),
			fill("a=b "),
			fill("npx "),
			fill(">a "),
			fill("&& "),
			fill("go "),
			fill("\n"),
		],
	],
	["src/core/task/summary.ts", "readSummaryMarkdown", [fill("\n"), fill("## Goal\n"), fill("- a\n"), fill("\r")]],
	[
		"src/claude/machine/workspace.ts",
		"recentCommits",
		[
			fill("\n"),
			fill("0"),
			fill(`${"0".repeat(40)} ${"0".repeat(40)} > 1 +0000\tcommit: a\n`),
			fill(`${"0".repeat(40)} `),
		],
	],
	[
		"src/core/transcript/quiet-json.ts",
		"quietJson",
		[fill("["), fill('{"a":'), fill('"\\'), behind('"', "\\"), fill('"a",'), fill('\\"')],
	],
];

function cpuMs(act: () => unknown): number {
	const before = process.cpuUsage();
	try {
		act();
	} catch {
		// what it says of such a text is tested elsewhere
	}
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

const cases = READERS.flatMap(([module, name, texts, more = []]) =>
	texts.map((text) => [`${name}: ${JSON.stringify(text(24))}`, module, name, text, more] as const),
);

test.each(cases)("%s", { timeout: 20_000, retry: 2 }, async (_, module, name, text, more) => {
	const act = (await load<Record<string, (...given: unknown[]) => unknown>>(module))[name]!;
	// a square is told before it is waited for
	for (const length of [16 * 1024, 64 * 1024]) expect(cpuMs(() => act(text(length), ...more))).toBeLessThan(300);
	const best = (length: number): number => {
		const given = text(length);
		return Math.min(...[1, 2, 3].map(() => cpuMs(() => act(given, ...more))));
	};
	const [half, whole] = [best(MB / 2), best(MB)];
	expect(whole).toBeLessThan(1_000);
	expect(whole, "1 MB against 0.5 MB").toBeLessThan(3 * Math.max(25, half));
});
