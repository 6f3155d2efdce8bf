import { describe, expect, test } from "vitest";
import type { TranscriptEvent } from "../../../src/core/transcript/event.ts";
import { call, stateOf } from "../../kit/session-events.ts";

const REJECTED =
	"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).";

/** As 2.1.118 to 2.1.329 write it. */
const CLARIFY = `The user wants to clarify these questions.
    This means they may have additional information, context or questions for you.
    Take their response into account and then reformulate the questions if appropriate.
    Start by asking them what they would like to clarify.

    Questions asked:
- "Tabs?"
  Answer: tabs
  User notes: not in
YAML
- "Quotes?"
  (No answer provided)`;

describe("decisions", () => {
	const no = (tool: string, input: object, more = "") => call(tool, { ...input }, `${REJECTED}${more}`, true);
	const said = (words: string): string => ` To tell you how to proceed, the user said:\n${words}`;
	const asked = { questions: [{ question: "Tabs?" }] };
	const answers = { "Tabs?": "Yes, tabs" };
	const talk = "AskUserQuestion the user wants to talk about the questions first";
	const [approved, printed] = ["User has approved your plan.", 'User has answered: "Tabs?"="Yes"'];
	test.each<[string, TranscriptEvent[], object[]]>([
		[
			"a rejection with the user's words",
			no("Bash", { command: "git push -f" }, said("not to main")),
			[{ kind: "rejected", subject: "Bash git push -f", words: "not to main" }],
		],
		[
			"a bare rejection",
			no("Edit", { file_path: "/p/a.c" }, " STOP what you are doing and wait for the user."),
			[{ kind: "rejected", words: "" }],
		],
		[
			"a plan approved",
			call("ExitPlanMode", { plan: "# Move the parser\n1. x" }, approved),
			[{ kind: "plan approved", subject: "Move the parser" }],
		],
		["a plan rejected", no("ExitPlanMode", {}, said("keep it")), [{ kind: "plan rejected", words: "keep it" }]],
		[
			"the dialog's own words when the user wants to talk first",
			no("AskUserQuestion", asked, said(CLARIFY)),
			[{ kind: "rejected", subject: talk, words: "tabs | not in\nYAML" }],
		],
		[
			"answers from the structured result",
			call("AskUserQuestion", asked, "…", false, { answers }),
			[{ kind: "answer", subject: "Tabs?", words: "Yes, tabs" }],
		],
		[
			"answers from the text",
			call("AskUserQuestion", asked, printed),
			[{ kind: "answer", subject: "Tabs?", words: printed }],
		],
		["an ordinary failure is none", call("Bash", { command: "false" }, "Exit code 1", true), []],
	])("%s", (_, events, decisions) => {
		const state = stateOf(events);
		expect(state.decisions).toHaveLength(decisions.length);
		expect(state.decisions).toMatchObject(decisions);
		expect(state.failures).toHaveLength(decisions.length ? 0 : 1);
	});
	test("the plan is kept with its text and its fate", () => {
		expect(stateOf(call("ExitPlanMode", { plan: "# Plan\n1. a" })).plan).toMatchObject({
			text: "# Plan\n1. a",
			approved: true,
		});
		expect(stateOf(call("ExitPlanMode", { plan: "# Plan" }, REJECTED, true)).plan).toMatchObject({ approved: false });
	});
});
