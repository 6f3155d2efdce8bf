import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_INJECTED_CHARS, recoveryBudget } from "../../../src/core/recovery/budget.ts";
import { chooseTelling } from "../../../src/core/recovery/choose.ts";
import { findingItems, joinedFindings } from "../../../src/core/recovery/findings.ts";
import type { Section } from "../../../src/core/recovery/item.ts";
import { directiveItems } from "../../../src/core/recovery/said-items.ts";
import { lackOf } from "../../../src/core/recovery/summary-lack.ts";
import { emptyState } from "../../../src/core/state/session-state.ts";
import { tellingWords } from "../../../src/core/text/telling-words.ts";
import { both, session } from "./recovery-kit.ts";

describe("choosing what says most that is not known", () => {
	const section = (texts: string[]): Section => ({
		...{ kind: "finding", place: 1, title: "T", share: 1 },
		items: texts.map((text, order) => ({ text, order, words: text })),
	});
	const chosen = (texts: string[], known: string[], budget: number, least = 0): string[] => {
		const one = section(texts);
		const { chosen } = chooseTelling([one], new Set(known.flatMap(tellingWords)), budget, least);
		return [...(chosen.get(one) ?? [])].map(({ text }) => text);
	};
	test("of a script without spaces what is new in a sentence counts, not the sentence", () => {
		const texts = ["锁文件没有释放所以第二个进程一直等待", "端口8123是改用后的新端口"];
		expect(tellingWords(texts[1]!)).toEqual(expect.arrayContaining(["端口", "8123"]));
		expect(chosen(texts, ["因为锁文件没有释放,所以第二个进程一直在等待。"], 300, 12)).toEqual([texts[1]]);
	});
	test("what is known is not told again, and of two that say the same one is enough", () => {
		const texts = ["the port is 8123", "port 8123 it is, the port", "the parser lives in src/lexer.ts"];
		expect(chosen(texts, ["src/lexer.ts holds the parser that lives there"], 300, 1)).toEqual(["the port is 8123"]);
	});
	test("a word of the whole is not gained twice: greedy choice equals weighing all again at each step", () => {
		const word = fc.constantFrom("alpha7", "bravo", "charlie", "delta/e.ts", "echo", "foxtrot", "golf", "hotel9");
		fc.assert(
			fc.property(
				fc.array(fc.array(word, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 12 }),
				fc.integer({ min: 60, max: 300 }),
				(lists, budget) => {
					const texts = lists.map((words, i) => `${words.join(" ")} n${i}x`);
					expect(new Set(chosen(texts, [], budget))).toEqual(new Set(slowChoice(texts, budget)));
				},
			),
		);
	});

	/** The same rule without a heap. */
	function slowChoice(texts: string[], budget: number): string[] {
		const known = new Set<string>();
		const left = texts.map((text, place) => ({ text, place, words: tellingWords(text) }));
		const taken: string[] = [];
		let room = budget;
		while (left.length) {
			const gains = left.map(({ text, words }) => {
				const fresh = words.filter((one) => !known.has(one));
				return fresh.reduce((sum, one) => sum + (/\d|[._/]/.test(one) ? 2 : 1), 0) / (text.length + 15);
			});
			const best = gains.indexOf(Math.max(...gains));
			const [one] = left.splice(best, 1);
			const price = one!.text.length + 5 + (taken.length ? 0 : 37);
			if (price > room) continue;
			room -= price;
			taken.push(one!.text);
			for (const word of one!.words) known.add(word);
		}
		return taken;
	}
});

describe("what the agent said", () => {
	const state = session(
		{ user: "Fix the cart." },
		{
			said: "Let me look at the tests:\n- The **cause** is a lock held by `cart.ts`.\n```js\nlet code = 1;\n```\nDone.",
		},
		{ user: "Go on." },
		{ said: "The retry was put off because the queue has no ids." },
	);
	test("becomes sentences, without code and list marks; reasons and last reports weigh most", () => {
		const items = findingItems(state);
		expect(items.map(({ text }) => text)).toEqual([
			"Let me look at the tests:",
			"The cause is a lock held by `cart.ts`.",
			"The retry was put off because the queue has no ids.",
		]);
		expect(items[0]!.worth).toBeLessThan(items[1]!.worth!);
		expect(joinedFindings([items[0]!, items[1]!])).toBe(
			"- `Let me look at the tests: The cause is a lock held by 'cart.ts'.`",
		);
	});
	test("of one place stays in its order", () => {
		const two = session(
			{ user: "Go." },
			{ said: "The lexer breaks here. It is slow there." },
			{ said: "The parser leaks here. It fails there." },
		);
		expect(
			findingItems(two)
				.toSorted((a, b) => a.order - b.order)
				.map(({ text }) => text),
		).toEqual(["The lexer breaks here.", "It is slow there.", "The parser leaks here.", "It fails there."]);
	});
	test("is kept over a compaction, the oldest goes", () => {
		const long = session(
			{ user: "Go." },
			...Array.from({ length: 60 }, (_, i) => ({ said: `${i} ${"word ".repeat(500)}` })),
		);
		expect(long.prose.length).toBeLessThan(60);
		expect(long.prose.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(60_000);
		expect(long.prose.at(-1)!.text).toMatch(/^59 /);
	});
	test("comes back where the summary lacks it, and not where it stands", () => {
		expect(both(state, "Work went on.")[1]).toContain("The cause is a lock held by 'cart.ts'.");
		const kept = both(
			state,
			"The cause is a lock held by cart.ts. The retry was put off because the queue has no ids.",
		);
		expect(kept[1]).not.toContain("a lock held");
	});
});

describe("what pays beside a summary", () => {
	const state = session(
		{ user: "Never touch legacy.c." },
		...Array.from({ length: 40 }, (_, i) => [
			{ said: `The cause of failure ${i} is the module part${i}/file${i}.ts, so case ${i} was put off.` },
			{
				bash: [`npm run check-${i} -- --seed ${i}77`, `check ${i} failed with code ${i}`, true] as [
					string,
					string,
					boolean,
				],
			},
		]).flat(),
		{ user: "Go on with the rest." },
	);
	const good = [
		...state.messages.map(({ text }) => text),
		...state.prose.map(({ text }) => text),
		...state.commands.map(({ command }) => command),
	].join("\n");
	test("little beside one that keeps what was said, all the room beside one that does not", () => {
		expect(lackOf(state, "Work went on.", new Set())).toBe(1);
		expect(lackOf(state, good, new Set(tellingWords(good)))).toBeLessThan(0.4);
		expect(both(state, "Work went on.")[1].length).toBeGreaterThan(3 * both(state, good)[1].length);
	});
	test("no part is larger than what Claude Code takes, whatever there is to say", () => {
		for (const part of both(state, null)) expect(part.length).toBeLessThanOrEqual(MAX_INJECTED_CHARS);
	});
	test("the room follows the window, and is never less than the user's words need", () => {
		expect(recoveryBudget(19_000, 200_000, emptyState())).toBe(19_000);
		expect(recoveryBudget(19_000, 1_000_000, emptyState())).toBe(19_000);
		expect(recoveryBudget(19_000, 60_000, emptyState())).toBe(5_700);
		expect(recoveryBudget(19_000, null, emptyState())).toBe(19_000);
		const wordy = session({ user: `Never push. ${"Because of this. ".repeat(600)}` });
		expect(recoveryBudget(19_000, 60_000, wordy)).toBeGreaterThan(5_700);
		expect(recoveryBudget(4_000, 60_000, wordy)).toBe(4_000);
	});
});

test("the user's words stand once, in order of time", () => {
	const long = `We ship on Friday. ${"The reason is long. ".repeat(40)}Never use sed. ${"More of it. ".repeat(40)}`;
	const state = session(
		{ user: "Prefer small commits." },
		{ user: "ok go" },
		{ user: long },
		{ user: "Always run the linter." },
		{ user: "What is left?" },
	);
	const [first, later] = both(state, "Work went on.");
	const text = `${first}\n${later}`;
	for (const part of ["Prefer small commits.", "ok go", "Never use sed.", "Always run the linter.", "What is left?"])
		expect(text.split(part), part).toHaveLength(2);
	const places = ["Prefer small commits.", "Never use sed.", "Always run the linter."].map((one) => first.indexOf(one));
	expect(places).toEqual(places.toSorted((a, b) => a - b));
	expect(first).toMatch(/\[…\d+ characters…\]/);
});

test("what stands shortened in one part does not keep the whole out of the other", () => {
	const state = session(
		...Array.from({ length: 28 }, (_, i) => ({
			user: `Please write page ${i}. Context of ${i}: ${`the reason is told here ${i} at length. `.repeat(11)}`,
		})),
		{ user: "Go on." },
	);
	const text = both(state, "Work went on.").join("\n");
	for (const message of state.messages) expect(text).toContain(message.text.trim());
});

test("what is asked again stands once", () => {
	const state = session({ user: "Always run the linter." }, { said: "I did so." }, { user: "Always run the linter." });
	expect(both(state, null).join("\n").split("Always run the linter.")).toHaveLength(2);
});

test("a message whose rule stands goes before one whose rule was taken back", () => {
	const state = session(
		{ user: "Always run the linter. Use tabs for all files." },
		{ user: "Please write the docs now." },
		{ user: "Don't use tabs for files." },
	);
	expect(directiveItems(state, null)[0]!.text).toContain("Always run the linter.");
});
