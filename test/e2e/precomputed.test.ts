import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ClaudeSandbox, claudeSandbox, everything, logged, type Terminal, times } from "./claude-sandbox.ts";
import { type ApiRequest, type Reply, SUMMARY } from "./loopback-api.ts";
import { bash, does, read, says } from "./replies.ts";

/** Summaries that Claude Code makes far below the trigger and puts in later, which a remote flag rolls out. */
const FLAGS = { tengu_sepia_moth: true, tengu_amber_rokovoko: 0.3 };
const FILES = 20;

let made: ClaudeSandbox;

/** Armed at 150,000 tokens, compacts at 217,000. */
function sandbox(): ClaudeSandbox {
	made = claudeSandbox([], {
		env: {
			CLAUDE_CODE_AUTO_COMPACT_WINDOW: "250000",
			CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "",
			CLAUDE_INTERNAL_FC_OVERRIDES: JSON.stringify(FLAGS),
		},
		summary: () => ({ text: SUMMARY, tokens: 5_000, delayMs: 500 }),
	});
	made.allow(["Read", "Bash"]);
	const features = { cachedGrowthBookFeatures: FLAGS, cachedFeatureFlags: FLAGS };
	writeFileSync(join(made.home, ".claude.json"), JSON.stringify(features));
	// its own estimate decides whether a summary fits: the text has to be there
	const words = readFileSync("ARCHITECTURE.md", "utf8").replace(/\s+/g, " ").repeat(6);
	for (let i = 0; i < FILES; i++) {
		const text = words.slice(i * 700).replace(/(.{80}) /g, "$1\n");
		writeFileSync(join(made.project, `f${i}.txt`), text.slice(0, 38_000));
	}
	return made;
}

async function open(...args: string[]): Promise<Terminal> {
	const terminal = made.terminal("--debug", "--settings", '{"precomputeArmTokens":150000}', ...args);
	await terminal.shows(/to compaction|not measured/);
	return terminal;
}

async function say(terminal: Terminal, text: string, until: string): Promise<void> {
	await Bun.sleep(500);
	terminal.type(text);
	await terminal.shows(text.slice(-20));
	terminal.press("Enter");
	await terminal.shows(until, 60);
}

const reading = (tokens: number, from: number, to: number): Reply =>
	does(tokens, ...Array.from({ length: to - from }, (_, i) => read(join(made.project, `f${from + i}.txt`))));

/** What Claude Code says of them in its debug log. */
function debugLog(): string {
	const folder = join(made.home, ".claude", "debug");
	const files = readdirSync(folder).filter((name) => name.endsWith(".txt"));
	return files.map((name) => readFileSync(join(folder, name), "utf8")).join("");
}

/** The summary is made while nobody waits for it. */
const logs = (text: string | RegExp) => expect.poll(debugLog, { timeout: 30_000 }).toMatch(text);

const blocksIn = (request: ApiRequest): string[] =>
	request.body.messages.map(({ content }) => JSON.stringify(content)).filter((text) => text.includes("ccg recovery "));

test("consumed: the block is of the swap, then a slow last call, then a resume", async () => {
	made = sandbox();
	made.queue.push(
		...[reading(20_000, 0, 5), reading(70_000, 5, 10), says(120_000, "first turn done")],
		...[reading(121_000, 10, 14), says(162_000, "second turn done")],
		...[reading(163_000, 14, 17), reading(193_000, 17, 20), does(221_000, bash("sleep 2; echo migrated 7 tables"))],
		...[does(60_000, bash("echo on")), says(61_000, "third turn done"), says(62_000, "fourth turn done")],
	);
	const terminal = await open();
	await say(terminal, "Never touch the vendor folder. Read the first files.", "first turn done");
	await say(terminal, "Always answer in short lines. Read some more.", "second turn done");
	await logs("precomputed compact: ready");
	await say(terminal, "Never push to main. Run the migration once.", "third turn done");

	expect(debugLog().match(/precomputed compact: (?:started|ready|consumed|discarded|failed)/g)).toEqual([
		"precomputed compact: started",
		"precomputed compact: ready",
		"precomputed compact: consumed",
	]);
	const swapped = made.main().find((request) => times(request, "ccg recovery ") > 0)!;
	const [block] = blocksIn(swapped);
	expect(block).toContain("the user's last message stands in this conversation word for word");
	expect(block).not.toContain("Request at hand");
	for (const rule of ["Never touch the vendor folder.", "Always answer in short lines."]) expect(block).toContain(rule);
	for (const kept of ["Never push to main", "f17.txt", "no result"]) expect(block).not.toContain(kept);
	// where it stands: behind the summary
	expect(everything(swapped)).toContain("Never push to main. Run the migration once.");

	const compacted = made.main().findLast((request) => everything(request).includes("Request at hand"))!;
	const [second] = blocksIn(compacted);
	expect(second).toContain("> Never push to main. Run the migration once.");
	expect(second).toContain("- ended: `sleep 2; echo migrated 7 tables`\\n  | migrated 7 tables");
	expect(second).not.toContain("no result");
	terminal.end();

	const sid = made.api.requests.at(-1)!.session;
	const again = await open("--resume", sid);
	await say(again, "Go on with the next table, please.", "fourth turn done");
	const resumed = made.last();
	expect(times(resumed, "this session before its conversation was compacted")).toBe(1);
	expect(blocksIn(resumed)[0]).toContain("echo migrated 7 tables");
	const { checkpoints } = JSON.parse(made.ccg("checkpoint", "list", "--session", sid, "--json"));
	expect(checkpoints.filter((one: { trigger: string }) => one.trigger === "auto")).toHaveLength(2);
	expect(logged(made)).toBe("");
}, 180_000);
