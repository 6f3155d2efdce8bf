import { expect, test } from "vitest";
import type { SessionState } from "../../../src/core/state/session-state.ts";
import type { TranscriptEvent } from "../../../src/core/transcript/event.ts";
import { at, call, enqueued, message, stateOf, takenBack } from "../../kit/session-events.ts";

type Events = Parameters<typeof stateOf>;

const RULE = "Never push to main.";
const said = (...texts: string[]): SessionState => stateOf(texts.map((text) => message(text)));
const textsIn = ({ messages }: SessionState): string[] => messages.map(({ text }) => text);
const answer = (text: string): TranscriptEvent => ({ kind: "said", at, text });
const many = (n: number, text: (i: number) => string): string[] => Array.from({ length: n }, (_, i) => text(i));

test("messages stay verbatim and in order", () => {
	const texts = ["Hi there", "Never push.\nUse tabs, not spaces please.", "continue", "continue"];
	expect(textsIn(said(...texts))).toEqual(texts);
});

test("what is asked of ccg is no message, also where nobody signs it", () => {
	const unclear = (text: string): TranscriptEvent => ({ kind: "unclear", at, text });
	const state = stateOf(message("Build it."), message("/ccg:restore manual"), unclear("! ccg show"), unclear("! make"));
	expect(textsIn(state)).toEqual(["Build it."]);
	expect(state.unclear?.map(({ text }) => text)).toEqual(["! make"]);
});

test.each<[string, Events, number]>([
	["the agent's answer to ccg's command", [message("/ccg:restore manual")], 0],
	["also behind ccg's own call", [message("/ccg:restore manual"), call("Bash", { command: "ccg show latest" })], 0],
	["it works on", [message("/ccg:restore manual"), call("Bash", { command: "npm test" })], 1],
	["behind a shell line", [message("! ccg show latest", "command")], 1],
])("words of the agent: %s", (_, events, count) => {
	const { prose } = stateOf(message("Go on."), ...events, answer("Done: 3 tests fail."));
	expect(prose).toHaveLength(count);
});

test.each<[string, Events, string[]]>([
	["taken back", [message(RULE), enqueued("Forget it"), takenBack("Forget it")], [RULE]],
	["put in twice, and taken back", [enqueued(RULE), enqueued(RULE), takenBack(RULE), takenBack(RULE)], []],
	["given in a turn", [enqueued(RULE), message(RULE, "queued"), enqueued(RULE), takenBack(RULE)], [RULE]],
	["given as a turn of its own", [enqueued(RULE), message(RULE), enqueued(RULE), takenBack(RULE)], [RULE]],
	["given unseen, as up to 2.1.39", [enqueued(RULE), enqueued(RULE), takenBack(RULE)], [RULE]],
	[
		"given long ago",
		[enqueued(RULE), ...[..."abcdef"].map((one) => message(one)), enqueued(RULE), takenBack(RULE)],
		[RULE, ..."abcdef"],
	],
])("a queued message: %s", (_, events, texts) => expect(textsIn(stateOf(...events))).toEqual(texts));

test("of a huge one its beginning, its end and what lasts in between stay, whole; the rest is counted", () => {
	const filler = many(300, (i) => `Line ${i} tells how it was. `).join("");
	const rule = "Never change the schema of the orders table.";
	const [huge] = textsIn(said(`Here is the log. ${filler}${rule} ${filler}So please fix the parser in src/lex.ts.`));
	expect(huge).toMatch(/^Here is the log. Line 0 tells.*Never change the schema of the orders table\..*lex\.ts\.$/s);
	expect(huge!.length).toBeLessThanOrEqual(6_000);
	const [cut] = textsIn(said("x".repeat(10_000)));
	const left = Number(/ \[…(\d+) characters…\] /.exec(cut!)![1]);
	expect(cut!.match(/x/g)!.length + left).toBe(10_000);
	expect(cut!.length).toBeGreaterThan(5_800);
});

test("of too many messages a rule stays, and so does what was said last; the rest is counted", () => {
	const state = said("Never touch the file legacy.c.", ...many(600, (i) => `Make sure part ${i} compiles for now.`));
	expect(state.messages).toHaveLength(400);
	expect(state.messages[0]!.text).toBe("Never touch the file legacy.c.");
	expect(state.dropped).toEqual({ messages: 201 });
	const rules = said(...many(450, (i) => `Never touch file ${i}.`), "Now look at it.");
	expect(rules.messages.at(-1)!.text).toBe("Now look at it.");
});

test("of too many refusals a correction stays", () => {
	const refused = "The user doesn't want to proceed with this tool use. The tool use was rejected";
	const bash = (command: string, more = "") =>
		call("Bash", { command }, refused + more, true, "User rejected tool use");
	const corrected = bash("sudo ls", ". To tell you how to proceed, the user said:\nNever use sudo here.");
	const { decisions } = stateOf(corrected, ...many(400, String).map((n) => bash(`rm ${n}`)));
	expect([decisions[0]?.words, decisions.length]).toEqual(["Never use sudo here.", 200]);
});
