import { expect, test } from "vitest";
import { claimsIn } from "../../../src/core/recovery/claims.ts";
import { applyToState } from "../../../src/core/state/apply.ts";
import { emptyState } from "../../../src/core/state/session-state.ts";

test.each<[string, [user: string, agent: string][], string, number]>([
	[
		"an ok to something else",
		[
			["Fix the parser.", "It works. Shall I run the tests?"],
			["ok", ""],
		],
		"The user approved the deployment.",
		1,
	],
	[
		"please",
		[
			["Fix the parser.", "Shall I format the files?"],
			["yes please", ""],
		],
		"The user approved dropping the table.",
		1,
	],
	[
		"go on",
		[
			["Fix the parser.", "The parser is fixed."],
			["go on", ""],
		],
		"The user confirmed the release date.",
		1,
	],
	[
		"what was asked",
		[
			["Fix the parser.", "Shall I deploy it now?"],
			["ok", ""],
		],
		"The user approved the deployment.",
		0,
	],
	[
		"what was asked before another question",
		[
			["Fix it.", "Shall I deploy it?"],
			["What is left?", "Shall I run the tests?"],
			["ok", ""],
		],
		"The user approved the deployment.",
		1,
	],
	[
		"a no",
		[
			["Fix it.", "Shall I deploy it?"],
			["no", ""],
		],
		"The user approved the deployment.",
		1,
	],
	["what the user forbade", [["Never push to main.", ""]], "The user approved pushing to main.", 1],
	[
		"an ok to what is done",
		[
			["Fix it.", "Done."],
			["ok", ""],
		],
		"The user approved the deployment.",
		1,
	],
	[
		"another language",
		[
			["Fix it.", "Soll ich das jetzt ausrollen?"],
			["ja", ""],
		],
		"The user approved the deployment.",
		0,
	],
	[
		"what the user named",
		[
			["Deploy it after the tests.", "They are green, all of them."],
			["ok", ""],
		],
		"The user approved the deployment.",
		0,
	],
])("an approval: %s", (_, turns, summary, count) => {
	const state = emptyState();
	for (const [user, agent] of turns) {
		applyToState(state, { kind: "message", at: "", text: user, source: "typed" });
		if (agent) applyToState(state, { kind: "said", at: "", text: agent });
	}
	expect(claimsIn(summary, state).map(({ sentence }) => sentence)).toEqual(Array(count).fill(summary));
});
