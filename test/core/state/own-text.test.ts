import { expect, test } from "vitest";
import { directivesOf } from "../../../src/core/state/directives.ts";
import { ownText } from "../../../src/core/state/own-text.ts";

const RULE = "Never push to main.";

test.each<[string, string]>([
	["a fence", "```\nnever touch this\n```"],
	["an unclosed fence", "```\nnever touch this"],
	["a quoted line", "> You must never do that."],
	["a test's log line", "deferred_test.go:808: Second commit should NOT have a trailer, got 7940d5"],
	["a compiler's place", "src/a.ts(3,5): error TS2322: must not be null"],
	["a line of a log", "2026-01-02T03:04:05 ERROR you must not be here"],
	["a level", "WARN: always prefer the new API"],
	["a bracketed level", "[ERROR] must not be empty"],
	["a stack", "TypeError: value must not be null\n    at parse (src/a.js:3:9)\n    at run (src/b.js:1:1)"],
	["a traceback", 'Traceback (most recent call last):\n  File "a.py", line 3, in run\n    x must not be None'],
	["npm's errors", "npm ERR! You must not run this as root"],
	["git's errors", "fatal: you must not be in a rebase\nerror: never do that"],
	["a shell's prompt", "$ echo always never"],
	["a program's line", "go: cannot find main module, but should be there"],
	["a hint of a terminal", "To suppress this warning in future sessions, run:\n  tool enable --never"],
	["a reminder", "<system-reminder>\nYou must always use the tool.\n</system-reminder>"],
	["any block between tags", "<doc>\nNever delete this.\n\nAlways ask.\n</doc>"],
	["a row of a table", "| name | must | never |"],
	["code", "const only = never;\nif (must) {\n  never();\n}"],
	["a difference", "+       // Always written as steps_count in new metadata."],
	["numbered source", "  12→ // never touch this"],
	["what a line says to be an output", "The linter says:\nYou must not use any here."],
	["the same in German", "Fehlermeldung:\nDie Datei darf nie leer sein."],
	[
		"a long log with prose in it",
		"=== Step 1\nok ./a\n✓ done\nThe rest must always remain.\n✓ more\n=== Step 2\nfatal: no",
	],
])("%s is nobody's word, what stands around it is", (_, pasted) => {
	expect(directivesOf(pasted)).toEqual([]);
	expect(directivesOf(`${RULE}\n\n${pasted}`)).toEqual([RULE]);
	expect(ownText(`${RULE}\n\n${pasted}`).trim()).toContain(RULE);
});

test.each([
	"Note: always use pnpm.",
	"Warning: never push to main.",
	"1. Never push.\n2. Always test.",
	"- never push\n- always test",
	"Rules:\n- never push\n- always test",
	"Use `pnpm`, never npm (it is slow); e.g. in src/app.ts.",
	"In src/app.ts, never use any.",
	"Always build with:\n    make all",
	"It must cost < 5 and never > 9.",
	"## Rules\n\nNever push.",
	'Don\'t say "ok".',
	"Rules for logs:\n- never log passwords\n- always use JSON",
	"Error handling and logs:\n- never log passwords",
	"It says:\n- never log passwords",
	"Here are my conventions for warnings:\n\nNever print them.",
	"When the build says:\nNever go on.",
	"WARNING: never push to main!",
	"error: never return error codes, always throw",
	"src/foo.ts:12 must never import from src/bar",
])("%j is the user's own", (text) => {
	expect(ownText(text)).toBe(text);
	expect(directivesOf(text)).not.toEqual([]);
});

test.each([
	["Look at this:\n\nError: must not be null\n    at a (b.js:1:2)\n\nNever swallow it.", ["Never swallow it."]],
	["Always fix the cause of:\nsrc/a.ts:3:1: error: never reached", ["Always fix the cause of:"]],
	["<rules>\nNever push to main.\n</rules>", ["Never push to main."]],
	['The readme says "you must never push to main at night".', []],
	['Never write "always use the force" in the docs.', ['Never write "always use the force" in the docs.']],
])("directives of %j", (text, found) => {
	expect(directivesOf(text)).toEqual(found);
});
