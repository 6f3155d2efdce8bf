import { describe, expect, test } from "vitest";
import { withoutBase } from "../../../src/core/recovery/item-text.ts";
import { firstBlock } from "../../../src/core/recovery/recovery-block.ts";
import { applyToState } from "../../../src/core/state/apply.ts";
import { at, both, input, session, type Turn } from "./recovery-kit.ts";

describe("where things stood", () => {
	test.each<[string, Turn[], string]>([
		[
			"a prompt that brought the compaction on",
			[{ user: "Now the docs." }],
			"has not been answered: nothing followed it",
		],
		["at work", [{ user: "Fix it." }, { said: "I look." }, { bash: ["ls", "a.ts"] }], "it was at work"],
		[
			"after the answer",
			[{ user: "Fix it." }, { bash: ["ls", "a.ts"] }, { said: "It is mended." }],
			"last words came after all of them",
		],
		[
			"a call cut off",
			[{ user: "Fix it." }, { cutOff: "npm run deploy" }],
			"- called, and no result read so far (it may have ended): `Bash npm run deploy`",
		],
		[
			"a failed command",
			[{ user: "Fix it." }, { bash: ["make all", "ld: symbol _x not found", true] }],
			"- failed: `make all` — `ld: symbol _x not found`",
		],
		[
			"never checked",
			[{ user: "Fix it." }, { edit: "/p/src/a.ts" }],
			"- edited, and no check with a result was seen: `src/a.ts`",
		],
		[
			"an answer in a word",
			[{ user: "Is it done?" }, { said: "Yes." }],
			"no call followed the request above; the agent's last words came after it",
		],
		[
			"the last words of before",
			[{ user: "Fix it." }, { said: "It is mended now." }, { user: "Now the docs." }],
			"- the agent's last words: `It is mended now.`",
		],
		[
			"a call of before without a result",
			[
				{ user: "Fix it." },
				{ cutOff: "make" },
				{ user: "Again." },
				{ bash: ["ls", "a.ts"] },
				{ said: "It is mended." },
			],
			"last words came after all of them",
		],
		[
			"a shell line of the user",
			[{ user: "Fix it." }, { shell: "! ls" }],
			"has not been answered: nothing followed it",
		],
		[
			"begun in the background",
			[
				{ user: "Go." },
				{ bash: ["npm run dev &", "Command running in background", false, { backgroundTaskId: "b1" }] },
			],
			"- begun in the background: `npm run dev &`",
		],
		[
			"a check behind a pipe",
			[{ user: "Go." }, { bash: ["npm test | tail -3", "Tests 3 failed"] }],
			"- failed: `npm test | tail -3`",
		],
		[
			"a check that failed in other words",
			[{ user: "Go." }, { bash: ["npm test | tail -3", "3 tests failed"] }],
			"- failed: `npm test | tail -3`",
		],
		[
			"more programs run than are kept",
			[
				{ user: "Go." },
				{ bash: ["npm test", "Tests 3 passed"] },
				...Array.from({ length: 30 }, (_, i): Turn => ({ bash: [`node run${i}.js`, "ok"] })),
				{ edit: "/p/a.ts" },
			],
			"- edited after the last check (`npm test`, worked): `a.ts`",
		],
		[
			"edited after the check",
			[{ user: "Fix it." }, { edit: "/p/src/a.ts" }, { bash: ["npm test", "Tests 3 passed"] }, { edit: "/p/src/b.ts" }],
			"- edited after the last check (`npm test`, worked): `src/b.ts`",
		],
	])("%s", (_, turns, line) => {
		const [first] = both(session(...turns), null);
		expect(first).toContain(line);
		expect(first).not.toContain("answered or worked on before");
	});
});

test("a path is told from the folder on only where it lies in it", () => {
	const told = "ls a b/c, /srv/app/a /app2 /var/app/x '/app-b'; cd .";
	expect(withoutBase("ls /app/a /app/b/c, /srv/app/a /app2 /var/app/x '/app-b'; cd /app", "/app")).toBe(told);
});

test("the calls counted are the agent's", () => {
	const state = session({ user: "Fix it." }, { bash: ["ls", "a.ts"] }, { user: "Go on." });
	expect(firstBlock({ ...input(state), recall: "ccg recall" }).text).toContain(
		"user (2), the agent's words and all calls with their results (1)",
	);
});

test("an edit that failed is none after the check", () => {
	const state = session(
		{ user: "Go." },
		{ edit: "/p/a.ts" },
		{ bash: ["npm test", "Tests 3 passed"] },
		{ edit: "/p/a.ts", failed: true },
	);
	expect(both(state, null)[0]).not.toContain("edited");
});

test("a queued message counts as asked when the agent gets it", () => {
	const state = session({ user: "Fix it." });
	const next = (source: "queued" | "typed", waits?: true) =>
		applyToState(state, { kind: "message", at, text: "Now the docs.", source, ...(waits && { waits }) });
	next("queued", true);
	applyToState(state, { kind: "said", at, text: "The lexer is mended." });
	next("typed");
	expect(both(state, null)[0]).toContain("has not been answered: nothing followed it");
	applyToState(state, { kind: "call", at, id: "x", tool: "Bash", input: { command: "ls" } });
	expect(both(state, null)[0]).toContain("- the agent's last words (1 call before the end): `The lexer is mended.`");
});

test("a tool's name turns no text around", () => {
	const state = session({ user: "Go." });
	applyToState(state, { kind: "call", at, id: "x", tool: "mcp__a\u202etxet", input: {} });
	expect(both(state, null)[0]).toContain("- called, and no result read so far (it may have ended): `mcp__atxet`");
});
