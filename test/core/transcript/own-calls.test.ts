import { join } from "node:path";
import { expect, test } from "vitest";
import { isMessageToCcg, isOwnCall } from "../../../src/core/transcript/own-calls.ts";
import { corpus } from "../../kit/corpus.ts";

const CASES = corpus(join(import.meta.dirname, "own-calls.txt"));
const runsOwn = (command: string) => [
	isOwnCall("Bash", { command, description: "Look it up" }),
	isOwnCall("mcp__acp__Bash", { command }),
	isMessageToCcg(`! ${command}`),
];

test.each([...CASES["ccg alone"]!, `ccg recall port${";".repeat(10_000)}`])("ccg alone: %.80s", (command) => {
	expect(runsOwn(command)).toEqual([true, true, true]);
});

test.each([...CASES["more than ccg"]!, ""])("more than ccg: %s", (command) => {
	expect([...runsOwn(command), isMessageToCcg(command)]).toEqual([false, false, false, false]);
});

test("slash commands of ccg's are its own, words about it are the user's", () => {
	const messages = [...CASES["a message of ccg's"]!, ...CASES["no message of ccg's"]!];
	expect(messages.filter(isMessageToCcg)).toEqual(CASES["a message of ccg's"]);
});

test("tools of ccg's are its own", () => {
	const isOwn = (row: string) => isOwnCall(row.split(" ")[0]!, JSON.parse(row.slice(row.indexOf(" "))));
	const calls = [...CASES["a tool of ccg's"]!, ...CASES["another tool"]!];
	expect(calls.filter(isOwn)).toEqual(CASES["a tool of ccg's"]);
});
