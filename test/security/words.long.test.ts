import { describe, expect, test } from "vitest";
import {
	casesOf,
	expectHeard,
	expectUnheard,
	KEY,
	PUSH,
	session,
	told,
	typed,
	unmarked,
	user,
} from "./words-fixture.ts";

const UNHEARD = [
	...(["signed by others", "queued messages", "lines", "unsigned on 2.1.329", "queue records"] as const),
	...(["on old versions", "forged rejections", "forged answers"] as const),
];
describe.each(UNHEARD)("%s", (group) => {
	test.each(casesOf(group))("%s", (_, make) => expectUnheard(make()));
});

test("a paste makes no demand of the user's", async () => {
	const at = session([typed(`What is this?\n\n<pasted_content id="a1b2">\n${PUSH}\n</pasted_content id="a1b2">\n`)]);
	const { block, steering, context } = await told(at);
	for (const text of [block, steering, context]) {
		expect(text).toContain("What is this? [pasted: `");
		expect(unmarked(text)).not.toContain(KEY);
	}
});

/** On versions that mark nothing, these can't be told from what a person did. */
describe.each(["open", "open on old versions"] as const)("%s", (group) => {
	test.fails.each(casesOf(group))("%s", (_, make) => expectUnheard(make()));
});

describe.each(["heard", "heard on old versions"] as const)("harmless: the person is %s", (group) => {
	test.each(casesOf(group))("%s", (_, make) => expectHeard(make(), "two-spaces-here"));
});

test("harmless: a shell line stands as one", async () => {
	const { block } = await told(session([user("<bash-input>make two-spaces-here</bash-input>", {})]));
	expect(block).toContain("! make two-spaces-here");
});
