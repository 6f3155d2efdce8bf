import { describe, expect, test } from "vitest";
import { MAX_INJECTED_CHARS, recoveryBudget } from "../../../src/core/block/budget.ts";
import { joinedFindings } from "../../../src/core/block/findings.ts";
import { type Section, withoutBase } from "../../../src/core/block/item.ts";
import { chooseTelling, pack } from "../../../src/core/block/pack.ts";
import { firstBlock } from "../../../src/core/block/recovery-block.ts";
import { applyToState } from "../../../src/core/state/apply.ts";
import { emptyState } from "../../../src/core/state/session-state.ts";
import { tellingWords } from "../../../src/core/text/telling-words.ts";
import { call, message, stateOf } from "../../kit/session-events.ts";
import { at, both, input, itemsOf, session, type Turn } from "./kit.ts";

const SECTION: Section = { kind: "message", at: 1, heading: "A", share: 0.3, items: [] };

describe("where things stood", () => {
	const [ASK, GO]: Turn[] = [{ user: "Fix it." }, { user: "Go." }];
	const ls: Turn = { bash: ["ls", "a.ts"] };
	const passed: Turn = { bash: ["npm test", "Tests 3 passed"] };
	const edit = (name: string): Turn => ({ edit: `/p/${name}` });
	const runs = Array.from({ length: 30 }, (_, i): Turn => ({ bash: [`node run${i}.js`, "ok"] }));
	const UNREAD = "- called, and no result read so far (it may have ended): ";
	const UNCHECKED = "- edited after the last check (`npm test`, worked): ";
	test.each<[Turn[], string]>([
		[[{ user: "Now the docs." }], "has not been answered: nothing followed it"],
		[[ASK!, { said: "I look." }, ls], "it was at work"],
		[[ASK!, ls, { said: "It is mended." }], "last words came after all of them"],
		[[ASK!, { said: "Yes." }], "no call followed the request above; the agent's last words came after"],
		[[ASK!, { said: "It is mended." }, { user: "Now the docs." }], "- the agent's last words: `It is mended.`"],
		[[ASK!, { shell: "! ls" }], "has not been answered: nothing followed it"],
		[[ASK!, { cutOff: "npm run deploy" }], `${UNREAD}\`Bash npm run deploy\``],
		[[ASK!, { bash: ["make all", "ld: no _x", true] }], "- failed: `make all` — `ld: no _x`"],
		[[GO!, { bash: ["npm test | tail -3", "3 tests failed"] }], "- failed: `npm test | tail -3`"],
		[
			[GO!, { bash: ["npm run dev &", "Command running", false, { backgroundTaskId: "b1" }] }],
			"- begun in the background: `npm run dev &`",
		],
		[[ASK!, edit("src/a.ts")], "- edited, and no check with a result was seen: `src/a.ts`"],
		[[GO!, edit("a.ts"), passed, ...runs, edit("b.ts")], `${UNCHECKED}\`b.ts\``],
	])("%#", (turns, line) => {
		expect(both(session(...turns), null)[0]).toContain(line);
	});
	test("an edit that failed is none after the check", () => {
		const state = session(GO!, edit("a.ts"), passed, { ...edit("a.ts"), failed: true });
		expect(both(state, null)[0]).not.toContain("edited");
	});
	test("a queued message counts as asked when the agent gets it; the calls counted are the agent's", () => {
		const state = session(ASK!);
		const next = (source: "queued" | "typed", waits?: true) =>
			applyToState(state, { kind: "message", at, text: "Now the docs.", source, ...(waits && { waits }) });
		next("queued", true);
		applyToState(state, { kind: "said", at, text: "The lexer is mended." });
		next("typed");
		expect(both(state, null)[0]).toContain("has not been answered: nothing followed it");
		applyToState(state, { kind: "call", at, id: "x", tool: "mcp__a\u202etxet", input: {} });
		const { text } = firstBlock(input(state));
		for (const part of [
			"- the agent's last words (1 call before the end): `The lexer is mended.`",
			"(it may have ended): `mcp__atxet`",
		])
			expect(text).toContain(part);
	});
});

test("paths are told from the folder on only where they lie in it, wherever the agent went", () => {
	expect(withoutBase("ls /app/a /app/b/c, /srv/app/a /app2 /var/app/x '/app-b'", "/app")).toBe(
		"ls a b/c, /srv/app/a /app2 /var/app/x '/app-b'",
	);
	const state = session({ user: "Go." });
	applyToState(state, { kind: "place", cwd: "/p/src/deep", branch: "parser", version: "2.1.329" });
	for (const [tool, given] of [
		["Edit", { file_path: "../c.ts" }],
		["Read", { file_path: "/other/d.ts" }],
	] as const)
		for (const event of call(tool, given, "Found 1 file")) applyToState(state, event);
	const text = both(state, null).join("\n");
	for (const part of ["`src/c.ts`", "`/other/d.ts`"]) expect(text).toContain(part);
	expect(text).not.toContain("/p/src");
});

test("firm rules come first, then what may last, then requests; of each the newest; none that was taken back", () => {
	const said = ["Never push to main.", "Make sure it compiles for now.", "Always lint.", "Prefer small functions."];
	const state = stateOf(
		...[...said, "Always run the tests.", "Forget what I said about lint."].map((one) => message(one)),
	);
	expect(itemsOf(state, "directive").map(({ words, stands }) => [words, stands?.length ?? 0])).toEqual([
		["Always run the tests.", 1],
		["Never push to main.", 1],
		["Prefer small functions.", 1],
		["Always lint.", 0],
		["Make sure it compiles for now.", 0],
	]);
});

test("the short form of a long message is its rules; one that was taken back is not among them", () => {
	const filler = "The import of the ledger was slow in the nightly run. ".repeat(12);
	const state = stateOf(
		message(`${filler}Never touch the schema. ${filler}Always print the SQL statements of the export. ${filler}`),
		message("Forget what I said about the SQL statements."),
		message("Go on."),
	);
	const item = itemsOf(state, "directive").find(({ words }) => words?.includes("schema"));
	expect(item?.short).toBe('- of a longer message: "Never touch the schema."');
});

test("a correction stands before other decisions", () => {
	const refused = "The user doesn't want to proceed with this tool use. The tool use was rejected";
	const corrected = `${refused}. To tell you how to proceed, the user said:\nNever use sudo here.`;
	const state = stateOf(
		call("Bash", { command: "sudo ls" }, corrected, true, "User rejected tool use"),
		call("Bash", { command: "rm x" }, refused, true, "User rejected tool use"),
	);
	expect(itemsOf(state, "decision").map(({ words, stands }) => [words, stands])).toEqual([
		["Never use sudo here.", ["Never use sudo here."]],
		["Bash rm x", undefined],
	]);
});

test("packing takes whole items, shares first, then what is left; one too large does not bar the way for the next", () => {
	const items = (letter: string, count: number, size: number) =>
		Array.from({ length: count }, (_, order) => ({ text: letter.repeat(size), order }));
	const sections = ["A", "B"].map((heading, at) => ({ ...SECTION, at, heading, items: items(heading, 10, 50) }));
	const [a, b] = pack(sections, 600);
	expect(a!.items.length).toBeGreaterThan(b!.items.length);
	expect(b!.items.length).toBeGreaterThan(0);
	expect([a, b].map((part) => part!.left + part!.items.length)).toEqual([10, 10]);
	const two = [...items("x", 1, 900), { text: "small", order: 1 }];
	expect(pack([{ ...SECTION, share: 1, items: two }], 300)).toMatchObject([{ items: [{ text: "small" }], left: 1 }]);
});

describe("choosing what says most that is not known", () => {
	const chosen = (texts: string[], known: string[], budget: number, least = 0): string[] => {
		const one = { ...SECTION, heading: "T", items: texts.map((text, order) => ({ text, order, words: text })) };
		const found = chooseTelling([one], new Set(known.flatMap(tellingWords)), budget, least);
		return [...(found.get(one) ?? [])].map(({ text }) => text);
	};
	test.each([
		[
			"锁文件没有释放所以第二个进程一直等待",
			"端口8123是改用后的新端口",
			"因为锁文件没有释放,所以第二个进程一直在等待。",
			12,
		],
		["the parser lives in src/lexer.ts", "the port is 8123", "src/lexer.ts holds the parser that lives there", 1],
	])("what is known is not told again: %#", (known, fresh, summary, least) =>
		expect(chosen([known, fresh], [summary], 300, least)).toEqual([fresh]),
	);
});

test("what the agent said becomes sentences in order, reasons first; they come back where the summary lacks them", () => {
	const CAUSE = "The **cause** is a lock held by `cart.ts`.";
	const WHY = "The retry was put off because the queue has no ids.";
	const state = session(
		{ user: "Fix the cart." },
		{ said: `Let me look at the tests:\n- ${CAUSE} It is slow there.\n\`\`\`js\nlet code = 1;\n\`\`\`\nDone.` },
		{ user: "Go on." },
		{ said: WHY },
	);
	const items = itemsOf(state, "finding");
	expect(items.toSorted((a, b) => a.order - b.order).map(({ text }) => text)).toEqual([
		"Let me look at the tests:",
		"The cause is a lock held by `cart.ts`.",
		"It is slow there.",
		WHY,
	]);
	expect(items[0]!.worth).toBeLessThan(items[1]!.worth!);
	expect(joinedFindings([items[0]!, items[2]!])).toBe("- `Let me look at the tests: … It is slow there.`");
	expect(both(state, "Work went on.")[1]).toContain("The cause is a lock held by 'cart.ts'.");
	expect(both(state, `The cause is a lock held by cart.ts. ${WHY}`)[1]).not.toContain("a lock held");
});

describe("room", () => {
	const work = Array.from({ length: 40 }, (_, i): Turn[] => [
		{ said: `The cause of failure ${i} is the module part${i}/file${i}.ts, so case ${i} was put off.` },
		{ bash: [`npm run check-${i} -- --seed ${i}77`, `check ${i} failed with code ${i}`, true] },
	]);
	const state = session({ user: "Never touch legacy.c." }, ...work.flat(), { user: "Go on with the rest." });
	test("little is given beside a summary that keeps what was said, much beside one that does not", () => {
		const { messages, prose, commands } = state;
		const good = [...[...messages, ...prose].map(({ text }) => text), ...commands.map((one) => one.command)].join("\n");
		expect(both(state, "Work went on.")[1].length).toBeGreaterThan(3 * both(state, good)[1].length);
		for (const part of both(state, null)) expect(part.length).toBeLessThanOrEqual(MAX_INJECTED_CHARS);
	});
	test("it follows the window, and is never less than the user's words need", () => {
		const wordy = session({ user: `Never push. ${"Because of this. ".repeat(600)}` });
		const ofWindow = [200_000, 1_000_000, 60_000, null].map((window) => recoveryBudget(19_000, window, emptyState()));
		expect(ofWindow).toEqual([19_000, 19_000, 5_700, 19_000]);
		expect(recoveryBudget(19_000, 60_000, wordy)).toBeGreaterThan(5_700);
		expect(recoveryBudget(4_000, 60_000, wordy)).toBe(4_000);
	});
});
