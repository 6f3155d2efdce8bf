import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { catalog, grantRules } from "../../src/install/catalog.ts";
import { parseEntries } from "../../src/install/entries.ts";
import { addCcgEntries, removeCcgEntries } from "../../src/install/settings-text.ts";
import TEXTS from "./settings-text.json";

const AT = "/opt/my ccg/bin/ccg";
const entries = catalog(AT);
const other = catalog("/elsewhere/bin/ccg");
const own = entries.hooks.find(({ event }) => event === "Stop")!.handler;
const group = (...handlers: object[]) => ({ hooks: handlers });
const { settings, plain } = TEXTS;
const twoSpaces = JSON.stringify(settings, null, 2);
/** Settings files as people and programs leave them. */
const SHAPES: Record<string, string> = {
	"2 spaces": `${twoSpaces}\n`,
	"4 spaces": `${JSON.stringify(settings, null, 4)}\n`,
	tabs: `${JSON.stringify(settings, null, "\t")}\n`,
	minified: JSON.stringify(settings),
	"minified with final newline": `${JSON.stringify(plain)}\n`,
	CRLF: `${twoSpaces.replaceAll("\n", "\r\n")}\r\n`,
	BOM: `\uFEFF${twoSpaces}\n`,
	"BOM and CRLF": `\uFEFF${JSON.stringify(plain, null, 2).replaceAll("\n", "\r\n")}\r\n`,
	"no final newline": twoSpaces,
	"several final newlines": `\n${JSON.stringify(plain, null, 2)}\n\n\n`,
	"no hooks": `${JSON.stringify(plain, null, 2)}\n`,
	empty: "{}\n",
	...Object.fromEntries(Object.entries(TEXTS.lines).map(([name, lines]) => [name, lines.join("\n")])),
};
/** Its hooks and the status line. */
const ENTRIES = entries.hooks.length + 1;
const theirs = { type: "command", command: "theirs" };
const parse = (text: string) => JSON.parse(text.replace(/^\uFEFF/, ""));
const installed = (settings: object) => JSON.parse(addCcgEntries(JSON.stringify(settings), entries));
const uninstalled = (settings: object) => JSON.parse(removeCcgEntries(JSON.stringify(settings)));

describe.each(Object.entries(SHAPES))("%s", (_, text) => {
	it("gets all entries, every other byte kept, once; outdated ones are replaced in place, and all go again to the byte", () => {
		for (const granted of [{}, { grantFor: AT }]) {
			const after = addCcgEntries(text, entries, granted);
			expect(parseEntries(after)).toHaveLength(ENTRIES);
			for (const { event } of entries.hooks) {
				const all = entries.hooks.filter((entry) => entry.event === event).map(({ handler }) => group(handler));
				expect(parse(after).hooks[event].slice(-all.length)).toEqual(all);
			}
			expect(holdsInOrder(text, after)).toBe(true);
			expect(addCcgEntries(after, entries, granted)).toBe(after);
			expect(removeCcgEntries(after)).toBe(text);
		}
		expect(addCcgEntries(addCcgEntries(text, other), entries)).toBe(addCcgEntries(text, entries));
	});

	it("keeps what another program writes between install and uninstall", () => {
		const changed = parse(addCcgEntries(text, entries));
		changed.hooks.Stop = [group({ ...theirs, command: "first" }), ...changed.hooks.Stop, group(theirs)];
		const wanted = parse(text);
		const stop = [group({ ...theirs, command: "first" }), ...(wanted.hooks?.Stop ?? []), group(theirs)];
		for (const indent of [0, "\t"])
			expect(parse(removeCcgEntries(JSON.stringify(changed, null, indent)))).toEqual({
				...wanted,
				hooks: { ...wanted.hooks, Stop: stop },
			});
	});
});

describe("layout", () => {
	it.each(TEXTS.layout as [string, string, string][])("of new entries: %s", (_, text, part) => {
		const after = addCcgEntries(text, entries);
		expect(after).toContain(part);
		expect(/(^|[^\r])\n/.test(after)).toBe(/(^|[^\r])\n/.test(text));
	});

	it("of a file that did not exist", () => {
		const after = addCcgEntries("", entries);
		expect(after).toBe(`${JSON.stringify(JSON.parse(after), null, 2)}\n`);
	});
});

describe("status line", () => {
	const value = { type: "command", command: '~/line.sh "x"', padding: 2, refreshInterval: 5 };
	const text = JSON.stringify({ statusLine: value });

	it("is wrapped once, also by another installation; its other fields stay; uninstall gives it back", () => {
		const after = addCcgEntries(addCcgEntries(text, other), entries);
		expect(JSON.parse(after).statusLine).toEqual({ ...value, command: entries.statusLine(value.command) });
		expect(removeCcgEntries(after)).toBe(text);
		const twice = { statusLine: { ...value, command: entries.statusLine(other.statusLine("mine")) } };
		expect(uninstalled(twice).statusLine.command).toBe("mine");
		expect(installed(twice).statusLine.command).toBe(entries.statusLine("mine"));
	});

	it("of ccg alone runs by the clock too, since a turn's end comes after its last answer", () => {
		expect(installed({}).statusLine).toMatchObject({ padding: 0, refreshInterval: 10 });
		expect(installed({ statusLine: { type: "command", command: "mine" } }).statusLine).not.toHaveProperty(
			"refreshInterval",
		);
	});

	it("that the user put in place of ours is left alone", () => {
		expect(uninstalled({ ...installed({}), statusLine: value })).toEqual({ statusLine: value });
	});
});

describe("entries of ours", () => {
	it("of an older form make room, a part that is no more included; what runs another program too is the user's", () => {
		const run = (command: string) => group({ type: "command", command });
		const users = [
			run("my-own-thing; /old/bin/ccg hook stop"),
			run("cat /old/bin/ccg"),
			run("/my/wrapper /old/bin/ccg hook stop"),
		];
		const old = [
			run("'/old/bin/ccg' hook stop"),
			run("unset -f '['; [ -x /gone/ccg ] && /gone/ccg hook context; exit 0"),
		];
		const after = installed({ hooks: { Stop: [users[0], ...old, ...users.slice(1)] } });
		expect(after.hooks.Stop).toEqual([users[0], group(own), ...users.slice(1)]);
		expect(uninstalled(after)).toEqual({ hooks: { Stop: users } });
	});

	it("stay where the user moved them and keep what the user tuned", () => {
		const tuned = { ...installed({}) };
		tuned.hooks.Stop = [group(theirs, { ...own, timeout: 60 })];
		expect(installed(tuned)).toEqual(tuned);
	});

	it("are taken off events they are not for, and not kept twice", () => {
		const odd = installed({});
		odd.hooks.Notification = [group(own)];
		odd.hooks.Stop.push(group(other.hooks[3]!.handler, theirs));
		const after = installed(odd);
		expect(after.hooks.Notification).toBeUndefined();
		expect(after.hooks.Stop).toEqual([group(own), group(theirs)]);
	});

	it("go with their group, matcher included, but not with a group that was empty before", () => {
		const hooks = { Stop: [group(), { matcher: "", note: 1, hooks: [own] }], PreCompact: [] };
		expect(uninstalled({ hooks })).toEqual({ hooks: { Stop: [group()], PreCompact: [] } });
	});

	it("permissions of ours are renewed, the user's stay", () => {
		const before = [grantRules("/elsewhere/bin/ccg")[1], "Bash(ls:*)"];
		const text = JSON.stringify({ permissions: { allow: before } });
		const { permissions } = JSON.parse(addCcgEntries(text, entries, { grantFor: AT }));
		expect(permissions.allow).toEqual(["Bash(ls:*)", ...grantRules(AT)]);
		expect(installed(JSON.parse(text)).permissions.allow).toEqual(before);
		expect(uninstalled(JSON.parse(text)).permissions.allow).toEqual(["Bash(ls:*)"]);
	});
});

describe("refused, with the place", () => {
	it.each(TEXTS.refused as [string, string, string, string][])("%s", (_, text, place, why) => {
		const act = () => addCcgEntries(text, entries, { grantFor: AT, path: "/x/settings.json" });
		expect(act).toThrow(expect.objectContaining({ code: "SETTINGS_INVALID" }));
		for (const said of [`/x/settings.json, ${place}: `, why, "Nothing was changed"]) expect(act).toThrow(said);
	});

	it("but permissions of a wrong type are no concern without --allow", () => {
		expect(parseEntries(addCcgEntries('{"permissions":["a"]}', entries))).toHaveLength(ENTRIES);
	});
});

describe("what Claude Code takes for nothing, or passes over, is no obstacle", () => {
	it.each(TEXTS.nothing as [string, string][])("%j", (text, kept) => {
		const after = addCcgEntries(text, entries, { grantFor: AT });
		expect(parseEntries(after)).toHaveLength(ENTRIES);
		expect(after).toContain(kept);
		expect(addCcgEntries(after, entries, { grantFor: AT })).toBe(after);
	});

	it("and stays as it is where nothing is taken out", () => {
		for (const text of ["", "\n", '{"hooks":null}', '{"hooks":{"Stop":{}}}']) expect(removeCcgEntries(text)).toBe(text);
	});
});

it("install and uninstall keep any strict JSON object as it was, in meaning", () => {
	const value = fc.dictionary(fc.constantFrom("a", "env", "model", "é\u2028"), fc.jsonValue());
	const handlers = fc.array(fc.record({ type: fc.constant("command"), command: fc.string() }), { minLength: 1 });
	const groups = fc.array(fc.record({ matcher: fc.string(), hooks: handlers }), { minLength: 1 });
	const hooks = fc.dictionary(fc.constantFrom("Stop", "PreToolUse", "Other"), groups, { minKeys: 1 });
	fc.assert(
		fc.property(value, fc.option(hooks), fc.constantFrom(0, 2, 3, "\t"), (settings, before, indent) => {
			const text = JSON.stringify(before ? { ...settings, hooks: before } : settings, null, indent);
			expect(removeCcgEntries(addCcgEntries(text, entries))).toBe(text);
		}),
		{ numRuns: 60 },
	);
});

/** Whether all characters of `text` stand in `after`, in their order. */
function holdsInOrder(text: string, after: string): boolean {
	let at = 0;
	for (const char of after) if (char === text[at]) at++;
	return at === text.length;
}
