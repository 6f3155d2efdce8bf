import { describe, expect, test } from "vitest";
import { sectionsOf } from "../../../src/core/recovery/sections.ts";
import { portsIn } from "../../../src/core/state/background-tasks.ts";
import { checkKind } from "../../../src/core/state/commands.ts";
import type { SessionState } from "../../../src/core/state/session-state.ts";
import { symbolsOf } from "../../../src/core/state/symbols.ts";
import type { TranscriptEvent } from "../../../src/core/transcript/event.ts";
import { at, call, message, stateOf } from "../../kit/session-events.ts";

const bash = (command: string, text = "ok", failed = false) => call("Bash", { command }, text, failed);
const said = (text: string): TranscriptEvent => ({ kind: "said", at, text });

const itemsOf = (state: SessionState, kind: string): string[] =>
	sectionsOf(state, null)
		.filter((section) => section.kind === kind)
		.flatMap(({ items }) => items.map(({ text }) => text));

describe("questions of the agent", () => {
	const ASKED = "I found two ways.\n\n```ts\nwhy(you)?\n```\n- Should I **keep** the old endpoint?\nWhat causes this?";
	test("stand until the user's next message", () => {
		expect(stateOf(said(ASKED)).questions).toMatchObject([{ text: "Should I keep the old endpoint?" }]);
		expect(itemsOf(stateOf(said(ASKED)), "question")).toEqual(["- `Should I keep the old endpoint?`"]);
		expect(stateOf(said(ASKED), message("yes")).questions).toEqual([]);
	});
	test("in a dialog without an answer", () => {
		const [asked] = call("AskUserQuestion", { questions: [{ question: "Which database?" }] });
		expect(itemsOf(stateOf(asked!), "question")).toEqual(["- `Which database?`"]);
	});
});

test("what the agent assumes is kept as the agent's", () => {
	const state = stateOf(said("I'm assuming the totals are in cents. They are rendered late."));
	expect(itemsOf(state, "assumption")).toEqual(["- `I'm assuming the totals are in cents.`"]);
});

describe("commands that prove something", () => {
	test.each([
		["npm test", "test"],
		["cd app && CI=1 npx vitest run --project unit", "test"],
		["go test ./...", "test"],
		["mise run test:ci", "test"],
		["npx tsc --noEmit", "lint"],
		["cargo build --release", "build"],
		["npm run dev", "run"],
		["python3 tools/gen.py", "run"],
		["./gradlew test", "test"],
		["uv run pytest -q", "test"],
		["node_modules/.bin/vitest run", "test"],
		["E2E=1 LOG_LEVEL2=x npm test", "test"],
		["pnpm --filter web test", "test"],
		["npm --prefix web t", "test"],
		["python -m pytest", "test"],
		["make -C core test", "test"],
		["docker compose exec app pytest", "test"],
		["node --test", "test"],
		["./test.sh", "test"],
		["npm run fmt && npm run lint && npm run test:ci", "test"],
		["zig build test", "test"],
		["make clean", null],
		["git commit -F - <<'EOF'\nmake everything faster\nEOF", null],
		["python3 - <<EOF\nimport x\nEOF", null],
		["python3 -c 'print(1)'", null],
		["grep -rn 'npm test' docs", null],
		["cat Makefile", null],
		["git commit -m 'npm test works'", null],
		["echo make", null],
	])("%s: %s", (command, kind) => expect(checkKind(command)).toBe(kind));
	test.each<[string, string, "worked" | "failed" | "unknown"]>([
		["npm test", "", "worked"],
		["npm run lint && npm test", "", "worked"],
		["npm test && echo done", "", "worked"],
		["npm test 2>&1 | tail -5", "AssertionError: nope", "unknown"],
		["npm test || true", "", "unknown"],
		["npm test; echo done", "done", "unknown"],
		["npm test | grep -A3 FAIL", "--- FAIL: TestCart", "failed"],
	])("%s: %j: %s", (command, text, result) => expect(stateOf(bash(command, text)).checks).toMatchObject([{ result }]));
	test("what was rejected or went to the background proves nothing", () => {
		const started = call(
			"Bash",
			{ command: "npm test", run_in_background: true },
			"Command running in background with ID: b1.",
		);
		expect(stateOf(started).checks).toEqual([]);
		const rejected = bash("npm test", "The user doesn't want to proceed with this tool use.", true);
		expect(stateOf(rejected)).toMatchObject({ checks: [], commands: [] });
	});
	test("keep the last outcome; words count where a pipe hides the exit code", () => {
		const state = stateOf(
			bash("npm test", "Tests  3 failed | 12 passed", true),
			bash("npm test", "\n Tests  15 passed (15)\n Duration 2s"),
			bash("pytest -q | tail -3", "1 failed, 4 passed in 0.2s"),
		);
		expect(state.checks.map(({ command, result, outcome }) => [command, result, outcome])).toEqual([
			["npm test", "worked", "Tests 15 passed (15)"],
			["pytest -q | tail -3", "failed", "1 failed, 4 passed in 0.2s"],
		]);
		expect(itemsOf(state, "command").slice(0, 2)).toEqual([
			"- test failed: `pytest -q | tail -3` — `1 failed, 4 passed in 0.2s`",
			"- test worked: `npm test` — `Tests 15 passed (15)`",
		]);
	});
});

describe("what was done, with its evidence", () => {
	const COMMIT = bash("git add -A && git commit -m 'Add the cart'", "[main 1a2b3c4] Add the cart\n 2 files changed");
	test("commits of the session", () => {
		expect(stateOf(COMMIT).commits).toMatchObject([{ hash: "1a2b3c4", subject: "Add the cart" }]);
		expect(stateOf(bash("git log --grep commit", "[main 1a2b3c4] Add")).commits).toEqual([]);
		const amended = bash("git commit --amend -m 'Add the cart now'", "[main 5d6e7f8] Add the cart now");
		expect(stateOf(COMMIT, amended).commits).toMatchObject([{ hash: "5d6e7f8" }]);
		expect(stateOf(COMMIT, bash("git reset --hard HEAD~1")).commits).toEqual([]);
		const quiet = call("Bash", { command: "git commit -qm 'Quiet'" }, "", false, {
			gitOperation: { commit: { sha: "abcdef0123", kind: "committed" } },
		});
		expect(stateOf(quiet).commits).toMatchObject([{ hash: "abcdef0", subject: "Quiet" }]);
		expect(itemsOf(stateOf(COMMIT), "done")).toEqual(["- commit 1a2b3c4 `Add the cart`"]);
	});
	test("of a task: the commit and the test that passed since it began", () => {
		const todo = (status: string) => call("TodoWrite", { todos: [{ content: "Build the cart", status }] });
		const state = stateOf(
			bash("npm test", "1 passed"),
			todo("in_progress"),
			bash("npm test", "7 passed"),
			COMMIT,
			todo("completed"),
		);
		expect(itemsOf(state, "done")).toEqual([
			"- [done] `Build the cart` (`commit 1a2b3c4 Add the cart; npm test: 7 passed`)",
		]);
	});
	test("a todo that leaves its list was not seen to be cancelled", () => {
		const todos = (...contents: string[]) =>
			call("TodoWrite", { todos: contents.map((content) => ({ content, status: "pending" })) });
		const state = stateOf(todos("A", "B", "C"), todos("A", "B"), todos("A", "D"));
		expect(state.tasks.map(({ subject, status }) => `${subject} ${status}`)).toEqual(["A pending", "D pending"]);
	});
});

test("symbols declared in an edit stand with the file", () => {
	const code =
		"export async function renderCart(x) {}\nclass CartView {}\nconst MAX_ITEMS = 3;\ndef load_cart(self):\nfunc (s *Store) Save() {}\npub(crate) fn totals() {}";
	expect(symbolsOf("a.ts", code)).toEqual(["renderCart", "CartView", "MAX_ITEMS", "load_cart", "Save", "totals"]);
	expect(symbolsOf("notes.md", "This class handles the type information")).toEqual([]);
	const many = call("MultiEdit", {
		file_path: "/p/b.ts",
		edits: [{ old_string: "a", new_string: "class CartList {}" }],
	});
	expect(itemsOf(stateOf(many), "file changed")).toEqual(["`/p/b.ts` (1: CartList)"]);
	const state = stateOf(call("Edit", { file_path: "/p/cart.ts", old_string: "a", new_string: code }));
	expect(itemsOf(state, "file changed")).toEqual(["`/p/cart.ts` (1: Save totals)"]);
	const file = sectionsOf(state, null).find(({ kind }) => kind === "file changed")!.items[0]!;
	expect(file.long).toBe(
		`\`/p/cart.ts\` (edited 1×, read 0×, last ${at}: renderCart CartView MAX_ITEMS load_cart Save totals)`,
	);
});

test("searches keep what they found", () => {
	const state = stateOf(
		call("Grep", { pattern: "renderCart", path: "src" }, "Found 3 files\nsrc/a.ts"),
		call("Glob", { pattern: "**/*.sql" }, "No files found"),
	);
	expect(itemsOf(state, "search")).toEqual(["`Glob **/*.sql` (nothing)", "`Grep renderCart in src` (3 files)"]);
});

describe("work in flight", () => {
	test.each([
		["python3 -m http.server 8123", ["8123"]],
		["PORT=4000 npm start", ["4000"]],
		["vite --port=5173", ["5173"]],
		["  ➜  Local:   http://localhost:5174/", ["5174"]],
		["Server listening on port 3001", ["3001"]],
		["see line:1234 and 10:30", []],
	])("ports in %j: %j", (text, ports) => expect(portsIn(text)).toEqual(ports));
	test("a detached process with its port, until a command names it", () => {
		const started = bash("nohup python3 -m http.server 8123 > server.log 2>&1 &", "");
		expect(itemsOf(stateOf(started), "background task")).toEqual([
			`- detached process started at call 1: \`nohup python3 -m http.server 8123 > server.log 2>&1 &\`, port 8123 (since ${at})`,
		]);
		expect(stateOf(started, bash("lsof -ti:8123 | xargs kill")).backgroundTasks).toEqual([]);
		expect(stateOf(started, bash("pkill -f http.server")).backgroundTasks).toEqual([]);
		expect(stateOf(started, bash("pkill -f vite")).backgroundTasks).toHaveLength(1);
		const server = bash("nohup node server.js &", "");
		expect(stateOf(server, bash("pkill -f 'node worker.js'")).backgroundTasks).toHaveLength(1);
		expect(stateOf(server, bash("git commit -m 'Add kill switch to server.js'")).backgroundTasks).toHaveLength(1);
		expect(stateOf(server, bash("pkill -f server.js")).backgroundTasks).toEqual([]);
		expect(stateOf(started, server, bash("kill $!")).backgroundTasks).toMatchObject([
			{ what: expect.stringContaining("8123") },
		]);
		for (const over of [
			"node server.js & sleep 2; curl localhost:1; kill $!",
			"make -j4 &\nwait",
			"cat <<EOF\nint *p = &\nEOF",
		])
			expect(stateOf(bash(over)).backgroundTasks).toEqual([]);
		expect(stateOf(bash("make && make install")).backgroundTasks).toEqual([]);
		expect(stateOf(bash("curl 'http://x/?a=1&b=2'")).backgroundTasks).toEqual([]);
	});
	test("what a command prints starts nothing", () => {
		for (const text of [
			"old: Command running in background with ID: b1.",
			"Command running in background with ID: b1.",
		])
			expect(stateOf(bash("cat log", text)).backgroundTasks).toEqual([]);
	});
	test("asking for its output tells that it ended, and its port", () => {
		const start = call(
			"Bash",
			{ command: "npm run dev", run_in_background: true },
			"Command running in background with ID: b1.",
		);
		const ask = (status: string, output: string) =>
			call(
				"TaskOutput",
				{ task_id: "b1" },
				`<task_id>b1</task_id>\n<status>${status}</status>\n<output>${output}</output>`,
			);
		expect(stateOf(start, ask("running", "ready on http://localhost:3000")).backgroundTasks).toMatchObject([
			{ id: "b1", ports: ["3000"] },
		]);
		expect(stateOf(start, ask("completed", "")).backgroundTasks).toEqual([]);
	});
});

test("an interruption is a decision, a rejection's own is not told twice", () => {
	const [started] = bash("npm run deploy");
	expect(itemsOf(stateOf(started!, { kind: "interrupted", at }), "decision")).toEqual([
		"- interrupted: `Bash npm run deploy`",
	]);
	const rejected = bash("npm run deploy", "The user doesn't want to proceed with this tool use.", true);
	expect(stateOf(rejected, { kind: "interrupted", at }).decisions).toHaveLength(1);
});
