import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pageInput, sessionCard, sessionPage } from "../../src/page/page.ts";
import { sessionHandle } from "../../src/store/session-handle.ts";
import { Transcript } from "../kit/events.ts";
import { ccg, hook, type Sandbox, sandbox } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";

const [RULE, HELD] = ["Never touch src/legacy, whatever happens.", "Build the cart."];

/** A session with one compaction, whose summary holds one of two messages and one of two commands. */
const session = (at: Pick<Sandbox, "project">): Transcript =>
	new Transcript(at.project)
		.typed(RULE)
		.call("Bash", { command: "npm test -- cart" }, "ran\n41 passed in 2310 ms")
		.call("Bash", { command: "npm run build" }, "no such script", { failed: true })
		.call("Edit", { file_path: join(at.project, "src/cart.ts"), old_string: "a", new_string: "b" }, "updated")
		.call("Bash", { command: "npm run build" }, "built")
		.typed(HELD)
		.usage(150_000);
const SUMMARY = `This session is being continued.\n\nThe user said: build THE\n cart.  It ran npm test -- cart, which gave 41.`;

/** As a person's terminal, not Claude Code's. */
const NO_SESSION = { CLAUDE_CODE_SESSION_ID: "", CLAUDE_PROJECT_DIR: "", CLAUDECODE: "", CLAUDE_CODE_ENTRYPOINT: "" };
const printed = ({ code, out, err }: { code: number | null; out: string; err: string }): string => {
	expect([code, err]).toEqual([0, ""]);
	return out;
};

const pageAt = (path: string, key?: string, store = "/nowhere"): string =>
	sessionPage(pageInput(sessionHandle(storeAt(store), "s-1"), { transcript: path, folder: "/srv/shop", key }));

test("a page says what the summary holds of the messages, and of what was done; what they share is marked", () => {
	const at = sandbox("page");
	const path = join(at.home, "s.jsonl");
	session(at)
		.given("hook_additional_context", "ccg nudge: save now", "PreToolUse")
		.said("Saved.")
		.boundary()
		.summary(SUMMARY)
		.typed("Go on.")
		.usage(30_000)
		.write(path);
	const page = pageAt(path);
	expect(page).toContain(
		"165k → 30k tokens (1k not from the cache), compaction 1 of 1; of 2 messages the summary holds 1 word for word",
	);
	expect(page).not.toContain("ccg gave back");
	expect(page).toMatch(/<li id="c1m0" class="neither"><p class="mark">.*in neither<\/p>.*Never touch src\/legacy/);
	expect(page).toContain('<mark class="c1m1">build THE\n cart.</mark>');
	expect(page).toContain(":root:has(#c1m1:focus) .c1m1");
	for (const count of [
		"commands: the summary holds 1 of 2",
		"failures: the summary holds 0 of 1",
		"files: the summary holds 0 of 1",
	])
		expect(page).toContain(count);
	expect(page).toContain("no such script → worked later, after an edit of ");
	expect(page).toContain("measured numbers: the summary holds 1 of 2");
	expect(page).toContain("Since the last compaction");
	expect(page.match(/<circle class="nudge"/g)).toHaveLength(1);
	expect(page.match(/class="cut"/g)).toHaveLength(1);
});

test("the page of one compaction, by its key: what the model was given, as it was given", async () => {
	const at = sandbox("page-key");
	const path = join(at.home, "s.jsonl");
	const transcript = session(at);
	transcript.write(path);
	const fields = { transcript_path: path, trigger: "auto", source: "compact" };
	await hook(at, "pre-compact", fields);
	const given = JSON.parse((await hook(at, "session-start", fields)).out).hookSpecificOutput.additionalContext;
	transcript.boundary().summary(SUMMARY).given("hook_additional_context", given).usage(30_000).write(path);
	const out = join(at.project, "page.html");
	const { code, err } = await ccg(at, ["show", "latest", "--as", "page", "--out", out]);
	expect([code, err]).toEqual([0, ""]);
	const page = readFileSync(out, "utf8");
	expect(page).toContain("ccg gave back 1");
	expect(page).toContain(`The block, ${given.length.toLocaleString("en")} characters<`);
	expect(page).toContain("What ccg asks of the summary");
	expect(page).not.toContain("Since the last compaction");
	await hook(at, "user-prompt-submit", { ...fields, prompt: "Go on." });
	const report = await ccg(at, ["show", "latest", "--as", "report"]);
	expect(report.out).toContain(
		"summary holds: 1 of 2 commands, 0 of 1 failures, 0 of 1 files, 1 of 2 measured numbers",
	);
	const again = await ccg(at, ["show", "latest", "--as", "page", "--out", out]);
	expect([again.code, again.err]).toEqual([1, expect.stringContaining("is there already")]);
	const beside = await ccg(at, ["show", "latest", "--as", "card", "--json"]);
	const { written } = JSON.parse(beside.out);
	expect(existsSync(written)).toBe(true);
	expect(readFileSync(written, "utf8")).toMatch(/^<svg xmlns/);
});

test("a session from before ccg was installed has a page too, for a person", async () => {
	const at = sandbox("page-old");
	const folder = join(at.home, ".claude", "projects", "-srv-shop");
	mkdirSync(folder, { recursive: true });
	session(at).boundary().summary(SUMMARY).write(join(folder, "0c0ffee0-0000-4000-8000-000000000001.jsonl"));
	const { written } = JSON.parse(
		printed(await ccg(at, ["show", "0c0ffee0", "--as", "page", "--json"], { env: NO_SESSION })),
	);
	expect(readFileSync(written, "utf8")).toContain("compaction 1 of 1");
	const within = await ccg(at, ["show", "0c0ffee0", "--as", "page"]);
	expect([within.code, within.err]).toEqual([1, expect.stringContaining("0c0ffee0")]);
});

test("without a compaction a page has the curve and the conversation; without a transcript there is none", async () => {
	const at = sandbox("page-none");
	const path = join(at.home, "s.jsonl");
	session(at).write(path);
	expect(pageAt(path)).toContain("No compaction yet");
	const { code, err } = await ccg(at, ["show", "--as", "page"]);
	expect([code, err]).toEqual([1, expect.stringContaining("ccg:")]);
});

test("a long session in three languages: at most 300 KB, and what is left out is counted", () => {
	const at = sandbox("page-long");
	const path = join(at.home, "s.jsonl");
	const transcript = new Transcript(at.project);
	for (let n = 0; n < 14; n++) {
		for (let i = 0; i < 40; i++)
			transcript
				.typed(`${["Bau den Wagen", "ابنِ عربة التسوق", "カートを作って"][i % 3]} ${n} ${i} ${"wort ".repeat(300)}`)
				.call("Bash", { command: `make part-${n}-${i}` }, `${"line\n".repeat(400)}done in ${1000 + i} ms`);
		transcript
			.usage(160_000)
			.boundary()
			.summary(`Summary ${n}. ${"Word ".repeat(8_000)}`);
	}
	transcript.write(path);
	const page = pageAt(path);
	expect(Buffer.byteLength(page)).toBeLessThan(300_001);
	expect(page).toContain("compaction 14 of 14");
	expect(page).not.toContain("compaction 2 of 14");
	expect(page).toMatch(/Not on this page: \d+ earlier requests/);
	expect(page).toMatch(/<p class="said" dir="auto">[^<]*ابنِ عربة التسوق/);
	const card = sessionCard(
		pageInput(sessionHandle(storeAt("/nowhere"), "s"), { transcript: path, folder: "/srv/shop", key: undefined }),
	);
	expect(card.length).toBeLessThan(40_000);
});
