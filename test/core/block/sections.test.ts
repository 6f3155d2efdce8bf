import { describe, expect, test } from "vitest";
import { type Section, withoutBase } from "../../../src/core/block/item.ts";
import { pack } from "../../../src/core/block/pack.ts";
import { printBlock } from "../../../src/core/block/print.ts";
import { firstBlock } from "../../../src/core/block/recovery-block.ts";
import { applyToState } from "../../../src/core/state/apply.ts";
import { call, message, stateOf } from "../../kit/session-events.ts";
import { at, both, input, itemsOf, session, type Turn } from "./kit.ts";

const SECTION: Section = { kind: "message", at: 1, heading: "A", room: 200, items: [] };

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
		["Edit", { file_path: "/other/d.ts" }],
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
	expect(item?.short).toBe('- […] "Never touch the schema."');
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

test("packing takes whole items up to a section's room; one too large does not bar the way; what fills takes the rest", () => {
	const items = (letter: string, count: number, size: number) =>
		Array.from({ length: count }, (_, order) => ({ text: `${order}`.padEnd(size, letter), order }));
	const sections = ["A", "B"].map((heading, at) => ({ ...SECTION, at, heading, items: items(heading, 10, 50) }));
	const counts = (budget: number, fill = false) => pack(sections, budget, { fill }).map(({ items }) => items.length);
	expect(counts(2_000)).toEqual([3, 3]);
	expect(counts(2_000, true)).toEqual([10, 10]);
	expect(counts(260)).toEqual([3, 0]);
	const [, none] = pack(sections, 260);
	expect(none).toMatchObject({ items: [], left: 10 });
	expect(printBlock("", [none!])).toBe("\n\n## B (10 more in the checkpoint)");
	const two = [...items("x", 1, 900), { text: "small", order: 1 }];
	expect(pack([{ ...SECTION, items: two }], 300)).toMatchObject([{ items: [{ text: "small" }], left: 1 }]);
});

test("a call is told once, wherever it stands", () => {
	const of = (kind: string, text: string): Section => ({ ...SECTION, kind, items: [{ text, order: 1, call: 7 }] });
	expect(pack([of("state", "ok: npm test"), of("check", "test: npm test")], 900).map(({ kind }) => kind)).toEqual([
		"state",
	]);
});

test("what the agent said becomes passages of whole sentences, reasons and the open work first", () => {
	const CAUSE = "The **cause** is a lock held by `cart.ts` since the upload of March.";
	const WHY = "The retry was put off because the queue has no ids for jobs.";
	const state = session(
		{ user: "Fix the cart." },
		{
			said: `Let me look at the tests of the upload:\n- ${CAUSE} It is slow there.\n\`\`\`js\nlet code = 1;\n\`\`\`\nDone.`,
		},
		{ said: `${WHY}\nOther queues of the house keep ids for jobs.` },
		{ user: "Go on with cart.ts." },
		{ said: "I look." },
	);
	const items = itemsOf(state, "finding");
	expect(items.map(({ words }) => words)).toEqual([
		WHY,
		"The cause is a lock held by `cart.ts` since the upload of March. It is slow there.",
		"Other queues of the house keep ids for jobs.",
	]);
	const [first] = both(state, "Work went on.");
	expect(first.indexOf("The cause is")).toBeLessThan(first.indexOf("The retry was"));
});

test("what the agent said last and no call bears out is told with what the record says", () => {
	const failed: Turn = { bash: ["npm test", "Tests 2 failed", true] };
	const told = (...turns: Turn[]) => both(session({ user: "Fix it." }, ...turns), null)[0];
	expect(told(failed, { said: "It is mended. All tests pass." })).toContain(
		"- it said: `All tests pass.`; the test run at call 2 failed",
	);
	expect(told({ bash: ["npm test", "Tests 2 passed"] }, { said: "All tests pass." })).not.toContain("it said");
	for (const said of [
		"I looked at Bob's pull request #42. All tests pass. Committed as abc1234 by Bob.",
		"The PR of the parser:\n\n- All tests pass.\n- Committed and pushed.",
	])
		expect(told({ said })).not.toContain("it said");
	expect(told({ said: "I read the pull request. I committed the fix." })).toContain("`I committed the fix.`; no call");
});

test("nothing is cut inside a sentence or a part of a command", () => {
	const sentence = "The parser reads the header twice and then stops. ";
	const command = `cd /p && ${"node scripts/check-headers.js --all --strict && ".repeat(8)}npm test`;
	const [text] = both(session({ user: "Go." }, { bash: [command, "ok"] }, { said: sentence.repeat(20) }), null);
	expect(text).toMatch(/last words.*: `… The parser .* then stops\.`/);
	expect(text).toMatch(/`cd \/p && [^`]*check-headers\.js --all --strict \[…\d+ more characters\]`/);
});

test("what the user said has the room that nothing else takes", () => {
	const told = `The importer drops every second row of the ledger. ${"It did so in March as well, with the new file. ".repeat(9)}`;
	const [text] = both(session({ user: told }, { user: "Go on." }), null);
	expect(text).toContain("It did so in March as well");
});

describe("room", () => {
	const work = Array.from({ length: 40 }, (_, i): Turn[] => [
		{
			said: `The rest fails because part${i}/file${i}.ts, lock-${i}.c, run_${i}.sh and case_${i} wait for job-${i}.log.`,
		},
		{ bash: [`npm run check-${i} -- --seed ${i}77`, `check ${i} failed with code ${i}`, true] },
	]);
	const state = session({ user: "Never touch legacy.c." }, ...work.flat(), { user: "Go on with the rest." });
	test("the second part is rare: where the summary keeps what was found nothing comes, else at most 2,500 characters", () => {
		const { messages, prose } = state;
		const good = [...messages, ...prose].map(({ text }) => text).join("\n");
		const [first, second] = both(state, "Work went on.");
		expect(second.length).toBeGreaterThan(500);
		expect(second.length).toBeLessThanOrEqual(2_500);
		expect(both(state, good)[1]).toBe("");
		expect(both(state, null)[1]).toBe("");
		const lines = (text: string) => text.split("\n").filter((line) => line.startsWith("- "));
		expect(lines(first).filter((line) => lines(second).includes(line))).toEqual([]);
	});
	test("rules have room before all else, and what nothing else takes; how many more there are stands in the heading", () => {
		const rulesOf = (many: number) =>
			Array.from({ length: many }, (_, i) => `Never change the field number ${i} of table t${i * 7}, ever.`);
		const toldOf = (rules: string[], ...turns: Turn[]) => {
			const [text] = both(session(...rules.map((user) => ({ user })), ...turns, { user: "Go on." }), null);
			expect(text.length).toBeLessThanOrEqual(8_000);
			return { text, told: rules.filter((rule) => text.includes(rule)) };
		};
		expect(toldOf(rulesOf(110)).told).toEqual(rulesOf(110));
		const rules = rulesOf(200);
		const { text, told } = toldOf(rules, ...work.flat());
		expect(told.join("").length).toBeGreaterThan(3_500);
		expect(told).toEqual(rules.slice(-told.length));
		expect(text).toContain(`(${rules.length - told.length} more in the checkpoint)`);
		expect(text).toContain("## What the agent found");
	});
	test("of many prohibitions in one message each is told, word for word", () => {
		const rules = Array.from({ length: 110 }, (_, i) => `- Never touch module${i} of the ledger.`);
		const [text] = both(session({ user: rules.join("\n") }, { user: "Go on." }), null);
		expect(rules.filter((rule) => !text.includes(rule))).toEqual([]);
	});
});
