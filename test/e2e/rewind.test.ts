import { join } from "node:path";
import { expect, test } from "vitest";
import { bash, type ClaudeSandbox, claudeSandbox, everything, logged, type Terminal, times } from "./claude-sandbox.ts";
import { type ApiRequest, type Reply, SUMMARY } from "./loopback-api.ts";

let made: ClaudeSandbox;
let replies: Reply[] = [];

const SLOW = { delayMs: 600 };
const filler = (n: number) => Array.from({ length: 40 }, (_, i) => `helperNumber${n}x${i}`).join(" ");
/** Work enough to fill a small block. */
const BULK: Reply[] = Array.from({ length: 8 }, (_, i) => ({
	tools: [bash(`printf '%s\\n' ${filler(i)} ${filler(10 + i)} ${filler(20 + i)}`)],
	tokens: 20_000 + i,
}));

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
	made = startSandbox();
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
		{ tools: [write("left.ts", "export function leftWriter() {}")], tokens: 21_000 },
		{ tools: [bash("echo left_failure: no such table >&2; exit 3")], tokens: 22_000 },
		{ text: "I'm assuming leftAssumption.", tools: [bash("echo leftShell")], tokens: 23_000 },
	);
	await rewind(terminal, "Always indent with leftTabs.");
	replies = [
		...BULK,
		{ tools: [bash("sleep 8; echo slept")], tokens: 30_000, ...SLOW },
		{ text: "turn three done", tokens: 31_000, ...SLOW },
	];
	send(terminal, "Always indent with spaces. Rewrite the lexer.");
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
	const wrote = { tools: [write("left2.ts", "leftSecond()")], tokens: 31_000 };
	await say(terminal, "Always print leftAgain.", "turn five done", wrote);
	await rewind(terminal, "Always print leftAgain.");
	replies = [{ tools: [bash("sleep 9; echo slept")], tokens: 30_000, ...SLOW }];
	send(terminal, "Write the tests.");
	await terminal.shows("sleep 9");
	await queue(terminal, "Use the metric system only.");
	await queue(terminal, "Never push to the main branch.");
	replies = [
		...BULK,
		{ tools: [bash("echo full")], tokens: 90_000, ...SLOW },
		{ tools: [bash("echo after")], tokens: 9_000, ...SLOW },
		{ text: "turn six done", tokens: 10_000 },
	];
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

function startSandbox(): ClaudeSandbox {
	const one = claudeSandbox((request) =>
		request.kind === "summary"
			? { text: SUMMARY, tokens: 5_000 }
			: (replies.shift() ?? { text: "nothing more", tokens: 6_000 }),
	);
	one.allow(["Bash", "Write"]);
	// so small that work does not fit beside what was said
	one.configure({ recovery: { maxChars: 3_000 } });
	return one;
}

function write(name: string, content: string) {
	return { name: "Write", input: { file_path: join(made.project, name), content } };
}

function send(terminal: Terminal, text: string): void {
	terminal.send(text);
}

/** A whole turn, whose last answer is `last`. */
async function say(terminal: Terminal, text: string, last: string, ...played: Reply[]): Promise<void> {
	replies = [...played, { text: last, tokens: 30_000 }];
	send(terminal, text);
	await terminal.shows(last);
	// the hooks of the end of the turn
	await Bun.sleep(1_000);
}

async function queue(terminal: Terminal, text: string): Promise<void> {
	send(terminal, text);
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

/** Esc Esc, back to before the last message; that message stands in the input then, and is deleted. */
async function rewind(terminal: Terminal, message: string): Promise<void> {
	terminal.press("Escape");
	await Bun.sleep(150);
	terminal.press("Escape");
	await terminal.shows("Enter to continue");
	terminal.press("Up");
	await Bun.sleep(300);
	terminal.enter();
	expect(await terminal.shows("Restore conversation")).toContain(message);
	await Bun.sleep(300);
	terminal.enter();
	await terminal.shows(`❯ ${message}`);
	await Bun.sleep(500);
	terminal.press("C-u");
}
