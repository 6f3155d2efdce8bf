import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { keepOut } from "../../src/core/redact/secrets.ts";
import { packed } from "../../src/search/database.ts";
import type { Passage } from "../../src/search/passage.ts";
import { textPassages } from "../../src/search/passages.ts";
import { recallShown } from "../../src/search/recall.ts";
import { SearchIndex } from "../../src/search/search-index.ts";
import { scratch } from "../scratch-home.ts";

let root: string;
beforeEach(() => {
	root = join(scratch("hits"), "store");
});

const passage = (text: string, pos = 0, more: Partial<Passage> = {}): Passage => ({
	...{ pos, part: 0, at: 1_800_000_000, kind: "agent", tool: "", path: "", text },
	...more,
});
const source = (path: string) => ({ path, project: "p", session: "s1" });
const asker = { project: "p", session: "s1", now: new Date(1_800_000_100_000) };
const using = <T>(act: (index: SearchIndex) => T): T => SearchIndex.use(root, {}, act)!;
const recalled = (index: SearchIndex, words: string) => recallShown(index, words, asker).text;

test("an excerpt holds whole sentences, list items and lines, and of a call what was called and how its result begins", () =>
	using((index) => {
		const filler = (n: number) => `Nothing of it stands in sentence ${n}, e.g. in v. 2.0 of it.`;
		const before = Array.from({ length: 40 }, (_, n) => filler(n)).join(" ");
		const item = `- the kestrel rule, ${"which goes on ".repeat(12)}\n  and on a second line`;
		const lines = Array.from({ length: 90 }, (_, n) => `line ${n} of the output`);
		index.add(source("/t/s1.jsonl"), [
			passage(`${before} The kestrel lock is taken before the store is opened. ${before}`),
			passage(`${before}\n\n${item}\n- another\n\n${before}`, 100),
			passage(`$ kestrel --all\n# See\n→ first line\n${lines.join("\n")}\nkestrel done`, 200, { kind: "call" }),
			passage(`$ osprey ${"--flag osprey1 ".repeat(200)}`, 300, { kind: "call" }),
		]);
		const answer = recalled(index, "kestrel");
		expect(answer).toContain(" The kestrel lock is taken before the store is opened. ");
		expect(answer).toContain(`| ${item.replace("\n", "\n| ")}\n`);
		expect(answer).toMatch(
			/\| \$ kestrel --all\n\| # See\n\| → first line …\n\| line 88 of the output\n[^…]*\n\| kestrel done/,
		);
		for (const said of answer.matchAll(/Nothing of it[^|…]*?\d+[^|…]*?(?=Nothing|The|[|…]|$)/g))
			expect(said[0].trim()).toMatch(/in v\. 2\.0 of it\.$/);
		// alone longer than the room
		expect(recalled(index, "osprey")).toMatch(/\$ osprey --flag osprey1 .* …$/m);
	}));

test("a piece of a long message is told as a whole, a question with what was said to it, and what is alike once", () =>
	using((index) => {
		const long = (text: string) =>
			textPassages(text, { kind: "agent", at: 5 }).map((one, part) => ({ ...one, part, pos: 0 }));
		index.add(source("/t/s1.jsonl"), [
			...long(`$ begin\n${"filler word. ".repeat(300)}The osprey is grey.`),
			passage("Which port has the falcon?", 100, { kind: "user" }),
			passage("I look.", 200),
			passage("It is 4711.", 300),
			passage("Thanks.", 400, { kind: "user" }),
			passage("It is 9999.", 500),
			passage("! make falcon2", 600, { kind: "user" }),
			passage("<bash-stdout>7 built</bash-stdout>", 700, { kind: "output" }),
			passage("Bye.", 750, { kind: "user" }),
			...[".", "!", ", it did!"].map((mark, n) => passage(`The heron ran${mark}`, 800 + n)),
		]);
		expect(recalled(index, "osprey filler").match(/^\| filler/gm)).toHaveLength(1);
		expect(recalled(index, "port falcon")).toMatch(
			/user, .*\n\| Which port.*\n\[\d+\] agent, .*, said next \| It is 4711\.$/m,
		);
		expect(recalled(index, "falcon2")).toMatch(/make falcon2\n\[\d+\] output of .*, said next\n.*7 built/);
		expect(recalled(index, "heron")).toMatch(/agent, .*, 2 more like it\n\| The heron ran/);
	}));

test("of two that say much the same the newer comes first and says so; of the same words the newest is shown", () =>
	using((index) => {
		const said = (kind: Passage["kind"], ...texts: string[]) =>
			texts.map((text, n) => passage(text, 100 * n, { kind, at: 1_790_000_000 + n * 86_400 }));
		index.add(
			source("/t/s1.jsonl"),
			said("user", "The relay listens on port 4711.", "Now the relay listens on port 4712.", "Thanks."),
		);
		index.add(
			source("/t/s2.jsonl"),
			said("agent", "The falcon is in roof 7.", "It is in roof 8.", "The falcon is in roof 7!"),
		);
		expect(recalled(index, "relay listens on which port")).toMatch(
			/\[2\] user, .*, newer than \[1\]\n\| Now the relay .* 4712\.\n\[1\] user, [^,]*, \d+ d ago\n\| The relay .* 4711\.$/,
		);
		expect(recalled(index, "falcon roof")).toMatch(
			/\[6\] agent, 2026-09-23 .*, 1 more like it\n\| The falcon is in roof 7!/,
		);
		// a question is no older answer
		index.add(source("/t/s3.jsonl"), [
			...said("user", "Where does the kestrel sleep at night?"),
			passage("The kestrel does sleep at night.", 100, { at: 1_795_000_000 }),
		]);
		expect(recalled(index, "kestrel sleep night")).not.toContain("newer");
	}));

test.each<[string, number[]]>([
	["set back an hour", [1_790_003_600, 1_790_000_000]],
	["a day ahead at the start", [1_790_086_400, 1_790_000_000]],
	["without a time", [0, 0]],
])("in one transcript the newer stands behind, with a clock that is %s", (_, [first, second]) =>
	using((index) => {
		index.add(source("/t/s1.jsonl"), [
			passage("The relay listens on port 4711.", 0, { kind: "user", at: first! }),
			passage("Now the relay listens on port 4712.", 100, { kind: "user", at: second! }),
			passage("The falcon is in roof 7.", 200, { at: first! }),
			passage("The falcon is in roof 7!", 300, { at: second! }),
			passage("Thanks.", 400, { kind: "user", at: second! }),
		]);
		expect(recalled(index, "relay listens on which port")).toMatch(/\[2\] user, .*newer than \[1\]/);
		expect(recalled(index, "falcon roof")).toMatch(/\[4\] agent.*, 1 more like it\n\| The falcon is in roof 7!/);
		const inOrder = recalled(index, "the latest relay port");
		expect(inOrder.indexOf("4711")).toBeGreaterThan(0);
		expect(inOrder.indexOf("4711")).toBeLessThan(inOrder.indexOf("4712"));
	}),
);

test("what holds none of the words takes one short line, and no passage is shown twice", () =>
	using((index) => {
		index.add(source("/t/s1.jsonl"), [
			passage("Why did the heron fail?", 0, { kind: "user" }),
			passage(`All right.\nI ${"look and ".repeat(60)}see.`, 100),
			passage("Tell of the heron.", 200, { kind: "user" }),
			passage("The heron did fail for want of fish.", 300),
			passage("Which fish did the heron want?", 400, { kind: "user" }),
			passage("None.", 500),
			passage("Thanks.", 600, { kind: "user" }),
		]);
		const answer = recalled(index, "heron fail fish");
		expect(answer).toMatch(/^\[2\] agent, .*, said next \| All right\. …$/m);
		const ids = answer.match(/^\[\d+\]/gm)!;
		expect(ids.toSorted()).toEqual(["[1]", "[2]", "[3]", "[4]", "[5]", "[6]"]);
		// behind what it was said to
		index.add(source("/t/s2.jsonl"), [
			passage("Where does the osprey nest?\nAnd the kite, where is its nest?", 0, { kind: "user" }),
			passage("Tell whether the osprey may nest.", 100, { kind: "user" }),
			passage("It may.", 200),
		]);
		expect(recalled(index, "whether osprey nest")).toMatch(/\| Tell whether .*\n\[\d+\] agent, .* \| It may\.$/m);
	}));

test("an edit is shown by its lines that changed, and those that stayed where they hold the words", () =>
	using((index) => {
		const stayed = Array.from({ length: 30 }, (_, n) => `@ const kept${n} = ${n};`);
		const edit = ["Edit /p/a.ts", ...stayed, "@ function hatch() {", "- \treturn osprey(1);", "+ \treturn osprey(2);"];
		index.add(source("/t/s1.jsonl"), [passage(edit.join("\n"), 0, { kind: "call", tool: "Edit" })]);
		const shown = (words: string) => recalled(index, words).split("\n").slice(2);
		const changed = ["| - \treturn osprey(1);", "| + \treturn osprey(2);"];
		expect(shown("a.ts")).toEqual(["| Edit /p/a.ts", ...changed]);
		expect(shown("hatch")).toEqual(["| Edit /p/a.ts", "| @ function hatch() {", ...changed]);
	}));

test("a long paste takes the place of one message; copies of a text are counted", () =>
	using((index) => {
		const paste = Array.from({ length: 900 }, (_, n) => `the falcon flew over roof ${n} of the falcon house`).join(
			"\n",
		);
		const pieces = textPassages(paste, { kind: "user", at: 5 }).map((one, part) => ({ ...one, part, pos: 0 }));
		expect(pieces.length).toBeGreaterThan(25);
		index.add(source("/t/s1.jsonl"), [
			...pieces,
			...textPassages(paste, { kind: "agent", at: 5 }).map((one, part) => ({ ...one, part, pos: 10 })),
			...Array.from({ length: 60 }, (_, n) => passage("The falcon is fed.", 1_000 + n)),
			...Array.from({ length: 30 }, (_, n) => passage(`Nothing new in week ${n}.`, 2_000 + n)),
			passage("We named the falcon Horus, after a long talk about all the other names that it could have had.", 9_000),
		]);
		const answer = recalled(index, "falcon");
		expect(answer).toContain("named the falcon Horus");
		expect(answer).toMatch(/agent, .*, 59 more like it\n\| The falcon is fed\./);
	}));

test("what stands in the index is looked through before it is told, also for a secret of the asker's environment", () =>
	using((index) => {
		const leaked = "the lexer logs in with password: Falcon-Under-The-Sea-22";
		index.add(source("/t/s1.jsonl"), [passage("the lexer logs in with a password")]);
		const was = (text: string): void => {
			const block = packed([[0, 0, 1_800_000_000, "agent", "", "", text]] as never);
			index.database.query("UPDATE blocks SET passages = ?").run(block);
		};
		was(leaked);
		expect(recalled(index, "lexer")).toContain("[REDACTED");
		expect(recalled(index, "lexer")).not.toContain("Falcon");
		keepOut({ DB_PASSWORD: "harmless-looking words" });
		was("the lexer says harmless-looking words");
		expect(recalled(index, "lexer")).not.toContain("looking words");
		keepOut({});
	}));
