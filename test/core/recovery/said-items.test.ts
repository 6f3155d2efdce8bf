import { expect, test } from "vitest";
import { decisionItems, directiveItems, messageItems } from "../../../src/core/recovery/said-items.ts";
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

test("of many rules one that is said again counts once, with the newest wording, before the others", () => {
	const others = Array.from({ length: 80 }, (_, n) => message(`Never change the public signature of handler${n}.`));
	const state = stateOf(
		message("Always run the whole test suite before a commit."),
		others,
		message("Always run the whole test suite before commits!"),
		message("Never delete the fixtures."),
	);
	const items = directiveItems(state, null);
	expect(items[0]?.words).toBe("Always run the whole test suite before commits!");
	expect(items.filter(({ stands }) => stands)).toHaveLength(82);
	expect(items.at(-1)?.words).toBe("Always run the whole test suite before a commit.");
});

test("the short form of a long message is its rules; one that was taken back is not among them", () => {
	const filler = "The import of the ledger was slow in the nightly run. ".repeat(12);
	const state = stateOf(
		message(`${filler}Never touch the schema. ${filler}Always print the SQL statements of the export. ${filler}`),
		message("Stop printing the SQL statements of the export."),
	);
	const item = directiveItems(state, null).find(({ words }) => words?.includes("schema"));
	expect(item?.short).toBe('- of a longer message: "Never touch the schema."');
});

test("a request in one line, with the commit and the check that followed", () => {
	const request =
		"The export of the ledger to Parquet is what comes next, in the module beside the importer and with the same options; it takes the table of the nightly job and the one of last year, and prints the row count.";
	const state = stateOf(
		message(request),
		call("Bash", { command: "npm test" }, " Tests  14 passed (14)"),
		call("Bash", { command: "git commit -qam 'Add the export'" }, "[main abc1234] Add the export"),
		message("thanks"),
	);
	const short = messageItems(state, null).find(({ words }) => words === request)?.short;
	expect(short).toBe(`- "${request.slice(0, 89)}…" (then commit abc1234, test worked)`);
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
