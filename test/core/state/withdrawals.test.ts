import { expect, test } from "vitest";
import { sectionsOf } from "../../../src/core/recovery/sections.ts";
import { fold } from "../../../src/core/state/fold.ts";
import { emptyState, type SessionState } from "../../../src/core/state/session-state.ts";

function said(...texts: string[]): SessionState {
	const state = emptyState();
	for (const text of texts) fold(state, { kind: "message", at: "", text, source: "typed" });
	return state;
}
const withdrawn = (...texts: string[]): string[] =>
	said(...texts).messages.flatMap(({ withdrawn = [] }) => withdrawn.map(({ directive }) => directive));

test.each<[string, string[], string[]]>([
	[
		"pointing back at once",
		["Use tabs everywhere, never spaces.", "Never mind that, spaces are fine."],
		["Use tabs everywhere, never spaces."],
	],
	["by name", ["Never push to main.", "Fix the parser.", "You can push to main now."], ["Never push to main."]],
	[
		"a forbidden thing allowed",
		["Don't run the e2e tests.", "ok go ahead and run the e2e tests"],
		["Don't run the e2e tests."],
	],
	[
		"a demand ended",
		["Always add a changelog entry.", "Build it.", "Stop adding changelog entries."],
		["Always add a changelog entry."],
	],
	[
		"no longer needed",
		["Keep the legacy adapter working.", "We no longer need the legacy adapter."],
		["Keep the legacy adapter working."],
	],
	[
		"one of two",
		["Never push to main. Never touch src/legacy.", "You may push to main again."],
		["Never push to main."],
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
	["another permission", ["Never push to main.", "You can use the staging database."]],
])("not taken back: %s", (_, texts) => expect(withdrawn(...texts)).toEqual([]));

test("a directive taken back still stands word for word, with what took it back", () => {
	const state = said("Never push to main.", "Fix the parser.", "You can push to main now.", "Go on.");
	const { items } = sectionsOf(state, null).find(({ kind }) => kind === "directive")!;
	expect(items.map(({ text }) => text)).toContain(
		'- "Never push to main." (taken back later: "You can push to main now.")',
	);
});
