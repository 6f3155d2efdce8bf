import { expect, test } from "vitest";
import { decisionItems, directiveItems } from "../../../src/core/recovery/said-items.ts";
import { call, message, stateOf } from "../../kit/session-events.ts";

test("firm rules come first, then what may last, then requests; of each the newest", () => {
	const state = stateOf(
		message("Never push to main."),
		message("Make sure it compiles for now."),
		message("Prefer small functions."),
		message("Always run the tests."),
	);
	const items = directiveItems(state, null);
	expect(items.map(({ words }) => words)).toEqual([
		"Always run the tests.",
		"Never push to main.",
		"Prefer small functions.",
		"Make sure it compiles for now.",
	]);
	expect(items.map(({ stands }) => stands?.length ?? 0)).toEqual([1, 1, 1, 0]);
});

test("the short form of a long message is its rules; one that was taken back is not among them", () => {
	const filler = "The import of the ledger was slow in the nightly run. ".repeat(12);
	const state = stateOf(
		message(`${filler}Never touch the schema. ${filler}Always print the SQL statements of the export. ${filler}`),
		message("Forget what I said about the SQL statements."),
	);
	const item = directiveItems(state, null).find(({ words }) => words?.includes("schema"));
	expect(item?.short).toBe('- of a longer message: "Never touch the schema."');
});

test("a correction stands before other decisions", () => {
	const refused = "The user doesn't want to proceed with this tool use. The tool use was rejected";
	const corrected = `${refused}. To tell you how to proceed, the user said:\nNever use sudo here.`;
	const state = stateOf(
		call("Bash", { command: "sudo ls" }, corrected, true, "User rejected tool use"),
		call("Bash", { command: "rm x" }, refused, true, "User rejected tool use"),
	);
	expect(decisionItems(state).map(({ words, stands }) => [words, stands])).toEqual([
		["Never use sudo here.", ["Never use sudo here."]],
		["Bash rm x", undefined],
	]);
});
