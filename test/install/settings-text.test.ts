import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { catalog } from "../../src/install/catalog.ts";
import {
	addEntries,
	EMPTY_SETTINGS,
	findEntries,
	findMemoryRule,
	hideEnvironment,
	removeEntries,
} from "../../src/install/settings-text.ts";
import { ENTRIES, SHAPES } from "./shapes.ts";

const entries = catalog("/opt/my ccg/bin/ccg");
const other = catalog("/elsewhere/bin/ccg", "/other/store");
const parse = (text: string) => JSON.parse(text.replace(/^\uFEFF/, ""));

describe.each(Object.entries(SHAPES))("%s", (_, text) => {
	it("gets all entries", () => {
		const after = addEntries(text, entries, { allowMemory: true });
		const found = findEntries(after);
		expect(found.map(({ event, part }) => [event, part])).toEqual(
			expect.arrayContaining(entries.hooks.map(({ event, part }) => [event, part])),
		);
		expect(found).toHaveLength(entries.hooks.length + 1);
		expect(parse(after).permissions.allow.at(-1)).toBe(entries.memoryRule);
		for (const { event } of entries.hooks) {
			const own = entries.hooks.filter((entry) => entry.event === event).map(({ handler }) => ({ hooks: [handler] }));
			expect(parse(after).hooks[event].slice(-own.length)).toEqual(own);
		}
	});

	it("keeps every other byte, and loses ours again to the byte", () => {
		for (const allowMemory of [false, true])
			for (const allowRecall of [false, true]) {
				const after = addEntries(text, entries, { allowMemory, allowRecall });
				expect(holdsInOrder(text, after)).toBe(true);
				expect(removeEntries(after)).toBe(text);
			}
	});

	it("is the same bytes the second time", () => {
		const once = addEntries(text, entries, { allowMemory: true });
		expect(addEntries(once, entries, { allowMemory: true })).toBe(once);
	});

	it("has outdated entries replaced in place", () => {
		expect(addEntries(addEntries(text, other), entries)).toBe(addEntries(text, entries));
	});

	it("keeps what another program writes between install and uninstall", () => {
		const changed = parse(addEntries(text, entries));
		changed.hooks.Stop.push({ hooks: [{ type: "command", command: "theirs" }] });
		changed.hooks.Stop.unshift({ matcher: "x", hooks: [{ type: "command", command: "first" }] });
		changed.theirs = { hooks: true };
		const wanted = parse(text);
		wanted.hooks ??= {};
		wanted.hooks.Stop = [
			{ matcher: "x", hooks: [{ type: "command", command: "first" }] },
			...(wanted.hooks.Stop ?? []),
			{ hooks: [{ type: "command", command: "theirs" }] },
		];
		wanted.theirs = { hooks: true };
		expect(parse(removeEntries(JSON.stringify(changed)))).toEqual(wanted);
		expect(parse(removeEntries(JSON.stringify(changed, null, "\t")))).toEqual(wanted);
	});
});

describe("layout", () => {
	it.each([
		["2 spaces", '{\n  "a": 1\n}\n', '\n  "statusLine": {\n    "type": "command",\n'],
		["4 spaces", '{\n    "a": 1\n}\n', '\n    "statusLine": {\n        "type": "command",\n'],
		["tabs", '{\n\t"a": 1\n}\n', '\n\t"statusLine": {\n\t\t"type": "command",\n'],
		["CRLF", '{\r\n  "a": 1\r\n}\r\n', '\r\n  "statusLine": {\r\n    "type": "command",\r\n'],
		["minified", '{"a":1}', ',"statusLine":{"type":"command","command":'],
		["one line with blanks", '{ "a": 1 }', ', "statusLine": {"type": "command", "command": '],
	])("of new entries: %s", (_, text, part) => {
		const after = addEntries(text, entries);
		expect(after).toContain(part);
		expect(/(^|[^\r])\n/.test(after)).toBe(/(^|[^\r])\n/.test(text));
	});

	it("of a file that did not exist", () => {
		const after = addEntries(EMPTY_SETTINGS, entries);
		expect(after).toBe(`${JSON.stringify(JSON.parse(after), null, 2)}\n`);
		expect(removeEntries(after)).toBe(EMPTY_SETTINGS);
	});
});

describe("status line", () => {
	const line = '{"statusLine":{"type":"command","command":"~/line.sh \\"x\\"","padding":2,"refreshInterval":5}}';

	it("is wrapped; its other fields stay; uninstall gives it back", () => {
		const after = addEntries(line, entries);
		expect(JSON.parse(after).statusLine).toEqual({
			type: "command",
			command: entries.statusLine('~/line.sh "x"'),
			padding: 2,
			refreshInterval: 5,
		});
		expect(removeEntries(after)).toBe(line);
	});

	it("is wrapped once, also by another installation, and unwrapped wholly", () => {
		const moved = addEntries(addEntries(line, other), entries);
		expect(JSON.parse(moved).statusLine.command).toBe(entries.statusLine('~/line.sh "x"'));
		const twice = line.replace(/"~.*?x\\""/, () => JSON.stringify(entries.statusLine(other.statusLine("mine"))));
		expect(JSON.parse(removeEntries(twice)).statusLine.command).toBe("mine");
		expect(JSON.parse(addEntries(twice, entries)).statusLine.command).toBe(entries.statusLine("mine"));
	});

	it("that the user put in place of ours is left alone", () => {
		const after = addEntries("{}", entries);
		const replaced = { ...JSON.parse(after), statusLine: { type: "command", command: "mine", padding: 1 } };
		expect(JSON.parse(removeEntries(JSON.stringify(replaced)))).toEqual({ statusLine: replaced.statusLine });
	});
});

describe("entries of ours", () => {
	it("of any form make room, a part that is no more included; what runs another program too is the user's", () => {
		const run = (command: string, args?: string[]) => ({
			hooks: [{ type: "command", command, ...(args && { args }) }],
		});
		const users = [
			run("my-own-thing; /old/bin/ccg hook stop"),
			run("cat /old/bin/ccg"),
			run("/my/wrapper", ["/old/bin/ccg"]),
		];
		const old = [
			run("CCG_HOME=/s '/old/bin/ccg' hook stop 2>/dev/null || true"),
			run("/old/bin/ccg", ["hook", "stop"]),
			run("sh -c '/gone/ccg hook context'"),
		];
		const before = JSON.stringify({ hooks: { Stop: [users[0], ...old, users[1], users[2]] } });
		const after = addEntries(before, entries);
		const stop = entries.hooks.filter(({ event }) => event === "Stop").map(({ handler }) => ({ hooks: [handler] }));
		expect(JSON.parse(after).hooks.Stop).toEqual([users[0], ...stop, users[1], users[2]]);
		expect(JSON.parse(removeEntries(after))).toEqual({ hooks: { Stop: users } });
	});

	const own = entries.hooks.find(({ event }) => event === "Stop")!.handler;

	it("stay where the user moved them and keep what the user tuned", () => {
		const tuned = JSON.parse(addEntries("{}", entries));
		tuned.hooks.Stop = [
			{
				hooks: [
					{ type: "command", command: "theirs" },
					{ ...own, timeout: 60 },
				],
			},
		];
		expect(addEntries(JSON.stringify(tuned), entries)).toBe(JSON.stringify(tuned));
	});

	it("are taken off events they are not for, and not kept twice", () => {
		const odd = JSON.parse(addEntries("{}", entries));
		odd.hooks.Notification = [{ hooks: [own] }];
		odd.hooks.Stop.push({ hooks: [other.hooks[3]!.handler, { type: "command", command: "theirs" }] });
		const after = JSON.parse(addEntries(JSON.stringify(odd), entries));
		expect(after.hooks.Notification).toBeUndefined();
		expect(after.hooks.Stop).toEqual([{ hooks: [own] }, { hooks: [{ type: "command", command: "theirs" }] }]);
	});

	it("go with their group, matcher included, but not with a group that was empty before", () => {
		const text = JSON.stringify({
			hooks: { Stop: [{ hooks: [] }, { matcher: "", note: 1, hooks: [own] }], PreCompact: [] },
		});
		expect(JSON.parse(removeEntries(text))).toEqual({ hooks: { Stop: [{ hooks: [] }], PreCompact: [] } });
	});

	it("the recall permission stands beside the memory permission, each renewed by itself", () => {
		const text = JSON.stringify({ permissions: { allow: [other.recallRule, other.memoryRule] } });
		const allow = (after: string) => JSON.parse(after).permissions.allow;
		expect(allow(addEntries(text, entries, { allowRecall: true }))).toEqual([entries.recallRule, other.memoryRule]);
		expect(allow(addEntries(text, entries, { allowMemory: true }))).toEqual([other.recallRule, entries.memoryRule]);
		expect(findMemoryRule(text)).toBe("/elsewhere/bin/ccg");
		expect(allow(addEntries("{}", entries, { allowMemory: true, allowRecall: true }))).toEqual([
			entries.memoryRule,
			entries.recallRule,
		]);
		expect(JSON.parse(removeEntries(text)).permissions).toBeUndefined();
	});

	it("a memory permission of another installation is renewed only on request", () => {
		const text = JSON.stringify({ permissions: { allow: ["Bash(ls:*)", other.memoryRule, "Read(x)"] } });
		expect(JSON.parse(addEntries(text, entries)).permissions.allow[1]).toBe(other.memoryRule);
		expect(JSON.parse(addEntries(text, entries, { allowMemory: true })).permissions.allow).toEqual([
			"Bash(ls:*)",
			entries.memoryRule,
			"Read(x)",
		]);
		expect(JSON.parse(removeEntries(text)).permissions.allow).toEqual(["Bash(ls:*)", "Read(x)"]);
	});
});

describe("refused, with the place", () => {
	it.each([
		["empty", "", "line 1, column 1", "empty"],
		["white space", " \n ", "line 1, column 1", "empty"],
		["line comment", '{\n  // note\n  "a": 1\n}', "line 2, column 3", "comments"],
		["block comment", '{\n  "a": /* b */ 1\n}', "line 2, column 8", "comments"],
		["trailing comma in an object", '{\n  "a": 1,\n}', "line 3, column 1", "trailing comma"],
		["trailing comma in an array", '{\r\n  "a": [1,\r\n  ]\r\n}', "line 3, column 3", "trailing comma"],
		["cut off", '{\n  "a": {', "line 2, column 9", "CloseBrace"],
		["text after the end", "{}\n{}", "line 2, column 1", "after the end"],
		["single quotes", "{'a': 1}", "line 1, column 2", "InvalidSymbol"],
		["raw control character", '{\n "a": "\u0001"\n}', "line 2, column 7", "InvalidCharacter"],
		["array at the top", "\n[]", "line 2, column 1", "an array"],
		["string at the top", '"x"', "line 1, column 1", "a string"],
		["null", "null", "line 1, column 1", "null"],
		["hooks is an array", '{\n  "hooks": []\n}', "line 2, column 12", '"hooks" is an array'],
		["an event is an object", '{"hooks":{"Stop":{}}}', "line 1, column 18", '"hooks.Stop" is an object'],
		["statusLine is a string", '{"statusLine":"x"}', "line 1, column 15", '"statusLine" is a string'],
		["statusLine without command", '{"statusLine":{}}', "line 1, column 15", '"statusLine.command"'],
		["permissions is null", '{"permissions":null}', "line 1, column 16", '"permissions" is null'],
		["allow is an object", '{"permissions":{"allow":{}}}', "line 1, column 25", '"permissions.allow" is an object'],
	])("%s", (_, text, place, why) => {
		const act = () => addEntries(text, entries, { allowMemory: true, path: "/x/settings.json" });
		expect(act).toThrow(expect.objectContaining({ code: "SETTINGS_INVALID" }));
		expect(act).toThrow(`/x/settings.json, ${place}: `);
		expect(act).toThrow(why);
		expect(act).toThrow("Nothing was changed");
	});

	it("but permissions of a wrong type are no concern without --allow-memory", () => {
		expect(findEntries(addEntries('{"permissions":null}', entries))).toHaveLength(ENTRIES);
	});
});

it("install and uninstall keep any strict JSON object as it was, in meaning", () => {
	const value = fc.dictionary(fc.constantFrom("a", "env", "model", "é\u2028"), fc.jsonValue());
	const hooks = fc.dictionary(
		fc.constantFrom("Stop", "PreToolUse", "Other"),
		fc.array(
			fc.record({
				matcher: fc.string(),
				hooks: fc.array(fc.record({ type: fc.constant("command"), command: fc.string() }), { minLength: 1 }),
			}),
			{ minLength: 1 },
		),
		{ minKeys: 1 },
	);
	fc.assert(
		fc.property(value, fc.option(hooks), fc.constantFrom(0, 2, 3, "\t"), (settings, theirs, indent) => {
			const text = JSON.stringify(theirs ? { ...settings, hooks: theirs } : settings, null, indent);
			expect(removeEntries(addEntries(text, entries))).toBe(text);
		}),
		{ numRuns: 150 },
	);
});

it("hideEnvironment hides values, not names", () => {
	const text = '{\n  "env": { "TOKEN": "s3cret", "B": "x" },\n  "a": 1\n}';
	expect(hideEnvironment(text)).toBe('{\n  "env": { "TOKEN": "…", "B": "…" },\n  "a": 1\n}');
});

/** Whether all characters of `text` stand in `after`, in their order. */
function holdsInOrder(text: string, after: string): boolean {
	let at = 0;
	for (const char of after) if (char === text[at]) at++;
	return at === text.length;
}
