import { expect, test } from "vitest";
import { both, itemsOf, session, type Turn } from "./kit.ts";

test("the same words are told once, whatever marks end them; what asks is another", () => {
	const said = [
		"Never push to main.",
		"never push to “main”!",
		"Never push to main",
		"Use >= 3 workers.",
		"Use <= 3 workers.",
	];
	const [text] = both(session(...[...said, "Use <= 3 workers?", "Go on."].map((user) => ({ user }))), null);
	expect(text.match(/push to/gi)).toHaveLength(1);
	for (const one of said.slice(-2)) expect(text).toContain(one);
	expect(text).toContain("Use <= 3 workers?");
});

test.each<[string, Turn[]]>([
	[
		"a proposal that the user refused",
		[
			{ said: "I propose to move the sessions to Redis, because Postgres is too slow." },
			{ user: "No, we stay on Postgres." },
		],
	],
	[
		"one that they refuse later",
		[
			{ said: "We could move the sessions to Redis, since Postgres is too slow." },
			{ user: "Show me the loader." },
			{ user: "We won't use Redis." },
		],
	],
	[
		"a cause that the agent refutes",
		[
			{ said: "The cause of the hang is the stale Redis of the loader." },
			{ said: "It was not Redis: the clock of the machine is late, which makes the token old." },
		],
	],
	[
		"a cause that the user refutes",
		[
			{ said: "The hang is caused by Redis, which keeps stale rows." },
			{ user: "Redis is not the problem, I checked." },
		],
	],
	[
		"a question that was answered",
		[{ said: "Should I put the sessions of the loader into Redis?" }, { user: "yes, do it" }],
	],
	[
		"what the user denies",
		[{ said: "The sessions of the loader are in Redis by now, and the loader is fast." }, { user: "Nope." }],
	],
	[
		"a proposal abroad",
		[
			{ said: "Ich schlage vor, die Sitzungen des Laders nach Redis zu legen, weil Postgres langsam ist." },
			{ user: "Nein, lass das." },
		],
	],
])("%s is no finding", (_, turns) => {
	const state = session(
		{ user: "Go." },
		...turns,
		{ said: "The loader reads the header twice, so each start is slow." },
		{ said: "I look at the rest." },
		{ user: "Go on." },
	);
	const found = itemsOf(state, "finding").map(({ words }) => words ?? "");
	expect(found.join("\n")).toContain("reads the header twice");
	expect(found.filter((one) => /The cause of|caused by|(?:in|to|into|nach) Redis/.test(one))).toEqual([]);
});
test.each([
	[
		"The root cause is that the folders `.cache` and `.state` are counted in the totals of a session.",
		"It is not a totals bug.",
	],
	[
		"The hang is a bug, since the hook reads the agent from its input instead of the folders.",
		"The problem is not the folders.",
	],
	["The real problem is that each start reads the whole header.", "Note that it's not free."],
	[
		"The cause: a reader without a lock does not see the late rows.",
		"The cause is not the lock, and there are no late rows.",
	],
])("%s stands behind: %s", (found, later) => {
	const state = session({ user: "Go." }, { said: found }, { said: "I go on." }, { said: later }, { user: "Go on." });
	expect(itemsOf(state, "finding").map(({ words }) => words)).toContain(found);
});

test("what is left out of a text leaves the rest as it is", () => {
	const said =
		"I propose a list. Yes. It costs little, since the header is read once. Yes, the reader of the header is slow: ```Yes.```";
	const state = session(
		{ user: "Go." },
		{ said: `The header says Yes. to each reader.\n\n${said}` },
		{ user: "No, no list." },
		{ said: "I go on." },
	);
	expect(itemsOf(state, "finding").map(({ words }) => words)).toContain("The header says Yes. to each reader.");
});

test("what was found before a call that the user refused stands", () => {
	const FOUND = "The file is not there in a restore, so the loader falls back to the wrong name.";
	const [NO, NO_CALL] = ["The user doesn't want to proceed with this tool use.", "User rejected tool use"];
	const prose = `Let me look at the loader. ${FOUND} Let me put the name into the plan.`;
	const state = session(
		{ user: "Go." },
		{ said: prose },
		{ bash: ["vi plan", NO, true, NO_CALL] },
		{ said: "I go on." },
	);
	const found = itemsOf(state, "finding").map(({ words }) => words);
	expect(found.join("\n")).toContain(FOUND);
	expect(found.join("\n")).not.toContain("into the plan");
});

test("what was found stands behind a no to what was proposed with it, and behind a no to something else", () => {
	const FOUND = "The cause of the hang is the lock of the loader.";
	for (const user of [
		"No, leave the docs.",
		"No problem, go on.",
		"Don't commit to main.",
		"The log is not the problem.",
	]) {
		const state = session(
			{ user: "Go." },
			{ said: `${FOUND} Shall I also mend the docs?` },
			{ user },
			{ said: "I go on." },
		);
		expect(itemsOf(state, "finding").map(({ words }) => words)).toContain(FOUND);
	}
	const turns = [{ user: "Go." }, { said: FOUND }, { user: "Read the first log." }, { user: "No, the second." }];
	const words = itemsOf(session(...turns, { said: "I go on." }), "finding").map((one) => one.words);
	expect(words).toContain(FOUND);
});

test.each([
	["Never deploy on Fridays.", "Forget the Friday rule.", "Never mind, keep the Friday rule."],
	["Never deploy on Fridays.", "Fix the cart.", "Never mind, keep the Friday rule."],
	["Never deploy on Fridays.", "Scratch the Friday rule. Actually, never mind, keep the Friday rule."],
	["Never deploy on Fridays.", "Forget the Friday rule.", "Never mind. Keep it."],
])("%s stands where the user keeps it: %s %s", (...said: string[]) => {
	const [text] = both(session(...said.map((user) => ({ user })), { user: "Go on." }), null);
	expect(text).toContain('\n- "Never deploy on Fridays."\n');
	expect(text).not.toContain("until");
});

test("what may mean either changes nothing, and half of what was taken back stays so", () => {
	const told = (...said: string[]) => both(session(...said.map((user) => ({ user })), { user: "Go on." }), null)[0]!;
	expect(told("Use jest.", "Scratch that, use vitest.", "Never mind, leave it.")).toContain(
		told("Use jest.", "Scratch that, use vitest.").match(/^- ".*vitest.*$/m)![0],
	);
	const half = told("Never push to main. Always lint.", "Ignore my last message.", "Never mind, keep the lint rule.");
	expect(half).toContain("Always lint.");
	expect(half).toMatch(/Never push to main.*until|Ignore my last message/);
	expect(told("Never run `rm -rf *`", "Never run `rm -rf`")).toContain("`rm -rf *`");
});

test.each([
	["Keep secrets in Vault.", "Keep feature flags in Consul instead of Vault."],
	["Write logs to stderr.", "Print results to stdout instead of stderr."],
	["Make the button blue.", "No, make the button text white."],
	["Use port 8080 for the API.", "Wait, use port 9090 for the metrics."],
])("%s stands beside %s", (first, second) => {
	const [text] = both(session({ user: first }, { user: second }, { user: "Go on." }), null);
	for (const line of [first, second]) expect(text).toContain(`\n- "${line}"`);
	expect(text).not.toContain("until");
});
