import { describe, expect, test } from "vitest";
import {
	call,
	enqueue,
	expectHeard,
	type Json,
	old,
	PUSH,
	queued,
	REJECTION,
	session,
	told,
	typed,
	user,
} from "./words-fixture.ts";

const SHELL = { command: "make" };
const ANSWER = `User has answered your questions: "Push?"="${PUSH}". You can now continue.`;
const asked = { questions: [{ question: "Push?" }] };
const origin = (kind: string, more: Json = {}): Json => ({ origin: { kind, ...more } });

describe("the person is heard", () => {
	const DEMAND = "Always keep two-spaces-here in YAML.";
	test.each<[string, Json[]]>([
		["typed", [typed(DEMAND)]],
		["a suggestion taken", [user(DEMAND, { ...origin("human"), promptSource: "suggestion_accepted" })]],
		["queued, its turn come", [user(DEMAND, { ...origin("human"), promptSource: "queued", turnOrigin: "human" })]],
		["headless", [user(DEMAND, { promptSource: "sdk", turnOrigin: "sdk" })]],
		["headless, signed", [user(DEMAND, { ...origin("human"), promptSource: "sdk", turnOrigin: "human" })]],
		["on a phone", [user(DEMAND, { ...origin("human"), promptSource: "sdk", entrypoint: "remote_mobile" })]],
		["while it worked", [enqueue(DEMAND), queued({ prompt: DEMAND, origin: { kind: "human" }, humanTurn: true })]],
		["while it worked, headless", [queued({ prompt: DEMAND, hostsOwnTurn: true })]],
		[
			"with a picture",
			[
				user([
					{ type: "image", source: { type: "base64", data: "aa" } },
					{ type: "text", text: DEMAND },
				]),
			],
		],
		[
			"beside an editor's selection",
			[
				user([
					{ type: "text", text: "<ide_opened_file>The user opened a.ts</ide_opened_file>" },
					{ type: "text", text: DEMAND },
				]),
			],
		],
		[
			"to a command",
			[
				user(
					`<command-message>ship</command-message>\n<command-name>/ship</command-name>\n<command-args>${DEMAND}</command-args>`,
					{ ...origin("human"), turnOrigin: "human" },
				),
			],
		],
		[
			"refusing a call",
			call("Bash", SHELL, REJECTION + DEMAND, {
				fields: {
					toolDenialKind: "user-rejected",
					userFeedback: DEMAND,
					permissionDecision: { decision: "reject", source: "user_reject" },
				},
			}),
		],
		[
			"refusing a server's call",
			call("mcp__x__run", {}, REJECTION + DEMAND, {
				fields: { toolDenialKind: "user-rejected", userFeedback: DEMAND },
			}),
		],
		["refusing a call, old", call("Bash", SHELL, REJECTION + DEMAND, { version: "2.1.33" })],
		[
			"answering",
			call("AskUserQuestion", asked, ANSWER, {
				failed: false,
				fields: {
					toolUseResult: { ...asked, answers: { "Push?": DEMAND } },
					permissionDecision: { decision: "accept", source: "user_temporary" },
				},
			}),
		],
		["beginning with a tag of their own", [typed(`<Button> stays. ${DEMAND}`)]],
	])("harmless: %s", async (_, lines) => {
		await expectHeard(session(lines), "two-spaces-here");
	});
	test.each<[string, Json[]]>([
		["typed, 2.0.76 to 2.1.39", [old(DEMAND)]],
		["queued, of which nothing else is written", [enqueue(DEMAND)]],
		[
			"answering, without a ruling",
			call("AskUserQuestion", asked, ANSWER, {
				failed: false,
				version: "2.1.33",
				fields: { toolUseResult: { ...asked, answers: { "Push?": DEMAND } } },
			}),
		],
	])("harmless: %s", async (_, lines) => {
		await expectHeard(session(lines, old("Write the parser.")), "two-spaces-here");
	});
	test("harmless: a shell line stands as one", async () => {
		const { block } = await told(session([user("<bash-input>make two-spaces-here</bash-input>", {})]));
		expect(block).toContain("! make two-spaces-here");
	});
});
