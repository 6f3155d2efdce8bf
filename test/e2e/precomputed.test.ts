import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { storedCheckpoints } from "../../src/store/recovery/checkpoints.ts";
import { storeAt } from "../kit/store.ts";
import { type ClaudeSandbox, claudeSandbox, everything, logged, type Terminal, times } from "./claude-sandbox.ts";
import { type ApiRequest, type Reply, SUMMARY } from "./loopback-api.ts";
import { bash, does, says } from "./replies.ts";

/** Summaries that Claude Code makes far below the trigger and puts in later, which a remote flag rolls out. */
const FLAGS = { tengu_sepia_moth: true, tengu_amber_rokovoko: 0.3 };
const FILES = 20;

let made: ClaudeSandbox;

/** Armed at 150,000 tokens, compacts at 217,000. */
async function begin(replies: Reply[]): Promise<Terminal> {
	made = claudeSandbox(replies, {
		env: {
			CLAUDE_CODE_AUTO_COMPACT_WINDOW: "250000",
			CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "",
			CLAUDE_INTERNAL_FC_OVERRIDES: JSON.stringify(FLAGS),
		},
		summary: () => ({ text: SUMMARY, tokens: 5_000, delayMs: 500 }),
	});
	made.allow(["Read", "Bash"]);
	writeFileSync(
		join(made.home, ".claude.json"),
		JSON.stringify({ cachedGrowthBookFeatures: FLAGS, cachedFeatureFlags: FLAGS }),
	);
	// its own estimate decides whether a summary fits: the text has to be there
	const words = readFileSync("ARCHITECTURE.md", "utf8").split(/\s+/);
	for (let i = 0; i < FILES; i++) {
		const text = [...words.slice(i * 97), ...words, ...words].join(" ");
		writeFileSync(
			join(made.project, `f${i}.txt`),
			text
				.repeat(3)
				.replace(/(.{80}) /g, "$1\n")
				.slice(0, 38_000),
		);
	}
	return resume();
}

async function resume(...args: string[]): Promise<Terminal> {
	const terminal = made.terminal("--debug", "--settings", '{"precomputeArmTokens":150000}', ...args);
	await terminal.shows(/to compaction|not measured/);
	return terminal;
}

async function say(terminal: Terminal, text: string, until: string): Promise<void> {
	await Bun.sleep(500);
	terminal.type(text);
	await terminal.shows(text.slice(-20));
	terminal.enter();
	await terminal.shows(until, 60);
}

const read = (from: number, to: number) =>
	Array.from({ length: to - from }, (_, i) => ({
		name: "Read",
		get input() {
			return { file_path: join(made.project, `f${from + i}.txt`) };
		},
	}));

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
/** Of compactions, one file each. */
const compactionsIn = (sid: string): string[] =>
	storedCheckpoints(storeAt(made.store), { sid }).flatMap(({ key, trigger }) => (trigger === "auto" ? [key] : []));

test("consumed: the block is of the swap, then a slow last call, then a resume", async () => {
	const terminal = await begin([
		does(20_000, ...read(0, 5)),
		does(70_000, ...read(5, 10)),
		says(120_000, "first turn done"),
		does(121_000, ...read(10, 14)),
		says(162_000, "second turn done"),
		does(163_000, ...read(14, 17)),
		does(193_000, ...read(17, 20)),
		does(221_000, bash("sleep 2; echo migrated 7 tables")),
		does(60_000, bash("echo on")),
		says(61_000, "third turn done"),
		says(62_000, "fourth turn done"),
	]);
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
	const again = await resume("--resume", sid);
	await say(again, "Go on with the next table, please.", "fourth turn done");
	const resumed = made.last();
	expect(times(resumed, "this session before its conversation was compacted")).toBe(1);
	expect(blocksIn(resumed)[0]).toContain("echo migrated 7 tables");
	expect(compactionsIn(sid)).toHaveLength(2);
	expect(logged(made)).toBe("");
}, 180_000);

test("discarded: PreCompact comes again, and the block is of the fresh summary", async () => {
	// numbers without text: by Claude Code's own estimate the swap frees nothing
	const terminal = await begin([
		does(100_000, bash("echo one")),
		says(120_000, "first turn done"),
		does(155_000, bash("echo two")),
		says(162_000, "second turn done"),
		does(163_000, bash("echo three")),
		does(221_000, bash("echo four")),
		says(60_000, "third turn done"),
	]);
	await say(terminal, "Never touch the vendor folder. Begin.", "first turn done");
	await say(terminal, "Always answer in short lines. Do more.", "second turn done");
	await logs("precomputed compact: ready");
	await say(terminal, "Never push to main. Finish it.", "third turn done");
	expect(debugLog()).toContain("precomputed compact: discarded (would_not_fit");
	const [block] = blocksIn(made.last());
	expect(block).toContain("> Never push to main. Finish it.");
	expect(block).toContain("Always answer in short lines.");
	expect(logged(made)).toBe("");
}, 120_000);
