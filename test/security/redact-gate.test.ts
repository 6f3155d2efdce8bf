import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TARGET } from "../kit/sandbox.ts";

/**
 * Who may write bytes, print or append by the raw calls, and why redaction is not passed there. Everything else goes through
 * `src/store/gate.ts` and `print`: a new writer that doesn't fails here.
 */
const RAW: Record<string, string> = {
	"src/store/gate.ts": "the gate itself",
	"src/store/atomic-write.ts": "what the gate writes with",
	"src/events/run/print.ts": "the gate to the model; the status line's own line goes to the user's terminal as it is",
	"src/cli/support/io.ts": "the gate to the terminal, what it writes with, and a question with fixed words",
	"src/install/settings-file.ts": "people's settings files keep their exact bytes",
	"src/install/receipt.ts": "the backup of a settings file is its exact bytes",
	"src/install/ask-settings.ts":
		"copies of settings files for Claude Code alone, in a folder that only the user opens, which goes at once",
	"src/install/own-copy.ts": "copies ccg's own files",
	"src/store/failure-log.ts": "stderr, of a line that is redacted above",
	"src/files/read-inside.ts": "one fixed line for .git/info/exclude",
	"src/store/database.ts": "opens the database, and writes tables only; its copy is its own bytes",
	"src/store/lock.ts": "locks an empty database",
	"src/doctor/store.ts": "an empty probe",
	"src/doctor/sandbox.ts": "the doctor's own made-up session, in a folder it removes",
	"src/cli/demo/sandbox.ts": "the demo's recording, in a folder it removes",
	"src/sync/folder.ts":
		"a signed document, whose texts were looked through when they were said: another byte, and it is none",
	"src/sync/space.ts": "the same, as it came; what is told of it is made safe when it is told",
};

const CALLS =
	/\b(?:writeFileAtomic|appendLines|writeFileSync|writeSync|appendFileSync|createWriteStream|copyFileSync|cpSync|Bun\.write|console\.(?:log|error|info|warn))\(|process\.std(?:out|err)\.write\(|output: process\.stdout|\boutputTo\(|"bun:sqlite"/;

const files = ["src", "hooks", "statusline"].flatMap((folder) =>
	readdirSync(join(TARGET, folder), { recursive: true, encoding: "utf8" })
		.map((name) => `${folder}/${name}`)
		.filter((name) => name.endsWith(".ts")),
);

test("every byte that is written or printed passes the gate, but where it is said why not", () => {
	const raw = files.filter((name) => CALLS.test(readFileSync(join(TARGET, name), "utf8")));
	expect(raw.filter((name) => !Object.hasOwn(RAW, name))).toEqual([]);
});

test("the list of exceptions names no file that has no such call", () => {
	const idle = Object.keys(RAW).filter((name) => !CALLS.test(readFileSync(join(TARGET, name), "utf8")));
	expect(idle).toEqual([]);
});

/** What opens a connection. */
const SENDS =
	/\bfetch\(|"node:(?:https?|http2|net|tls|dgram|dns)[/"]|\bBun\.(?:connect|udpSocket)\(|\bnew (?:WebSocket|EventSource)\(|from "pg"/;

test("one function sends texts, and it redacts what it sends; what is shared was made safe before it became an operation", () => {
	const having = (what: RegExp) => files.filter((name) => what.test(readFileSync(join(TARGET, name), "utf8")));
	expect(having(SENDS)).toEqual(["src/search/endpoint.ts", "src/sync/postgres-connection.ts"]);
	const text = readFileSync(join(TARGET, "src/search/endpoint.ts"), "utf8");
	expect(text).toContain("const input = texts.map(redactSecrets);");
});

test("hooks and commands take the environment's secrets before anything else", () => {
	for (const name of [
		"src/events/run/run-hook.ts",
		"src/events/status-line/status-line.ts",
		"src/cli/program.ts",
		"src/mcp/server.ts",
	])
		expect(readFileSync(join(TARGET, name), "utf8"), name).toMatch(/keepOut\((?:process\.env|ownVariables\()/);
});
