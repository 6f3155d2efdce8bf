import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TARGET } from "../kit/sandbox.ts";
import LIST from "./redact-gate.json";

/**
 * Who may write bytes, print or append by the raw calls, and why redaction is not passed there. Everything else goes through
 * `src/store/gate.ts` and `print`: a new writer that doesn't fails here.
 */
const RAW: Record<string, string> = LIST;

const CALLS =
	/\b(?:writeFileAtomic|appendLines|writeFileSync|writeSync|appendFileSync|createWriteStream|copyFileSync|cpSync|Bun\.write|console\.(?:log|error|info|warn))\(|process\.std(?:out|err)\.write\(|output: process\.stdout|\boutputTo\(|"bun:sqlite"/;

const files = ["src", "hooks", "statusline"].flatMap((folder) =>
	readdirSync(join(TARGET, folder), { recursive: true, encoding: "utf8" })
		.map((name) => `${folder}/${name}`)
		.filter((name) => name.endsWith(".ts")),
);

const having = (what: RegExp) => files.filter((name) => what.test(readFileSync(join(TARGET, name), "utf8")));

test("every byte that is written or printed passes the gate, but where it is said why not", () => {
	expect(having(CALLS).sort()).toEqual(Object.keys(RAW).sort());
});

/** What opens a connection. */
const SENDS =
	/\bfetch\(|"node:(?:https?|http2|net|tls|dgram|dns)[/"]|\bBun\.(?:connect|udpSocket)\(|\bnew (?:WebSocket|EventSource)\(|from "pg"/;

test("one function sends texts, and it redacts what it sends; what is shared was made safe before it became an operation", () => {
	expect(having(SENDS)).toEqual(["src/search/endpoint.ts", "src/sync/postgres-connection.ts"]);
	const text = readFileSync(join(TARGET, "src/search/endpoint.ts"), "utf8");
	expect(text).toContain("const input = texts.map(redactSecrets);");
});

test("hooks and commands take the environment's secrets before anything else", () => {
	const entries = ["events/run/run-hook", "events/status-line/status-line", "cli/program", "mcp/server"];
	const taking = having(/registerEnvironmentSecrets\(\s*(?:process\.env|withoutRepositoryVariables\()/);
	expect(taking).toEqual(expect.arrayContaining(entries.map((name) => `src/${name}.ts`)));
});
