import { describe, expect, test } from "vitest";
import { saidFate, saidIn, soughtText } from "../../../src/core/audit/said.ts";
import { applyToState } from "../../../src/core/state/apply.ts";
import { emptyState } from "../../../src/core/state/session-state.ts";

const fate = (words: string, summary: string) => saidFate(words, soughtText(summary));

describe("kept in the summary's own words", () => {
	test.each([
		["Never add a dependency, and keep parse() pure.", "No dependency may be added, and parse() is to be kept pure."],
		["Broken lines should be refused.", "The importer refuses broken lines."],
		["Commit after each step with a short message.", "- Commits after each step, short messages"],
		["Don’t touch the generated files", "Generated files are not to be touched."],
		["Don’t touch the generated files", "The generated files stay untouched."],
		["Use pnpm for installs. Run the tests with vitest.", "Installs use pnpm; the tests are run with vitest."],
		["Use tabs.", "The user prefers tabs somewhere."],
		["Keep amounts in cents. Ask before changing errors texts.", "Amounts are kept in cents."],
		["Fix the retry loop in src/net/fetch-page.ts", "The retry loop of fetch-page.ts was fixed."],
		[
			"It does not start when the port is taken by another process.",
			"Start fails when another process has taken the port.",
		],
		[
			"can you look at the export, it drops the last row of every sheet when there are formulas, and the totals are off",
			'User: "can you look at the export, it drops the last row..."',
		],
		["请把导出功能的测试补上，包括空表的情况", "用户要求补上导出功能的测试，包括空表。"],
		["Keine neuen Abhängigkeiten im Parser einbauen", "Im Parser sollen keine neuen Abhängigkeiten dazukommen."],
	])("%#", (words, summary) =>
		expect(fate(words, `The user wants a parser. ${summary} Next: print.`)).toBe("reworded"),
	);

	test.each([
		["nothing of it", "Don't touch anything under archive/.", "The user wants an importer."],
		["the denial is gone", "Never add a dependency to the parser.", "A dependency was added to the parser."],
		["allowed", "Never push to main.", "The user allowed the agent to push to main without asking."],
		["done", "Never use lodash in this project.", "We use lodash in this project; no errors remain."],
		["not needed", "Do not delete the migrations folder.", "Deleted the migrations folder, not needed any more."],
		["another name", "Deploy the api from release-2.4 only.", "Deploy the api from release-2.5 only."],
		["another number", "Use port 3000 for the server", "The server uses port 8080."],
		["a lesser part", "Fix login. Never touch the billing tables or the reports.", "The login was fixed."],
		[
			"words far apart",
			"Render invoices before the exports.",
			`Render ${"x y z ".repeat(40)} invoices ${"a b ".repeat(40)} exports`,
		],
		["an empty summary", "Commit after each step.", "The end."],
	])("not: %s", (_, words, summary) => expect(fate(words, summary)).toBe("dropped"));

	test.each([
		["nothing said", "ok go", "The user wants tests first."],
		["another language is not guessed", "テストを書いてから実装してください。", "The user wants tests first."],
		[
			"nor is one of the same letters",
			"Bitte erst die Prüfungen schreiben.",
			"The user wants the tests to be written first.",
		],
	])("can't be told: %s", (_, words, summary) => expect(fate(words, summary)).toBeNull());
});

describe("things the user said", () => {
	const said = (...texts: string[]): string[] => {
		const state = emptyState();
		for (const text of texts)
			applyToState(state, { kind: "message", at: "", text, source: text.startsWith("! ") ? "command" : "typed" });
		return saidIn(state).map(({ text }) => text);
	};
	test.each([
		"go on",
		"Yes",
		"ok, go ahead",
		"continue please",
		"looks good, thanks!",
		"/ccg:report",
		"/compact",
		"! git status",
		"mach weiter",
		"继续",
		"👍",
	])("not %j", (text) => expect(said(text)).toEqual([]));
	test.each(["Use tabs.", "Never push to main", "why does the importer skip empty lines?", "加上导出功能的测试"])(
		"%j",
		(text) => expect(said(text)).toEqual([text]),
	);
	test("each once; without the command it was typed behind", () => {
		expect(
			said("Add the export of invoices", "/review the export of invoices again", "add the export of  invoices"),
		).toEqual(["the export of invoices again", "add the export of  invoices"]);
	});
});
