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
	"src/store/append-line.ts": "what the gate appends with",
	"src/events/run/print.ts": "the gate to the model; the status line's own line goes to the user's terminal as it is",
	"src/cli/support/io.ts": "the gate to the terminal",
	"src/cli/support/standard-output.ts": "what that gate writes with",
	"src/install/settings-file.ts": "people's settings files keep their exact bytes",
	"src/install/receipt.ts": "the backup of a settings file is its exact bytes",
	"src/node/bundle.ts": "names bun:sqlite, and writes nothing",
	"src/node/main.ts": "one fixed line for whoever starts it by hand",
	"src/install/own-copy.ts": "copies ccg's own files",
	"src/store/failure-log.ts": "stderr, of a line that is redacted above",
	"src/files/append-inside.ts": "one fixed line for .git/info/exclude",
	"src/events/run/tell-store.ts": "one export of the store's own path, into Claude Code's file for it",
	"src/store/search/index-database.ts": "opens the search index, and writes tables only",
	"src/store/search/search-query.ts": "only reads",
	"src/store/search/search-index.ts": "each passage passes redaction in the one function that inserts",
	"src/store/search/vectors.ts": "numbers, made of passages that passed redaction",
	"src/doctor/store.ts": "an empty probe",
	"src/doctor/fixture.ts": "the doctor's own made-up session, in a folder it removes",
	"src/cli/demo/demo-sandbox.ts": "the demo's recording, in a folder it removes",
	"src/cli/support/ask-on-terminal.ts": "a question with fixed words",
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
	/\bfetch\(|"node:(?:https?|http2|net|tls|dgram|dns)[/"]|\bBun\.(?:connect|udpSocket)\(|\bnew (?:WebSocket|EventSource)\(/;

test("one file sends anything, and one file gives it texts, redacted", () => {
	const having = (what: RegExp) => files.filter((name) => what.test(readFileSync(join(TARGET, name), "utf8")));
	expect(having(SENDS)).toEqual(["src/embeddings/endpoint.ts"]);
	expect(having(/\b(?:askEndpoint|askModel)\(/).sort()).toEqual([
		"src/embeddings/embedder.ts",
		"src/embeddings/endpoint.ts",
		"src/embeddings/onnx.ts",
	]);
	expect(having(/\bembedderOf\([^)]*redact(?:: redactSecrets)? }\)/).sort()).toEqual(having(/\bembedderOf\(\w/).sort());
});

test("hooks and commands take the environment's secrets before anything else", () => {
	for (const name of [
		"src/events/run/run-hook.ts",
		"src/events/status-line/run-status-line.ts",
		"src/cli/start.ts",
		"src/mcp/serve.ts",
	])
		expect(readFileSync(join(TARGET, name), "utf8"), name).toContain("keepOut(process.env)");
});
