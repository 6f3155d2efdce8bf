import { expect, test } from "vitest";
import { type ClaudeSandbox, claudeSandbox, logged } from "./claude-sandbox.ts";
import { type ApiRequest, textOf } from "./loopback-api.ts";
import { says } from "./replies.ts";

const [FROM, UP_TO] = ["Summarize from here", "Summarize up to here"] as const;

/** What the user says; the third is where a part is summarised from or up to, the fifth is taken back by a rewind. */
const SAID = ["first", "second", "third", "fourth", "fifth", "sixth"].map((one) => `Never touch ${one}_ledger.`);
const [THIRD, TAKEN_BACK, SIXTH] = [SAID[2]!, SAID[4]!, SAID[5]!];
const BEFORE = SAID.slice(0, 4);

test("a part is summarised: nothing is called left but what was rewound, and the next compaction gives back all", async () => {
	await Promise.all([driven(FROM, BEFORE.slice(2)), driven(UP_TO, BEFORE.slice(0, 2))]);
}, 90_000);

/** `summarised` has to come back from ccg: the summary holds nothing. */
async function driven(act: typeof FROM | typeof UP_TO, summarised: string[]): Promise<void> {
	let answer = "";
	const made = claudeSandbox(() => says(30_000, answer));
	const terminal = made.terminal("--permission-mode", "acceptEdits");
	const say = async (text: string): Promise<void> => {
		answer = `heard ${text.split(" ").at(-1)}`;
		// what was chosen in the menu stands in the input
		terminal.press("C-u");
		await Bun.sleep(200);
		await terminal.say(text, answer);
		// the hooks of the end of the turn
		await Bun.sleep(700);
	};
	await terminal.shows("not measured yet");
	for (const text of BEFORE) await say(text);
	await terminal.rewind(THIRD, act);
	await terminal.shows("Summarized conversation");
	await say(TAKEN_BACK);
	const first = behindSummary(made, 0);
	expect(missing(summarised, injected(first))).toEqual([]);
	expect(missing(BEFORE, first.all)).toEqual([]);
	// what stays was neither lost nor given back
	const stays = missing(BEFORE, summarised.join());
	expect(missing(stays, made.ccg("show", "latest", "--as", "report"))).toEqual(stays);

	await terminal.goBackTo(TAKEN_BACK);
	await say(SIXTH);
	terminal.send("/compact");
	await terminal.shows(/Compacted/);
	await say("Go on.");
	const block = injected(behindSummary(made, 1));
	expect(missing([...BEFORE, SIXTH], block)).toEqual([]);
	expect(block).not.toContain(TAKEN_BACK);

	expect(SAID.filter((text) => isLeft(made, text))).toEqual([TAKEN_BACK]);
	expect(logged(made)).toBe("");
}

/** Whether recall says of what the user said that it was left. */
function isLeft(made: ClaudeSandbox, text: string): boolean {
	const [, head] = new RegExp(`^(\\[\\d+\\] user.*)\\n\\| ${text}$`, "m").exec(made.ccg("recall", text))!;
	return head!.includes("on a branch the user left");
}

const missing = (texts: readonly string[], where: string): string[] => texts.filter((text) => !where.includes(text));

/** The first request of the conversation behind the `n`th summary. */
function behindSummary({ api }: ClaudeSandbox, n: number): ApiRequest {
	const at = api.requests.flatMap(({ kind }, i) => (kind === "summary" ? [i] : []))[n]!;
	return api.requests.slice(at).find(({ kind }) => kind === "main")!;
}

/** What hooks gave at the start of the conversation or behind a compaction. */
const injected = ({ body }: ApiRequest): string =>
	body.messages
		.map(({ content }) => textOf(content))
		.filter((text) => text.includes("SessionStart hook additional context"))
		.join("\n");
