import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { postToolUse } from "../../src/events/post-tool-use.ts";
import { preCompact } from "../../src/events/pre-compact.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import { sessionEnd } from "../../src/events/session-end.ts";
import { stop } from "../../src/events/stop.ts";
import { userPromptSubmit } from "../../src/events/user-prompt-submit.ts";
import { raiseMissedFlag } from "../../src/store/pressure/flags.ts";
import { corpus } from "../kit/corpus.ts";
import { readPending } from "../kit/cycle.ts";
import { Transcript } from "../kit/events.ts";
import { anew, at } from "./compaction-session.ts";

/** Rows of `compaction-stories.txt`, which says how they are read. */
const STORIES = corpus(join(import.meta.dirname, "compaction-stories.txt")).stories!.map((row) =>
	row.split(/: (?=[^:]*$)/),
);

let transcript: Transcript;
let said: number;
/** The last block that was given. */
let block: string | null;

function begin(version?: string, tokens = 160_000): void {
	const clock = new Date(at.now.getTime() - 60_000);
	transcript = new Transcript(at.project, clock, "claude-sonnet-4-6", version).typed("Never touch src/legacy.");
	[said, block] = [0, null];
	say();
	transcript.usage(tokens).write(at.transcript);
}
beforeEach(() => begin());

/** One that does not mark a subagent's compaction. */
function beginOnOldVersion(tokens: number): void {
	begin("2.1.200", tokens);
	at.send(postToolUse);
}

function say(): void {
	said++;
	transcript.at(at.now).typed(`Request ${said}.`).write(at.transcript);
}

const compact = (): void => void transcript.at(at.later(1)).boundary().summary("Work went on.").write(at.transcript);
const record = (how: "hook_success" | "hook_additional_context"): void =>
	void transcript.given("hook_success", "another hook's").given(how, block!).write(at.transcript);

/** Words that give nothing. */
const ACTS: Record<string, () => unknown> = {
	say,
	cut: compact,
	boundary: () => transcript.at(at.later(1)).boundary().write(at.transcript),
	pre: () => expect(at.send(preCompact, { trigger: "auto" })).toMatch(/^ccg: /),
	stop: () => at.send(stop),
	exit: () => at.send(sessionEnd, { hook_event_name: "Stop" }),
	record: () => record("hook_additional_context"),
	"record-stdout": () => record("hook_success"),
	/** Another hook's words are on record, ccg's are not; a quotation of them is no receipt. */
	other: () =>
		transcript
			.given("hook_success", "another hook's")
			.typed(`What is "${block!.slice(0, 60)}"?`)
			.write(at.transcript),
	missed: () => raiseMissedFlag(at.stored),
	later: () => at.later(60),
	old: () => beginOnOldVersion(20_000),
	"old-near": () => beginOnOldVersion(160_000),
	lose: () => at.forget("records"),
};

const HANDLERS = { call: preToolUse, prompt: userPromptSubmit };

/** What a call, a prompt or a start gives: a block, and the line for the user. */
function give(word: string): [string | null, string | null] {
	const handler = HANDLERS[word as keyof typeof HANDLERS];
	if (!handler) {
		expect(word).toMatch(/^(?:start|startup|clear|(?:fork-)?resume|fork)$/);
		const isFork = word.startsWith("fork");
		const source = word === "start" ? "compact" : word.split("-").at(-1)!;
		const copy = join(at.top, "fork.jsonl");
		if (isFork) copyFileSync(at.transcript, copy);
		return [at.start(source, isFork ? { session_id: "s-2", transcript_path: copy } : {}), null];
	}
	const { systemMessage = null, hookSpecificOutput } = JSON.parse(at.send(handler, { prompt: "go on" }) ?? "{}");
	expect(existsSync(at.stored.paths.followUpFlag)).toBe(false);
	return [hookSpecificOutput?.additionalContext ?? null, systemMessage];
}

const LINE =
	/^ccg: the summary holds 0 of your \d messages? word for word; the block gave back \d whole\. More: type ccg report$/;

test.each(STORIES)("%s", (_, story = "") => {
	for (const [i, step] of story.split(" ").entries()) {
		const [, word = "", of, line] = /^([a-z-]+)(?:=(\d*)(!?))?$/.exec(step)!;
		if (ACTS[word]) ACTS[word]();
		else {
			const [text, told] = give(word);
			const about = story.split(" ").with(i, `>${step}<`).join(" ");
			if (text) block = text;
			const held = text && Array.from({ length: said }, (_, n) => n + 1).filter((n) => text.includes(`Request ${n}.`));
			expect(held, about).toEqual(of ? Array.from({ length: Number(of) }, (_, n) => n + 1) : null);
			if (text) expect(text).toMatch(/^ccg recovery precompact_checkpoint_\d{8}_\d{6}[\s\S]*Never touch src\/legacy\./);
			// with all that was said, it is of the compaction that was prepared last
			if (held && held.length === said) expect(readPending(at.stored), about).toBeNull();
			expect(told, about).toEqual(line ? expect.stringMatching(LINE) : null);
		}
	}
	const logged = story.includes("other") ? [expect.stringMatching(/^the recovery block \S+ did not arrive/)] : [];
	expect(at.failures).toEqual(logged);
});

test("any order, doubling and omission: each block once, within the limit, the request given, nothing thrown", () => {
	const events = fc.array(fc.constantFrom("pre", "start", "call", "prompt", "resume"), { minLength: 1, maxLength: 10 });
	const play = (words: string[], isRecorded: boolean, maxChars: number): void => {
		anew();
		at.configure({ recovery: { maxChars } });
		begin();
		let isCompacted = false;
		/** The blocks that the model holds. */
		let held: string[] = [];
		let lines = 0;
		for (const word of words) {
			at.later(1 / 30);
			if (word === "resume" && !isRecorded) held = [];
			if (word === "start" && !isCompacted) compact();
			const [text, line] = word === "pre" ? [null, null] : give(word);
			if (word === "pre") ACTS.pre!();
			if (word === "pre" && !isCompacted) compact();
			isCompacted ||= word === "pre" || word === "start";
			if (line) lines++;
			if (!text) continue;
			expect([text.length <= maxChars, text.includes("Request 1."), held.includes(text)]).toEqual([true, true, false]);
			held.push(text);
			block = text;
			if (isRecorded) record("hook_additional_context");
		}
		// one for each compaction that the events tell of, and one that a call or a resume finds
		expect(lines).toBeLessThanOrEqual(words.filter((word) => word === "pre" || word === "start").length + 1);
		expect(at.failures).toEqual([]);
		rmSync(at.top, { recursive: true });
	};
	const numRuns = process.env.CCG_TEST_SHORT ? 30 : 120;
	fc.assert(fc.property(events, fc.boolean(), fc.constantFrom(2_000, 9_000), play), { numRuns });
}, 60_000);
