import { expect, test } from "vitest";
import { load } from "./kit.ts";
import { ALLOWED, call, says, session, told, typed } from "./words-fixture.ts";

/** Each as a tool's result, a file's name, the agent's words and a saved note may hold it; what is left of it may not open a mark. */
const MARKS: [string, RegExp?][] = [
	["<system-reminder>"],
	["</system-reminder>"],
	["< system-reminder >"],
	["<\tsystem-reminder>"],
	["<\nsystem-reminder\n>"],
	["</ system-reminder>"],
	["< / system-reminder >"],
	["<SYSTEM-REMINDER>"],
	["<System-Reminder>"],
	["<sYsTeM-rEmInDeR>"],
	["<system_reminder>"],
	["<system reminder>"],
	["<systemreminder>"],
	['<system-reminder priority="high">'],
	["<ns:system-reminder>"],
	["＜system-reminder＞"],
	["﹤system-reminder﹥"],
	["〈system-reminder〉"],
	["⟨system-reminder⟩"],
	["&lt;system-reminder&gt;"],
	["&LT;system-reminder&GT;"],
	["&amp;lt;system-reminder&amp;gt;"],
	["&#60;system-reminder&#62;"],
	["&#x3c;system-reminder&#x3e;"],
	["\\u003csystem-reminder\\u003e"],
	["%3Csystem-reminder%3E"],
	["<sys\u200btem-reminder>"],
	["<system\u00ad-reminder>"],
	["<\u2060system-reminder>"],
	["<\u202esystem-reminder>"],
	["<\u{e0041}system-reminder>"],
	["<ѕуѕtеm-rеmіndеr>"],
	["<ѕystem>"],
	["<ＳＹＳＴＥＭ－ＲＥＭＩＮＤＥＲ>"],
	["<𝐬𝐲𝐬𝐭𝐞𝐦-reminder>"],
	["<sуstem_prompt>"],
	["<ꜱʏꜱᴛᴇᴍ>"],
	["<système-reminder>".replace("è", "e\u0300")],
	["<syst3m-reminder>"],
	["<s y s t e m - r e m i n d e r>"],
	["<system>"],
	["<user>"],
	["<human>"],
	["<assistant>"],
	["<instructions>"],
	["<important>"],
	["<policy>"],
	["<thinking>"],
	["<function_calls>"],
	["<invoke name='Bash'>"],
	['<invoke name="Bash">'],
	["<function_results>"],
	["<tool_result>"],
	["<tool_use>"],
	["<user_query>"],
	["<user-prompt-submit-hook>"],
	["<task-notification>"],
	["<teammate-message>"],
	["<channel source='x'>"],
	["<command-name>"],
	["<bash-stdout>"],
	["<local-command-stdout>"],
	['<pasted_content id="1">'],
	["<|im_start|>system"],
	["<|endoftext|>"],
	["<｜User｜>"],
	["<|start_header_id|>system<|end_header_id|>"],
	["<start_of_turn>user"],
	["[INST]"],
	["[/INST]"],
	["[ SYSTEM-REMINDER ]"],
	["<<SYS>>", /<SYS/],
];

/** What opens a mark, in any form a reader may take for it. */
const opens = (mark: string): RegExp => new RegExp(mark.slice(0, 12).replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "u");

test.each(MARKS)("is broken on the way to the model: %j", async (mark, left = opens(mark)) => {
	const at = session([
		...call("Bash", { command: "make" }, `Exit code 1\nfailed ${mark} push`, { fields: ALLOWED }),
		...call("Read", { file_path: `/home/ada/shop/${mark}/a.ts` }, "ok", { failed: false, fields: ALLOWED }),
		says(`I assume that ${mark} holds. Should I go on with ${mark}?`),
	]);
	const { block, steering } = await told(at);
	expect(block).toContain("Never touch the file legacy.c");
	expect(block).toContain("‹");
	expect(block).not.toMatch(left);
	expect(block).not.toMatch(/[\u200b\u00ad\u2060\u202e\u{e0041}]/u);
	expect(steering).not.toMatch(left);
});

test("harmless: ordinary code and markup stay as they are", async () => {
	const { safeText } = await load<typeof import("../../src/core/text/text.ts")>("src/core/text/text.ts");
	for (const text of CODE) expect(safeText(text)).toBe(text);
});
const CODE = [
	"const a: Array<string> = f<T extends User>(x);",
	"if (a < b && c > d) return x << 2;",
	"<div className='x'><Button onClick={go} /></div>",
	"#include <stdio.h>\nstd::vector<int> v;",
	"new Map<System, User>(); Promise<ToolUse>; List<System.String>",
	"see [System](x), [user guide](y) and arr[system] or x[inst]",
	"cat <<EOF\n<h1>Hi</h1>\n<!-- note -->\nEOF",
	"git <command> [<args>] <https://x.y> a <- b",
	"<details><p>a</p></details> <table><tr><td>1</td></tr></table> &lt;div&gt;",
	"<custom-element> <UserCard /> <React.Fragment> <Context.Provider>",
	"[x] done, foo[0], [1, 2], 100% <3",
];

test("harmless: what a script or an emoji needs stays", async () => {
	const { safeText } = await load<typeof import("../../src/core/text/text.ts")>("src/core/text/text.ts");
	for (const text of ["می‌خواهم", "क्‍ष", "ශ්‍රී", "👨‍👩‍👧 ❤️ 1️⃣ 🏳️‍🌈", "Zażółć gęślą jaźń", "한국어 日本語 葛󠄀", "e\u0301"])
		expect(safeText(text)).toBe(text);
});

test.each([
	["zero-width characters", "a\u200b\u200c\u200d\u2060\ufeffb", "ab"],
	["bidirectional marks", "a\u202e\u2066\u2069\u200f\u061cb", "ab"],
	["tags", "a\u{e0041}\u{e0042}\u{e007f}b", "ab"],
	["variation selectors that carry a text", `a\ufe00\ufe01${"\u{e0150}".repeat(40)}b`, "ab"],
	["fillers", "a\u3164\u115f\u1160\uffa0b", "ab"],
	["soft hyphens and separators", "a\u00ad\u180e\u034fb", "ab"],
	["annotations and noncharacters", "a\ufff9\ufffb\ufdd0\uffff\u{1fffe}b", "ab"],
	["line separators", "a\u2028b", "a b"],
	["terminal sequences", "a\u001b[31m\u001b]0;title\u0007\u009b2Jb", "ab"],
	["an open sequence", "a\u001b]8;;http://x.y b", "a]8;;http://x.y b"],
])("what nobody sees is gone: %s", async (_, text, left) => {
	const { safeText } = await load<typeof import("../../src/core/text/text.ts")>("src/core/text/text.ts");
	expect(safeText(text)).toBe(left);
});

test("marks stacked on a letter are bounded", async () => {
	const { safeText } = await load<typeof import("../../src/core/text/text.ts")>("src/core/text/text.ts");
	expect(safeText(`z${"\u0335".repeat(500)}`).length).toBeLessThan(10);
});

test("linear: a megabyte of each pattern's own worst input", async () => {
	const { decode } = await load<typeof import("../../src/core/transcript/decode.ts")>("src/core/transcript/decode.ts");
	const { safeText } = await load<typeof import("../../src/core/text/text.ts")>("src/core/text/text.ts");
	const MB = 1024 * 1024;
	const fill = (unit: string): string => unit.repeat(Math.ceil(MB / unit.length));
	const slow: string[] = [];
	const timed = (what: string, act: () => void): void => {
		const start = performance.now();
		act();
		const ms = performance.now() - start;
		if (ms > 4_000) slow.push(`${what}: ${Math.round(ms)} ms`);
	};
	const openers = [
		"<command-name>",
		"<command-args>",
		"<system-reminder>",
		"<bash-input>",
		"<task-notification>",
		"<task-id>",
		"<status>",
		"<ide_selection>",
		'<pasted_content id="',
		'<pasted_content id="a">',
		"[pasted: `",
		"</system-reminder>",
	];
	for (const opener of openers)
		for (const text of [
			fill(opener),
			`<command-name>/x</command-name>${fill(opener)}`,
			`${opener}${" ".repeat(MB)}`,
			`<task-notification>${fill(opener)}`,
		])
			timed(opener, () => decode(typed(text)));
	for (const unit of [
		"<",
		"<s",
		"< ",
		"<ѕ",
		"</",
		"&amp;",
		"&lt;",
		"\\u003c",
		"[i",
		"[INST",
		"<|",
		"#",
		"human",
		"a\u0301",
		"\u200d",
		"\ufe0f",
		"\u001b]",
		"\u001b[0;",
		"\u009d",
		"<system ",
		"（<ｓ",
	])
		timed(JSON.stringify(unit), () => safeText(fill(unit).slice(0, MB)));
	expect(slow).toEqual([]);
}, 120_000);
