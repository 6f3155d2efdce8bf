import { describe, expect, test } from "vitest";
import { withdrawalsOf } from "../../../src/core/state/withdrawals.ts";
import type { TranscriptEvent } from "../../../src/core/transcript/event.ts";
import { call, enqueued, message, stateOf, takenBack } from "../../kit/session-events.ts";

describe("messages", () => {
	test("stay verbatim and in order, with their directives", () => {
		const { messages } = stateOf(
			message("Hi there"),
			message("Never push.\nUse tabs, not spaces please."),
			message("go on"),
		);
		expect(messages.map(({ text }) => text)).toEqual([
			"Hi there",
			"Never push.\nUse tabs, not spaces please.",
			"go on",
		]);
		expect(messages[1]!.directives).toEqual(["Never push.", "Use tabs, not spaces please."]);
	});
	test("a queued message that is typed later counts once", () => {
		expect(stateOf(message("and this", "queued"), message("and  this")).messages).toMatchObject([{ source: "typed" }]);
	});
	test("a queued message that was taken back is none, and takes nothing back itself", () => {
		const again = "Forget the rule about main";
		const state = stateOf(message("Never push to main."), enqueued(again), takenBack(again));
		expect(state.messages).toEqual([expect.objectContaining({ text: "Never push to main." })]);
		expect(withdrawalsOf(state)).toEqual(new Map());
	});
	test("what was typed is not taken back with it", () => {
		expect(stateOf(message("Never push."), takenBack("Never push.")).messages).toHaveLength(1);
	});
	test.each<[string, TranscriptEvent[], number]>([
		["given in the middle of a turn", [enqueued("Never push."), message("Never push.", "queued")], 1],
		["given as a turn of its own", [enqueued("Never push."), message("Never push.")], 1],
		["given unseen, as up to 2.1.39", [enqueued("Never push.")], 1],
		["given, then much was said", [enqueued("Never push."), ..."abcdef".split("").map((text) => message(text))], 7],
	])("%s, queued again and taken back, a message stays", (_, events, count) => {
		const { messages } = stateOf(events, enqueued("Never push."), takenBack("Never push."));
		expect(messages).toHaveLength(count);
		expect(messages[0]).toMatchObject({ text: "Never push.", directives: ["Never push."] });
	});
	test("queued twice and taken back twice, it is none", () => {
		const twice = [enqueued("Never push."), enqueued("Never push.")];
		expect(stateOf(twice, takenBack("Never push."), takenBack("Never push.")).messages).toEqual([]);
	});
	test("what a given message took back stays so when the same words are queued again and taken back", () => {
		const again = "Forget the rule about main";
		const between = "abcdef".split("").map((text) => message(text));
		const given = [message("Never push to main."), message(again), ...between];
		const state = stateOf(given, enqueued(again), takenBack(again));
		expect(state.messages).toHaveLength(8);
		expect(withdrawalsOf(state).get(state.messages[0]!)).toEqual([{ directive: "Never push to main.", by: again }]);
	});
	test("the same words typed twice count twice", () => {
		expect(stateOf(message("continue"), message("continue")).messages).toHaveLength(2);
	});
	test("a huge one is cut in its middle, where it says by how much", () => {
		const [huge] = stateOf(message("x".repeat(10_000))).messages;
		expect(huge!.text.length).toBeLessThanOrEqual(6_000);
		expect(huge!.text).toContain(`[…${huge!.cut} characters…]`);
		expect(huge!.text.match(/x/g)!.length + huge!.cut!).toBe(10_000);
	});
	test("its beginning, its end and what directs in between stay, whole", () => {
		const filler = (n: number) => Array.from({ length: n }, (_, i) => `Line ${i} tells how it was. `).join("");
		const rule = "Never change the schema of the orders table.";
		const last = "So please fix the parser in src/lex.ts.";
		const [huge] = stateOf(message(`Here is the log. ${filler(300)}${rule} ${filler(300)}${last}`)).messages;
		expect(huge!.text.startsWith("Here is the log. Line 0 tells")).toBe(true);
		expect(huge!.text).toContain(rule);
		expect(huge!.text.endsWith(last)).toBe(true);
		expect(huge!.text.length).toBeLessThanOrEqual(6_000);
		expect(huge!.directives).toEqual([rule]);
	});
	test("secrets never get in", () => {
		const token = `ghp_${"a1B2".repeat(9)}`;
		expect(
			JSON.stringify(
				stateOf(
					message(`use ${token}`),
					call("Bash", { command: `curl -H 'Authorization: Bearer ${token}' x.example` }),
				),
			),
		).not.toContain(token);
	});
	test("look-alikes of the host's tags and control characters are broken", () => {
		const { messages } = stateOf(message("a </system-reminder> b <div> \u001b[31mred\u0007 \u200b"));
		expect(messages[0]!.text).toBe("a ‹/system-reminder> b <div> red ");
	});
	test("hundreds of them stay bounded", () => {
		const state = stateOf(Array.from({ length: 500 }, (_, i) => message(`message ${i}`)));
		expect(state.messages).toHaveLength(400);
		expect(state.dropped).toEqual({ messages: 100 });
		expect(state.messages.at(-1)!.text).toBe("message 499");
	});
});

test("of too many messages those that direct stay", () => {
	const state = stateOf(
		message("Never touch the file legacy.c."),
		Array.from({ length: 450 }, (_, i) => message(`note ${i}`)),
	);
	expect(state.messages[0]!.text).toBe("Never touch the file legacy.c.");
	expect(state.messages).toHaveLength(400);
});
