import { describe, expect, test } from "vitest";
import { isPrintingAwk } from "../../../src/core/effect/awk-program.ts";
import { isPrintingSed } from "../../../src/core/effect/sed-script.ts";
import { mayChange } from "../../../src/core/effect/tool-effect.ts";
import { readShell } from "../../../src/core/shell/shell-command.ts";

const AROUND = { launcher: "/opt/my ccg/bin/ccg", memory: ["/home/u/.claude/projects/-p/memory", "/store/MEMORY.md"] };
const CCG = "'/opt/my ccg/bin/ccg'";
const bash = (command: string, more = {}) => mayChange({ name: "Bash", input: { command, ...more } }, AROUND);

test.each([
	["Read", false],
	["Glob", false],
	["Grep", false],
	["WebFetch", false],
	["TodoWrite", false],
	["Edit", true],
	["Write", true],
	["MultiEdit", true],
	["NotebookEdit", true],
	["Agent", true],
	["Task", true],
	["mcp__github__create_issue", true],
	["mcp__files__read_file", true],
	["mcp__serena__write_memory", false],
	["mcp__plugin_a-b_serena__read_memory", false],
	["CronCreate", true],
	["ToolOfTomorrow", true],
])("%s may change something: %s", (name, changes) => {
	expect(mayChange({ name, input: {} }, AROUND)).toBe(changes);
});

test.each([
	["/home/u/.claude/projects/-p/memory/notes.md", false],
	["/store/MEMORY.md", false],
	["/store/MEMORY.md.ts", true],
	["/home/u/.claude/projects/-p/memory/../../../settings.json", true],
	["/home/u/.claude/settings.json", true],
	["/home/u/.claude/projects/-p/memory/profile.json", true],
	["memory/notes.md", true],
	[undefined, true],
])("Write to %s is a change: %s", (file_path, changes) => {
	expect(mayChange({ name: "Write", input: { file_path } }, AROUND)).toBe(changes);
});

describe("commands that change nothing", () => {
	test.each([
		"ls -la",
		"cat src/a.ts | head -20",
		"git status && git diff HEAD~1 -- src",
		"git -C /x log --oneline -5",
		"cd /x && grep -rn 'foo bar' . 2>/dev/null | wc -l",
		"find . -name '*.ts' -not -path './node_modules/*'",
		"sed -n 10,20p src/a.ts",
		'echo "done; $HOME"; pwd',
		"rg 'a|b' src\nls",
		"sort names | uniq -c",
		`${CCG} task checkpoint --did "wrote it; all" --next 'go > on'`,
		`${CCG} memory save --target memory "note"`,
		`${CCG} memory save --anyway "note"`,
		`${CCG} memory edit 3 "note"`,
		`${CCG} memory list --notes`,
		`${CCG} memory check --json`,
		`${CCG} memory inventory`,
		"ccg task bundle",
		`${CCG} task checkpoint --file - <<'EOF'\n{"next_action": "rm -rf / && $(x) \`y\`"}\nEOF`,
		"(ls)",
		"{ ls; }",
		"if true; then ls; fi",
		"! ls",
		`printf '%s' '{"next":"x"}' | ${CCG} task checkpoint --file -`,
	])("%s", (command) => {
		expect(bash(command)).toBe(false);
	});
});

describe("commands that may", () => {
	test.each([
		"",
		"rm -rf build",
		"npm test",
		"ls > files.txt",
		"ls >> files.txt",
		"cat a 2> errors",
		"echo $(rm x)",
		"echo `rm x`",
		'echo "$(rm x)"',
		"cat <(rm x)",
		"ls & rm x",
		"ls && rm x",
		"ls || rm x",
		"ls; rm x",
		"ls | xargs rm",
		"ls\nrm x",
		"PATH=/tmp ls",
		"/tmp/ls",
		"find . -delete",
		"find . -exec rm {} +",
		"git commit -m x",
		"git -c core.pager=x log",
		"git diff --output=x",
		"git branch new",
		"sed -i s/a/b/ x",
		"sed -n 'w out' x",
		"sort -o x x",
		"uniq in out",
		"rg --pre ./x foo",
		"date -s 2020-01-01",
		"ls 'open",
		`${CCG} task resume`,
		`${CCG} uninstall --yes`,
		`${CCG} profile use loose`,
		`${CCG} task checkpoint --did x && npm test`,
		`${CCG} task checkpoint --did "$(npm test)"`,
		`${CCG} task checkpoint --file - <<EOF\n$(rm x)\nEOF`,
		`${CCG} task checkpoint --file - <<'EOF'\n{}\nEOF\nrm x`,
		`cat <<'EOF' | sh\nrm x\nEOF`,
		"'/tmp/evil/ccg' task status",
	])("%s", (command) => {
		expect(bash(command)).toBe(true);
	});

	test("and whatever runs in the background or is no command", () => {
		expect(bash("ls", { run_in_background: true })).toBe(true);
		expect(mayChange({ name: "Bash", input: {} }, AROUND)).toBe(true);
	});
});

/** The words of each command, `?` for one that is not known. */
const words = (text: string): string[][] | null =>
	readShell(text)?.commands.map((command) => command.words.map((word) => word.text ?? "?")) ?? null;

test.each([
	['a \'b c\' "d \\" e" f\\ g', [["a", "b c", 'd " e', "f g"]]],
	["a|b;c&&d||e\nf", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]],
	["a 2>&1 >/dev/null", [["a"]]],
	["a ''", [["a", ""]]],
	["a \\\n b", [["a", "b"]]],
	["F=x; a $F $G *", [["a", "x", "?", "?"]]],
	["if a; then (b $(c)); fi", [["a"], ["c"], ["b", "?"]]],
	["a 'b", null],
	["a &", null],
	["a > b", null],
	[`a ${"b ".repeat(2_000)}`, null],
	[`${"a $(".repeat(300)}b${")".repeat(300)}`, null],
])("%j reads as %j", (text, commands) => {
	expect(words(text)).toEqual(commands);
});

test.each([
	["p", true],
	["1,20p", true],
	["/a/,/b/{s/x/y/g;p}", true],
	["$!N;s|a|b|;P;D", true],
	["s/a/b/w out", false],
	["1w out", false],
	["s/a/b/e", false],
	["s/[/]/w out/", false],
	["a text", false],
])("sed %j only prints: %s", (script, prints) => expect(isPrintingSed(script)).toBe(prints));

test.each([
	["{print $1}", true],
	['$3 > 5 && /a|b/ {n += $2 / 2} END {printf "%d\\n", n}', true],
	['{print > "f"}', false],
	['{print | "sh"}', false],
	['{x = 1; /"/; print "y" > "f"; /"/}', false],
	["BEGIN {system(1)}", false],
])("awk %j only prints: %s", (program, prints) => expect(isPrintingAwk(program)).toBe(prints));

test.each(["(", "$(", "{ ", "`", "<<A ", "ls;", "a ", "${a:-", "1+", "[", "'\"", "((", "\\\n", "$a"])(
	"a megabyte of %j costs no time",
	(piece) => {
		const start = performance.now();
		for (const size of [2_000, 32_000, 1_000_000]) bash(`ls ${piece.repeat(size / piece.length)}`);
		expect(performance.now() - start).toBeLessThan(1_500);
	},
);

test.each([
	`echo "<<'EOF'"\ntouch PWNED\nEOF`,
	`echo '<<"EOF"'\ntouch PWNED\nEOF`,
	`echo \\<<'EOF'\ntouch PWNED\nEOF`,
	`cat <<'EO'F\nEOF\ntouch PWNED\nEO`,
	`cat <<'EOF'\n\tEOF\necho '\nEOF\ntouch PWNED\necho '`,
	`cat <<'EOF'\nx\u2028EOF\necho '\nEOF\ntouch PWNED\necho '`,
	"echo $[1+'$(touch PWNED)1']",
	'echo "$[1+$(touch PWNED)]"',
	'echo "$\\\n(touch PWNED)"',
	"printf -v 'a[$(touch PWNED)]' x",
	"test -v 'a[$(touch PWNED)]'",
	"printf -v PATH %s /evil; ls",
	"sort --co=sh -S 1k big",
	"sort --output=x y",
])("what bash reads otherwise than it looks is a change: %j", (command) => expect(bash(command)).toBe(true));

test.each([
	`${CCG} task checkpoint --file - <<'EOF'\n{"next":"touch <<'EOF2' $(x)"}\nEOF`,
	`cat <<-'EOF'\n\tplain data\n\tEOF`,
	`cat <<'EOF' | head -1\ntouch nothing\nEOF`,
])("a quoted here-document is plain data: %j", (command) => expect(bash(command)).toBe(false));
