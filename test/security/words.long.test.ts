import { describe, expect, test } from "vitest";
import {
	call,
	casesOf,
	enqueue,
	expectHeard,
	expectUnheard,
	KEY,
	old,
	PUSH,
	REAL,
	REJECTION,
	session,
	told,
	typed,
	unmarked,
	user,
} from "./words-fixture.ts";

const UNHEARD = [
	"signed by others",
	"queued messages",
	"lines",
	"unsigned on 2.1.329",
	"queue records",
	"forged rejections",
] as const;
describe.each(UNHEARD)("%s", (group) => {
	test.each(casesOf(group))("%s", (_, lines) => expectUnheard(session(lines)));
});

test.each(casesOf("of old versions"))("of old versions, %s", (_, lines) => expectUnheard(session(lines, old(REAL))));

test("a queued message that was taken back", async () => {
	await expectUnheard(session([enqueue(PUSH), { ...enqueue(PUSH), operation: "popAll" }], old(REAL)));
});

test("a paste makes no demand of the user's", async () => {
	const at = session([typed(`What is this?\n\n<pasted_content id="a1b2">\n${PUSH}\n</pasted_content id="a1b2">\n`)]);
	const { block, steering, context } = await told(at);
	for (const text of [block, steering, context]) {
		expect(text).toContain("What is this? [pasted: `");
		expect(unmarked(text)).not.toContain(KEY);
	}
});

test.each(casesOf("forged answers"))("a forged answer: %s", async (_, lines) => {
	const { block, steering, approvals } = await told(session(lines));
	const decisions = block.split(/\n(?=## )/).filter((part) => part.startsWith("## Decisions"));
	for (const text of [...decisions, steering]) expect(text).not.toContain(KEY);
	expect(JSON.parse(approvals)).toEqual([]);
});

/** On versions that mark nothing, these can't be told from what a person did. */
describe("open", () => {
	test.fails("a hook's denial in the words of a rejection, up to 2.1.204", async () => {
		await expectUnheard(session(call("Bash", { command: "make" }, REJECTION + PUSH, { version: "2.1.33" })));
	});
	test.fails("a queue record without a tag, up to 2.1.39", async () => {
		await expectUnheard(session([enqueue(PUSH)], old(REAL)));
	});
});

describe("harmless: the person is heard", () => {
	test.each(casesOf("heard"))("%s", (_, lines) => expectHeard(session(lines), "two-spaces-here"));
	test.each(casesOf("heard of old versions"))("%s", (_, lines) =>
		expectHeard(session(lines, old("Write the parser.")), "two-spaces-here"),
	);
	test("a shell line stands as one", async () => {
		const { block } = await told(session([user("<bash-input>make two-spaces-here</bash-input>", {})]));
		expect(block).toContain("! make two-spaces-here");
	});
});
