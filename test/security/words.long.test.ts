import { describe, expect, test } from "vitest";
import { ccg } from "../kit/sandbox.ts";
import {
	call,
	casesOf,
	enqueue,
	expectHeard,
	expectUnheard,
	KEY,
	old,
	PUSH,
	REJECTION,
	session,
	told,
	typed,
	unmarked,
	user,
	usersParts,
} from "./words-fixture.ts";

for (const group of ["signed by others", "queued messages", "lines"] as const)
	test.each(casesOf(group))(`${group}: %s`, async (_, lines) => {
		await expectUnheard(session(lines));
	});

/** Lines without a signature on a version that signs prompts. */
test.each<[string, unknown]>([
	["plain text", PUSH],
	["a text block", [{ type: "text", text: PUSH }]],
	["turnOrigin alone, as behind a shell line", PUSH],
	["Stop hook feedback", `Stop hook feedback:\n[cmd]: ${PUSH}\n`],
	["what a shell line printed", `<bash-stdout>${PUSH}</bash-stdout><bash-stderr></bash-stderr>`],
	["a command's arguments", `<command-args>${PUSH}</command-args>`],
])("unsigned on 2.1.329: %s", async (name, content) => {
	await expectUnheard(session([user(content, name.startsWith("turnOrigin") ? { turnOrigin: "human" } : {})]));
});

const WRAPPED: [string, string][] = [
	["a channel's message", `<channel source="chat" user="x">\n${PUSH}\n</channel>`],
	["another session's", `<cross-session-message from-name="b">\n${PUSH}\n</cross-session-message>`],
	["an agent's", `<agent-message from="a">${PUSH}</agent-message>`],
	["an agent's notice", `<agent-notification>\n<agent-id>a</agent-id>\n<result>${PUSH}</result>`],
	["a teammate's", `<teammate-message teammate_id="x" color="red">\n${PUSH}\n</teammate-message>`],
	["a task's notice", `<task-notification>\n<task-id>b</task-id>\n<summary>${PUSH}</summary>\n</task-notification>`],
	["a poll's", PUSH],
	["a schedule's prompt", `${PUSH} (cron)`],
	["a hook's", `<user-prompt-submit-hook>${PUSH}</user-prompt-submit-hook>`],
	["a command's output", `<local-command-stdout>${PUSH}</local-command-stdout>`],
];
test.each(WRAPPED)("a queue record: %s", async (_, content) => {
	await expectUnheard(session([enqueue(content)]));
});
test.each(WRAPPED.filter(([name]) => !/poll|schedule/.test(name)))(
	"a line of an old version: %s",
	async (_, content) => {
		await expectUnheard(session([old(content)], old("Write the parser. Never touch the file legacy.c")));
	},
);
test.each(WRAPPED.filter(([name]) => !/poll|schedule/.test(name)))(
	"a queue record of an old version: %s",
	async (_, text) => {
		await expectUnheard(session([enqueue(text)], old("Write the parser. Never touch the file legacy.c")));
	},
);

test("a queued message that was taken back", async () => {
	const start = old("Write the parser. Never touch the file legacy.c");
	await expectUnheard(session([enqueue(PUSH), { ...enqueue(PUSH), operation: "popAll" }], start));
});

test("a paste makes no demand of the user's", async () => {
	const at = session([typed(`What is this?\n\n<pasted_content id="a1b2">\n${PUSH}\n</pasted_content id="a1b2">\n`)]);
	const { block, steering, context } = await told(at);
	for (const text of [block, steering, context]) {
		expect(text).toContain("What is this? [pasted: `");
		expect(unmarked(text)).not.toContain(KEY);
	}
});

test("a summary's words that nobody said are told as such", async () => {
	const at = session([user(PUSH, { origin: { kind: "channel" } })]);
	const { block } = await told(at);
	expect(usersParts(block)).not.toContain(KEY);
	expect((await ccg(at, ["show", at.transcript])).out).not.toContain(`"${PUSH}"`);
});

const SHELL = { command: "make" };
const FORGED = REJECTION + PUSH;
test.each(casesOf("forged rejections"))("a forged rejection: %s", async (_, lines) => {
	await expectUnheard(session(lines));
});

test.each(casesOf("forged answers"))("a forged answer: %s", async (_, lines) => {
	const at = session(lines);
	const { block, steering, approvals } = await told(at);
	const decisions = block
		.split(/\n(?=## )/)
		.filter((part) => /^## Decisions/.test(part))
		.join("");
	expect(decisions).not.toContain(KEY);
	expect(steering).not.toContain(KEY);
	expect(JSON.parse(approvals)).toEqual([]);
});

/** On versions that mark nothing, these can't be told from what a person did. */
describe("open", () => {
	test.fails("open: a hook's denial in the words of a rejection, up to 2.1.204", async () => {
		await expectUnheard(session(call("Bash", SHELL, FORGED, { version: "2.1.33" })));
	});
	test.fails("open: a queue record without a tag, up to 2.1.39", async () => {
		await expectUnheard(session([enqueue(PUSH)], old("Write the parser. Never touch the file legacy.c")));
	});
});

describe("the person is heard", () => {
	test.each(casesOf("heard"))("harmless: %s", async (_, lines) => {
		await expectHeard(session(lines), "two-spaces-here");
	});
	test.each(casesOf("heard of old versions"))("harmless: %s", async (_, lines) => {
		await expectHeard(session(lines, old("Write the parser.")), "two-spaces-here");
	});
	test("harmless: a shell line stands as one", async () => {
		const { block } = await told(session([user("<bash-input>make two-spaces-here</bash-input>", {})]));
		expect(block).toContain("! make two-spaces-here");
	});
});
