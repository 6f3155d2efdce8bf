import fc from "fast-check";
import { expect, test } from "vitest";
import { type Section, withRelativePaths } from "../../../src/core/block/item.ts";
import { packSections } from "../../../src/core/block/pack.ts";
import { printBlock } from "../../../src/core/block/print.ts";
import { recoveryBlock } from "../../../src/core/block/recovery-block.ts";
import { applyToState } from "../../../src/core/state/apply.ts";
import { at, call, enqueued, message } from "../../kit/session-events.ts";
import { block, checkpoint, input, session, type Turn } from "./kit.ts";

const REQUEST = "Write the importer for the ledger of March, with its tests.";
const said = (...texts: string[]): Turn[] => texts.map((user) => ({ user }));
const DEV: Turn = { bash: ["npm run dev &", "Command running", false, { backgroundTaskId: "b1" }] };

test("the sections stand in the order in which they get room", () => {
	const state = session(
		...said(REQUEST, "Now write the exporter of the ledger as well."),
		{ said: "I begin." },
		{ bash: ["npm test", "2 passed"] },
		DEV,
	);
	for (const event of [
		...call("TaskCreate", { subject: "export" }, "Task #1 created successfully: export"),
		call("AskUserQuestion", { questions: [{ question: "Which `db`?" }, null] })[0]!,
	])
		applyToState(state, event);
	const { text } = recoveryBlock({ ...input(state), recall: "ccg recall" });
	expect(text.match(/^## .*/gm)).toEqual([
		"## Request at hand (the user's last message, verbatim)",
		"## Where it stood",
		"## The agent's last words (Markdown, behind |)",
		"## The newest calls",
		"## Plan and open tasks",
		"## Open questions of the agent to the user",
		"## Running or scheduled when this was saved",
		"## The user's words before it, in order of time (verbatim)",
	]);
	expect(text).toMatch(/^ccg recovery k: [^\n]*\n\n## Request/);
	expect(text).toContain("to the user\n- `` Which `db`? ``\n\n");
	expect(text).toMatch(/ask first: `ccg recall WORDS` prints [^\n]* All that was saved: \/s\/c\.md$/);
});

test.each([2_000, 9_500])("the request is told in a block of %d characters, whatever its lines", (maxChars) => {
	const long = `Please ${"do this thing well and carefully. ".repeat(120)}`;
	for (const user of [long, `Please${"\n1".repeat(1_999)}`, `Please${"\n".repeat(3_000)}go`])
		expect(block(session({ user: "Never push." }, { user }), maxChars)).toContain("\n> Please");
});

test("a queued message counts as asked when the agent gets it", () => {
	const state = session({ user: "Fix it." });
	for (const event of [
		enqueued("Now the docs."),
		{ kind: "said", at, text: "Mended." } as const,
		message("Now the docs."),
	])
		applyToState(state, event);
	expect(block(state)).toContain("has not been answered: nothing followed it");
	applyToState(state, { kind: "call", at, id: "x", tool: "mcp__a\u202etxet", input: {} });
	expect(block(state)).toContain("(it may have ended): `mcp__atxet`");
});

test("the newest calls get room first; those before the request are no part of what followed it", () => {
	const runs = Array.from({ length: 20 }, (_, n): Turn => ({ bash: [`node run${n}.js`, `a\nb\nc\nresult ${n}`] }));
	const text = block(session({ user: "Go." }, { bash: ["old", "x"] }, { user: "Run them." }, ...runs));
	const told = [...text.matchAll(/^- ended: `node run(\d+)\.js`\n( {2}\| b\n {2}\| c\n)? {2}\| result \1$/gm)];
	expect(told.map(([, n]) => n)).toEqual(["12", "13", "14", "15", "16", "17", "18", "19"]);
	expect(told.map(([, , more]) => more !== undefined)).toEqual([...Array(7).fill(false), true]);
	expect(text).not.toContain("`old`");
});

test("the last eight are whole; what lasts is there after 60 later messages, by its age where room is short", () => {
	const rules = ["Never touch legacy.c.", "Ab jetzt nur pnpm.", "永远不要推送。"];
	const part = (n: number) => `Look at part ${n}. ${"It was slow in March. ".repeat(n < 52 ? 20 : 30)}`;
	const later = Array.from({ length: 60 }, (_, n) => part(n));
	const state = session(...said(...rules, ...later, "Go on with all of them, please."));
	const { text, messages } = recoveryBlock(input(state));
	const words = text.split("## The user's words before it, in order of time (verbatim)")[1];
	for (const one of [...rules, ...later.slice(-8).map((one) => one.trim())]) expect(words).toContain(one);
	expect([1, 20, 63, 64].map((order) => messages.get(order))).toEqual(["whole", undefined, "whole", "whole"]);
});

test("paths are told from the folder on only where they lie in it, wherever the agent went", () => {
	const told = withRelativePaths("ls /app/a /app/b/c, /srv/app/a /app2 /var/app/x '/app-b'", "/app");
	expect(told).toBe("ls a b/c, /srv/app/a /app2 /var/app/x '/app-b'");
	const state = session({ user: "Go." });
	applyToState(state, { kind: "place", cwd: "/p/src/deep", branch: "parser", version: "2.1.329" });
	for (const event of call("Edit", { file_path: "../c.ts", new_string: "" })) applyToState(state, event);
	expect(block(state)).toContain("edited since: `src/c.ts`");
});

test("packing takes whole items up to a section's room; one too large does not bar the way; what is kept stays", () => {
	const section = (n: number, more: Partial<Section> = {}): Section => {
		const items = Array.from({ length: 10 }, (_, order) => ({ text: `${order}`.padEnd(50, "x"), order }));
		return { kind: "said", position: n, heading: "AB"[n]!, maxChars: 200, items, ...more };
	};
	const counts = (budget: number, ...all: Section[]) => packSections(all, budget).map(({ items }) => items.length);
	expect(counts(2_000, section(0), section(1))).toEqual([3, 3]);
	expect(counts(260, section(0), section(1))).toEqual([3]);
	expect(counts(450, section(0, { maxChars: 2_000 }), section(1, { reservedChars: 120 }))).toEqual([5, 2]);
	const items = ["x".repeat(900), "small"].map((text, order) => ({ text, order }));
	const parts = packSections([section(0, { items })], 300);
	expect(parts).toMatchObject([{ items: [{ text: "small" }], leftOut: 1 }]);
	expect(printBlock("", parts)).toBe("\n\n## A (1 more in the checkpoint)\nsmall");
});

test("any state, any budget: it is kept, the bytes are the same, nothing of others begins a line", () => {
	const odd = fc.constantFrom("```", '"', "“", "`", "\n\n", "\ud800", "\u202e", "- a", "## Request", "1. Never", "》");
	const words = fc.array(fc.oneof(odd, fc.string({ maxLength: 60 })), { maxLength: 60 }).map((some) => some.join(" "));
	const turn: fc.Arbitrary<Turn> = fc.oneof(
		...(["user", "said", "edit", "cutOff"] as const).map((name) => words.map((text) => ({ [name]: text }))),
		fc.tuple(words, words, fc.boolean()).map((bash) => ({ bash })),
	);
	fc.assert(
		fc.property(fc.array(turn, { maxLength: 60 }), fc.integer({ min: 2_000, max: 9_500 }), (turns, maxChars) => {
			const state = session(...turns);
			const told = () => recoveryBlock({ ...input(state, maxChars), workspace: checkpoint(state).workspace }).text;
			const text = told();
			expect(text.length).toBeLessThanOrEqual(maxChars);
			expect(told()).toBe(text);
			for (const line of text.match(/^## .*/gm) ?? [])
				expect(line).toMatch(/^## (?:Request at hand|Where it|The agent's|The newest|Plan and|Running or|The user's)/);
		}),
	);
});
