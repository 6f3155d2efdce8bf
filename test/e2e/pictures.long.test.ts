import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { type Scene, terminalSvg } from "../../scripts/terminal-svg.ts";
import { readUsage } from "../../src/store/pressure/flags.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { storeAt } from "../kit/store.ts";
import { bash, type ClaudeSandbox, claudeSandbox, type Terminal } from "./claude-sandbox.ts";
import { playing } from "./loopback-api.ts";

const FOLDER = resolve(import.meta.dirname, "../../docs/pictures");
const WIDTHS = [40, 56, 60, 80, 200];
const WRITE = Boolean(process.env.CCG_TEST_WRITE);

let made: ClaudeSandbox;

test("the status line through a cycle, at five widths: whole, within its room, and as the pictures in the docs show it", async () => {
	made = claudeSandbox(
		playing([
			{ text: "calm it is", tokens: 50_000 },
			{ text: "watch it is", tokens: 100_000 },
			{ text: "flush it is", tokens: 131_000 },
			{ tools: [bash("echo one")], tokens: 136_000, delayMs: 1_500 },
			{ text: "nudged it is", tokens: 140_000 },
			{ text: "held it is", tokens: 160_000 },
			{ text: "the next cycle it is", tokens: 31_000 },
		]),
		{ env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "200000" } },
	);
	made.settings((settings) => {
		// so that a new width shows without a new message
		(settings.statusLine as Record<string, unknown>).refreshInterval = 1;
	});
	// (a checkpoint of high use would show its time whenever it is done)
	made.configure({ guard: { mode: "enforce" }, checkpoints: { usageShare: 0 } });
	const terminal = made.terminal();
	await terminal.shows(/—\/167k/);
	const scenes = new Map<number, Scene[]>(WIDTHS.map((columns) => [columns, []]));
	const take = async (caption: string, expected: RegExp): Promise<void> => {
		for (const columns of WIDTHS) {
			const scene = { caption, lines: await statusRow(terminal, columns, expected) };
			scenes.get(columns)!.push(scene);
		}
		terminal.resize(150);
		await Bun.sleep(300);
	};
	for (const [text, answer, caption, expected] of [
		["Begin.", "calm it is", "calm", /50k\/167k/],
		["Go on.", "watch it is", "watch", /100k\/167k/],
		["And on.", "flush it is", "flush: a save is due", /131k\/167k.*●/],
		["Do it.", "nudged it is", "nudged: the agent was told", /140k\/167k/],
		[
			"Is it near?",
			"held it is",
			"critical, with the halt gate enforced: changes wait for a checkpoint",
			/160k\/167k.*■/,
		],
		["/compact", "ompacted", "saved and compacted: measured with the next answer", /—\/167k.*saved/],
		["Once more.", "the next cycle it is", "the next cycle", /31k\/167k.*saved/],
	] as const) {
		await terminal.say(text, answer);
		await take(caption, expected);
	}
	terminal.end();

	const stale: string[] = [];
	for (const [columns, taken] of scenes) {
		const svg = terminalSvg(taken, columns);
		const path = join(FOLDER, `statusline-${columns}.svg`);
		if (WRITE) {
			mkdirSync(FOLDER, { recursive: true });
			writeFileSync(path, svg);
		}
		expect(svg.length, path).toBeLessThan(30_000);
		if (!existsSync(path) || readFileSync(path, "utf8") !== svg) stale.push(path);
	}
	expect(stale, "CCG_TEST_WRITE=1 sh scripts/test-e2e test/e2e/pictures.long.test.ts makes them anew").toEqual([]);
}, 400_000);

/** The lower edge of the prompt and the status line, once it was drawn for this width. */
async function statusRow(terminal: Terminal, columns: number, expected: RegExp): Promise<string[]> {
	terminal.resize(columns);
	// a run may have begun before the client heard of the width; the second one after it has not
	const runs = new Set([lastRun()]);
	for (let i = 0; i < 200 && runs.size < 4; i++) {
		await Bun.sleep(100);
		runs.add(lastRun());
	}
	for (let i = 0; i < 50; i++) {
		await Bun.sleep(100);
		const lines = terminal.painted().split("\n");
		const at = lines.findLastIndex((line) => expected.test(plain(line)));
		const status = plain(lines[at] ?? "").trimEnd();
		if (at < 1 || plain(lines[at - 1]!) !== "─".repeat(columns)) continue;
		expect(status).not.toContain("…");
		expect(Bun.stringWidth(status), `at ${columns} columns: ${status}`).toBeLessThanOrEqual(columns - 2);
		return [lines[at - 1]!, lines[at]!].map((line) => line.replace(/saved \d\d:\d\d/, "saved 14:03"));
	}
	throw new Error(`no status line ${expected} at ${columns} columns:\n${terminal.screen()}`);
}

/** When the status line measured last. */
function lastRun(): string {
	const sid = made.api.requests.at(-1)!.session;
	return readUsage(sessionAt(storeAt(made.store), sid))?.at ?? "";
}

const plain = (line: string): string => line.replace(/\u001b\[[\d;]*m/g, "");
