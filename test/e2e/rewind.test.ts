import { join } from "node:path";
import { expect, test } from "vitest";
import { type ClaudeSandbox, claudeSandbox, everything, logged, type Terminal, times } from "./claude-sandbox.ts";
import type { ApiRequest, Reply } from "./loopback-api.ts";
import { bash, does, says, write } from "./replies.ts";

let made: ClaudeSandbox;

const SLOW = { delayMs: 600 };
const filler = (n: number) => Array.from({ length: 40 }, (_, i) => `helperNumber${n}x${i}`).join(" ");
/** Work enough to fill a small block. */
const BULK: Reply[] = Array.from({ length: 8 }, (_, i) =>
	does(20_000 + i, bash(`printf '%s\\n' ${filler(i)} ${filler(10 + i)} ${filler(20 + i)}`)),
);

/** What the user said and did not take back; the last two are sent after the first compaction. */
const STANDS = [
	"Never touch the file legacy.c.",
	"Always indent with spaces.",
	"Keep the license header in every file.",
	"Use the metric system only.",
	"Never push to the main branch.",
];
/** What was left by a rewind, or taken back from the queue. */
const LEFT = [
	...["leftTabs", "leftWriter", "left_failure", "leftShell", "leftAssumption"],
	...["leftByUp", "leftCommand", "leftAgain", "leftSecond"],
];

test("rewound and edited, queued and taken back, /compact while it works: what was left comes back nowhere", async () => {
	made = claudeSandbox();
	made.allow(["Bash", "Write"]);
	// so small that work does not fit beside what was said
	made.configure({ recovery: { maxChars: 3_000 } });
	const terminal = made.terminal("--permission-mode", "acceptEdits");
	await terminal.shows("not measured yet");
	await rewindAndEdit(terminal);
	await queueWhileItWorks(terminal);
	const afterFirst = made.api.requests.length;
	await rewindAndSendByEsc(terminal);

	const { requests } = made.api;
	const [first, second, ...more] = requests.flatMap(({ kind }, i) => (kind === "summary" ? [i] : []));
	expect(more).toEqual([]);
	for (const at of [first!, second!]) expectSteering(requests[at]!);
	expectInjected(requests.slice(first! + 1, afterFirst), STANDS.slice(0, 3));
	expectInjected(requests.slice(second! + 1), STANDS);
	expect(logged(made)).toBe("");
}, 180_000);

/** A branch with all that a session may hold; then the message is edited and sent again. */
async function rewindAndEdit(terminal: Terminal): Promise<void> {
	await say(terminal, "Never touch the file legacy.c. Write the parser.", "turn one done");
	await say(
		terminal,
		"Always indent with leftTabs. Rewrite the lexer.",
		"turn two done",
		does(21_000, write(join(made.project, "left.ts"), "export function leftWriter() {}")),
		does(22_000, bash("echo left_failure: no such table >&2; exit 3")),
		says(23_000, "I'm assuming leftAssumption.", bash("echo leftShell")),
	);
	await terminal.goBackTo("Always indent with leftTabs.");
	made.queue.push(
		...BULK,
		{ tools: [bash("sleep 8; echo slept")], tokens: 30_000, ...SLOW },
		{ text: "turn three done", tokens: 31_000, ...SLOW },
	);
	terminal.send("Always indent with spaces. Rewrite the lexer.");
	await terminal.shows("sleep 8");
}

/** Two taken back, one delivered, and `/compact`, which runs when the turn ends. */
async function queueWhileItWorks(terminal: Terminal): Promise<void> {
	await takeBack(terminal, "Never call leftByUp again.");
	await takeBack(terminal, "/compact keep leftCommand");
	await queue(terminal, "Keep the license header in every file.");
	await queue(terminal, "/compact");
	await terminal.shows(/Compacted/);
	await say(terminal, "Go on with the lexer.", "turn four done", {
		tools: [bash("echo second part")],
		tokens: 9_000,
		...SLOW,
	});
}

/** A branch behind the compaction, two messages sent by interrupting the call, and an automatic compaction. */
async function rewindAndSendByEsc(terminal: Terminal): Promise<void> {
	const wrote = does(31_000, write(join(made.project, "left2.ts"), "leftSecond()"));
	await say(terminal, "Always print leftAgain.", "turn five done", wrote);
	await terminal.goBackTo("Always print leftAgain.");
	made.queue.push({ tools: [bash("sleep 9; echo slept")], tokens: 30_000, ...SLOW });
	terminal.send("Write the tests.");
	await terminal.shows("sleep 9");
	await queue(terminal, "Use the metric system only.");
	await queue(terminal, "Never push to the main branch.");
	made.queue.push(
		...BULK,
		{ tools: [bash("echo full")], tokens: 90_000, ...SLOW },
		{ tools: [bash("echo after")], tokens: 9_000, ...SLOW },
		says(10_000, "turn six done"),
	);
	terminal.press("Escape");
	await terminal.shows("turn six done");
}

function expectSteering(summary: ApiRequest): void {
	const steering = summary.last.slice(summary.last.lastIndexOf("Additional Instructions:"));
	expect(steering).toMatch(/ccg: (?:keep causes|the user's messages)/);
	expect(LEFT.filter((text) => steering.includes(text))).toEqual([]);
}

/** The requests after a compaction: the block once; all that stands, nothing that was left. */
function expectInjected(requests: ApiRequest[], stands: string[]): void {
	const last = requests.at(-1)!;
	expect(times(last, "this session before its conversation was compacted")).toBe(1);
	expect(stands.filter((text) => !requests[0]!.all.includes(text))).toEqual([]);
	for (const request of requests) expect(LEFT.filter((text) => everything(request).includes(text))).toEqual([]);
}

/** A whole turn, whose last answer is `last`. */
async function say(terminal: Terminal, text: string, last: string, ...played: Reply[]): Promise<void> {
	made.queue.splice(0, made.queue.length, ...played, says(30_000, last));
	terminal.send(text);
	await terminal.shows(last);
	// the hooks of the end of the turn
	await Bun.sleep(1_000);
}

async function queue(terminal: Terminal, text: string): Promise<void> {
	terminal.send(text);
	await terminal.shows("Queued");
	await Bun.sleep(200);
}

/** Queued, brought back into the input by Up, and deleted there. */
async function takeBack(terminal: Terminal, text: string): Promise<void> {
	await queue(terminal, text);
	terminal.press("Up");
	await Bun.sleep(500);
	expect(terminal.screen()).not.toContain("Queued");
	terminal.press("C-u");
	await Bun.sleep(300);
}
