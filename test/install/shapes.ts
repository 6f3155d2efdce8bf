import { catalog } from "../../src/install/catalog.ts";

const settings = {
	$schema: "https://json.schemastore.org/claude-code-settings.json",
	model: "opus",
	unknownKey: { nested: [1, 2.5e3, null, true, "é\u2028"] },
	permissions: { allow: ["Bash(ls:*)"], deny: ["Read(./.env)"] },
	hooks: {
		Stop: [{ hooks: [{ type: "command", command: "notify-send done", timeout: 5 }] }],
		PreToolUse: [
			{ matcher: "Bash", hooks: [{ type: "command", command: 'check "$1"' }] },
			{ matcher: "Edit|Write", hooks: [{ type: "command", command: "fmt" }] },
		],
		Notification: [{ hooks: [{ type: "command", command: "bell" }] }],
	},
	statusLine: { type: "command", command: "~/.claude/line.sh 'a b'", padding: 2, refreshInterval: 5 },
	zz: "last",
};
const plain = { model: "opus", env: { A: "1" } };

/** Settings files as people and programs leave them. */
export const SHAPES: Record<string, string> = {
	"2 spaces": `${JSON.stringify(settings, null, 2)}\n`,
	"4 spaces": `${JSON.stringify(settings, null, 4)}\n`,
	tabs: `${JSON.stringify(settings, null, "\t")}\n`,
	minified: JSON.stringify(settings),
	"minified with final newline": `${JSON.stringify(plain)}\n`,
	CRLF: `${JSON.stringify(settings, null, 2).replaceAll("\n", "\r\n")}\r\n`,
	BOM: `\uFEFF${JSON.stringify(settings, null, 2)}\n`,
	"BOM and CRLF": `\uFEFF${JSON.stringify(plain, null, 2).replaceAll("\n", "\r\n")}\r\n`,
	"no final newline": JSON.stringify(settings, null, 2),
	"several final newlines": `\n${JSON.stringify(plain, null, 2)}\n\n\n`,
	"no hooks": `${JSON.stringify(plain, null, 2)}\n`,
	empty: "{}\n",
	"no indentation":
		'{\n"model": "opus",\n"hooks": {\n"Stop": [\n{"hooks": [{"type": "command", "command": "x"}]}\n]\n}\n}\n',
	"by hand":
		'{ "model" : "opus",\n   "permissions": {"allow": ["Bash(ls:*)",\n      "Read(x)"]},\n' +
		'   "hooks": {"Stop": [{"hooks": [\n        {"type": "command", "command": "x"}]}],\n' +
		'     "PreToolUse" : [ { "matcher": "Bash" , "hooks": [ { "type": "command", "command": "y" } ] } ] } ,\n   "z": 1}\n',
	"escapes and doubled keys":
		'{"a":"\\u00e9\\/","a":2,"hooks":{"Stop":[]},"hooks":{"Stop":[{"hooks":[{"type":"command","command":"\\u0078"}]}]}}',
};

/** Entries of one installation: its hooks and the status line. */
export const ENTRIES = catalog("/opt/ccg/bin/ccg").hooks.length + 1;
