import { describe, expect, test } from "vitest";
import { readShell } from "../../../src/core/text/read-shell.ts";

/** The words of each command, `…` behind what is known of a word. */
const words = (text: string, variables?: Map<string, string>): string[] =>
	readShell(text, variables).commands.map((command) =>
		command.words.map(({ text: whole, start }) => whole ?? `${start}…`).join("|"),
	);

test.each([
	['a \'b c\' "d \\" e" f\\ g', ['a|b c|d " e|f g']],
	["a|b;c&&d||e\nf", ["a", "b", "c", "d", "e", "f"]],
	["a 2>&1 >/dev/null b", ["a|b"]],
	["a ''", ["a|"]],
	["a \\\n b # c", ["a|b"]],
	["a$F $G * b* ~/c", ["a…|…|…|b…|/…"]],
	["if a; then (b $(c) `d`); fi", ["if|a", "c", "d", "b|…|…", "then", "fi"]],
	["diff <(a) <(b)", ["a", "b", "diff|/dev/fd/…|/dev/fd/…"]],
	["cat <<'EOF' | b\n$(c)\nEOF\nd", ["cat", "b", "d"]],
	["x=1 a $? $((1 + 2))", ["x=1|a|0|0"]],
	['a "b${c}d$(e)" {1,2} {x} é', ["e", "a|b…|…|{x}|…"]],
])("%j is read", (text, commands) => {
	expect([words(text), readShell(text).isOdd]).toEqual([commands, text.includes("`")]);
});

test.each([
	"a 'b",
	"a &",
	"a $[1]",
	"a() { b; }",
	"a $'b'",
	"case a in b) c;; esac",
	"{ a } always { b }",
	"cat <<A",
	'echo "$\\\n(b)"',
	"cat <(a)#; b",
	"((a))",
	"a ${b@P}",
	"a $b[c]",
	"{a}>b",
	`${"a $(".repeat(300)}b${")".repeat(300)}`,
])("what shells read differently, or is not followed, is said: %#", (text) => {
	expect(readShell(text).isOdd).toBe(true);
});

describe("with variables", () => {
	test("their values are put in, and those that the text sets", () => {
		const variables = new Map([["HOME", "/h"]]);
		const text = 'at=/opt; run="$at/b c"; $run "$run" ~/x $unknown ${y:-z} *';
		expect(words(text, variables)).toEqual(["at=/opt", "run=/opt/b c", "/opt/b|c|/opt/b c|/h/x|$unknown|z|*"]);
	});

	test("what grows too long is cut", () => {
		expect(readShell(`a=xxxxxxxx;${"a=$a$a;".repeat(40)}`, new Map()).isCut).toBe(true);
	});
});
