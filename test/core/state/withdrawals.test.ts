import { expect, test } from "vitest";
import type { Section } from "../../../src/core/recovery/item.ts";
import { lostSections, summaryText } from "../../../src/core/recovery/loss.ts";
import { sectionsOf } from "../../../src/core/recovery/sections.ts";
import { applyToState } from "../../../src/core/state/apply.ts";
import { emptyState, type SessionState } from "../../../src/core/state/session-state.ts";
import { withdrawalsOf } from "../../../src/core/state/withdrawals.ts";

function said(...texts: string[]): SessionState {
	const state = emptyState();
	for (const text of texts) applyToState(state, { kind: "message", at: "", text, source: "typed" });
	return state;
}
const withdrawn = (...texts: string[]): string[] =>
	[...withdrawalsOf(said(...texts)).values()]
		.flat()
		.map(({ directive }) => directive)
		// what took back is itself one that may be taken back
		.filter((one) => !/^Forget/.test(one));

test.each<[string, string[], string[]]>([
	[
		"pointing back at once",
		["Use tabs everywhere, never spaces.", "Never mind that, spaces are fine."],
		["Use tabs everywhere, never spaces."],
	],
	[
		"no longer needed",
		["Keep the legacy adapter working.", "We no longer need the legacy adapter."],
		["Keep the legacy adapter working."],
	],
	[
		"what is named, not what was said last",
		["Always run the linter before each commit.", "Never push to main.", "Forget what I said about the linter."],
		["Always run the linter before each commit."],
	],
	[
		"the last message",
		["Never push to main.", "Use tabs. Keep it small.", "Ignore my last message."],
		["Use tabs.", "Keep it small."],
	],
	[
		"that, with something in its place",
		["Use jest for the tests.", "Scratch that, use vitest."],
		["Use jest for the tests."],
	],
	[
		"all of a subject",
		["Always run the linter.", "Never lint vendor with the linter.", "Forget everything I said about the linter."],
		["Always run the linter.", "Never lint vendor with the linter."],
	],
	[
		"a rule said twice",
		["Never push to main.", "ok", "Never push to main!", "Forget the rule about main."],
		["Never push to main.", "Never push to main!"],
	],
	[
		"in German",
		["Immer den Linter laufen lassen.", "Nie auf main pushen.", "Vergiss, was ich über den Linter gesagt habe."],
		["Immer den Linter laufen lassen."],
	],
	[
		"in French",
		["Lance toujours le linter.", "Ne pousse jamais sur main.", "Oublie ce que j'ai dit sur le linter."],
		["Lance toujours le linter."],
	],
	[
		"in Spanish",
		["Siempre ejecuta el linter.", "Nunca hagas push a main.", "Olvida lo que dije sobre el linter."],
		["Siempre ejecuta el linter."],
	],
	[
		"in Russian",
		["Всегда запускай линтер.", "Никогда не пушь в main.", "Забудь то, что я говорил про линтер."],
		["Всегда запускай линтер."],
	],
	[
		"in Chinese",
		["提交前必须运行 linter。", "不要推送到 main 分支。", "忘掉我说的关于 linter 的话。"],
		["提交前必须运行 linter。"],
	],
])("taken back: %s", (_, texts, directives) => expect(withdrawn(...texts)).toEqual(directives));

test.each<[string, string[]]>([
	["said again", ["Never push to main.", "I said never push to main!"]],
	["another forbidden thing", ["Always run the tests.", "Don't touch src/legacy."]],
	["a like demand", ["Use pnpm only.", "Always use pnpm for installs."]],
	[
		"pointing back from afar",
		["Never push to main.", "Build the cart.", "Also fix the mails.", "Never mind, I found it."],
	],
	["a question", ["Never push to main.", "What do you think of the main page?"]],
	["a reminder", ["Always run npm test before committing.", "Don't forget to run npm test before committing!"]],
	["asked about", ["Never push to main.", "Can you tell me whether you may push to main?"]],
	["refused again", ["Never push to main.", "No — you can push to a branch, main stays off"]],
	[
		"with a limit",
		["Don't deploy to staging without asking me.", "You can deploy to staging, but not without asking me."],
	],
	["the limit said again", ["Only change files in src/parser.", "Don't change files outside src/parser."]],
	["the other way round", ["Use the logger instead of console.log.", "Don't use console.log, use the logger."]],
	["a log", ["Keep the error handling in parseConfig.", "Error: never reached parseConfig error handling"]],
	[
		"pointing at one of three",
		["Use tabs only. Never touch the schema. Keep it small.", "never mind that, the server is down"],
	],
	["a paste", ["Always add a changelog entry.", `Stop adding changelog entries. ${"and so on ".repeat(80)}`]],
	["a permission for once", ["Never push to main.", "You may push to main today, just for the hotfix."]],
	["an exception", ["Always run the linter.", "Don't run the linter on generated files."]],
	[
		"a subject that two rules have",
		["Always run the linter before commits.", "Keep the linter quiet.", "Forget the linter rule."],
	],
	["a subject that none has", ["Never push to main.", "Forget what I said about the database."]],
	[
		"a part of what a rule names",
		["Always run the linter.", "Forget what I said about the linter on generated files."],
	],
	["quoted", ["Always run the linter.", 'The review says "forget what I said about the linter".']],
	["pasted", ["Always run the linter.", "I got this:\n```\nforget what I said about the linter\n```"]],
	["another instruction with the word", ["Fix all linter warnings.", "Ignore the linter warnings in vendor/."]],
	["in passing", ["Always run the linter.", "Never mind, I found it."]],
	["a question", ["Always run the linter.", "Should I forget the linter?"]],
	[
		"a retraction that was retracted",
		["Always run the linter.", "Forget what I said about the linter.", "Ignore my last message."],
	],
	["by its opposite", ["Never push to main.", "Fix the parser.", "You can push to main now."]],
	["an end that may be for once", ["Always add a changelog entry.", "Build it.", "Stop adding changelog entries."]],
	...[
		...["Never forget to run the linter.", "Please do not forget the linter.", "Never ignore the linter."],
		...["No olvide lo que dije sobre el linter.", "Não esqueça o que eu disse sobre o linter.", "Nie zapomnij linter."],
		...[
			"Не забудь, что я говорил про linter.",
			"不要忘记我说的关于 linter 的话。",
			"Vergiss nicht, was ich über linter gesagt habe.",
		],
		...["Ignore the linter rule for now.", "Ignore the linter."],
	].map((by): [string, string[]] => [by, ["Always run the linter before each commit.", by]]),
	["another's doing", ["Never commit the .env file.", "Make git ignore the .env file."]],
	["the same in other words", ["Don't touch the vendored code.", "Ignore the vendored code."]],
	["a tool's doing", ["Do not edit generated files.", "The linter should ignore generated files."]],
	["for now", ["Never push to main.", "Ignore main for now."]],
	["for now", ["Always run the tests.", "Ignore the tests for now"]],
	["a subject left", ["Never upgrade React beyond 18.", "Forget React, tell me about the build times."]],
	["another noun", ["Never touch the public API.", "Ignore that error, just use the old config."]],
	["another noun", ["Always use pnpm.", "Ignore this warning. Use node 20."]],
	["another reason", ["Never push to main.", "Ignore it, the build is flaky; keep going."]],
	["another permission", ["Never push to main.", "You can use the staging database."]],
])("not taken back: %s", (_, texts) => expect(withdrawn(...texts)).toEqual([]));

test("a shell line takes nothing back", () => {
	const state = said("Always use the redis container.");
	applyToState(state, { kind: "message", at: "", text: "! docker stop redis container", source: "command" });
	expect(withdrawalsOf(state)).toEqual(new Map());
});

test("of two in one message both are marked, also where the summary and CLAUDE.md hold the directive", () => {
	const text = "Never push to the remote. Never run the linter.";
	const state = said(text, "Fix it.", "Forget what I said about the remote. Forget the linter rule.", "Go on.");
	const directives = (sections: Section[]): string[] =>
		sections.find(({ kind }) => kind === "directive")!.items.map((item) => item.text);
	const marked = [
		`- "${text}" (of this, "Never push to the remote.": the user later said: "Forget what I said about the remote."; "Never run the linter.": the user later said: "Forget the linter rule.")`,
	];
	expect(directives(sectionsOf(state, null))).toEqual(expect.arrayContaining(marked));
	expect(directives(lostSections(sectionsOf(state, null), new Set(), summaryText(text), text.toLowerCase()))).toEqual(
		expect.arrayContaining(marked),
	);
});

test("thousands of directives cost no time to speak of", () => {
	const many = Array.from({ length: 40 }, (_, i) => `Never touch module number ${i} of the parser.`).join(" ");
	const started = performance.now();
	said(...Array.from({ length: 200 }, (_, i) => (i % 2 ? many : "You can touch module 3 of the parser now. Stop it.")));
	expect(performance.now() - started).toBeLessThan(5_000);
});

test("a directive taken back still stands word for word, with what took it back", () => {
	const state = said("Never push to main.", "Fix the parser.", "Forget what I said about main.", "Go on.");
	const { items } = sectionsOf(state, null).find(({ kind }) => kind === "directive")!;
	expect(items.map(({ text }) => text)).toContain(
		'- "Never push to main." (the user later said: "Forget what I said about main.")',
	);
});

test("what the agent asked meanwhile may be what is meant", () => {
	const state = said("Never push to main.");
	applyToState(state, { kind: "said", at: "", text: "Understood. Shall I also add a job for it?" });
	applyToState(state, { kind: "message", at: "", text: "Forget that.", source: "typed" });
	expect(withdrawalsOf(state)).toEqual(new Map());
});
