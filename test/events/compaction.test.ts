import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { safeMark } from "../../src/core/redact/secrets.ts";
import { postToolUse } from "../../src/events/post-tool-use.ts";
import { preCompact } from "../../src/events/pre-compact.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import { sessionEnd } from "../../src/events/session-end.ts";
import { stop } from "../../src/events/stop.ts";
import { userPromptSubmit } from "../../src/events/user-prompt-submit.ts";
import { loadConfig } from "../../src/store/config.ts";
import { raiseHaltFlag, raiseMissedFlag, readHaltTime } from "../../src/store/pressure/flags.ts";
import {
	checkpointPath,
	listStoredCheckpoints,
	readCheckpoint,
	readReports,
} from "../../src/store/recovery/checkpoints.ts";
import { promptChecker } from "../../src/store/session/heard-prompts.ts";
import { readSessionStatuses } from "../../src/store/status/session-status.ts";
import { loadSnapshot, markerState, readPending } from "../kit/cycle.ts";
import { linesText, Transcript } from "../kit/events.ts";
import { given } from "../kit/services.ts";
import { at, DUE } from "./compaction-session.ts";

// (what comes when, in any order: compaction-stories.test.ts)

test("the block, and a new cycle: the stop ends, and the pressure may nudge again", () => {
	const transcript = at.session();
	transcript.write(at.transcript);
	at.send(postToolUse);
	expect(markerState(at.stored)).toBe("marker");
	at.compact(transcript);
	raiseHaltFlag(at.stored, at.now.toISOString());
	const block = at.start("compact")!;
	expect(readHaltTime(at.stored)).toBeNull();
	expect(block.length).toBeLessThan(9_500);
	for (const part of ["Never touch src/legacy.", "no new dependencies", "Euro only", "Round the totals"])
		expect(block).toContain(part);
	expect(block).not.toContain("never need to test");
	expect(readSessionStatuses(at.stored)[0]?.checkpoint).toMatchObject({ state: "committed" });
	expect(markerState(at.stored)).toBe("none");
	at.later(20);
	transcript.at(at.now).usage(DUE).write(at.transcript);
	at.send(postToolUse);
	expect(at.send(preToolUse)).not.toBeNull();
	expect(at.failures).toEqual([]);
});

test("the text that is looked through for secrets while the client summarises is the block", () => {
	at.start("startup");
	at.session().write(at.transcript);
	at.send(preCompact, { trigger: "auto" });
	at.send(sessionEnd, { hook_event_name: "PreCompact", trigger: "auto" });
	const { safe } = readPending(at.stored)!;
	expect(safe).toBe(safeMark(at.start("compact")!));
});

test.each([
	["while the client summarises, it was summarised", false, true],
	["behind that, it stands beside the summary", true, false],
])("what Claude Code writes behind PreCompact: %s", (_, isLater, isInBlock) => {
	at.start("startup");
	const transcript = at.session();
	transcript.write(at.transcript);
	at.send(preCompact, { trigger: "auto" });
	const settle = () => at.send(sessionEnd, { hook_event_name: "PreCompact", trigger: "auto" });
	if (isLater) settle();
	const late = transcript.said("The limit is 5 MB.").text().slice(readFileSync(at.transcript, "utf8").length);
	if (isLater) appendFileSync(at.transcript, late);
	else {
		at.addSoon(late);
		settle();
	}
	expect(at.start("compact")!.includes("The limit is 5 MB.")).toBe(isInBlock);
});

test("a transcript that can't be read for a moment moves nothing", () => {
	at.start("startup");
	const text = at.session().text();
	writeFileSync(at.transcript, text);
	at.send(preCompact, { trigger: "auto" });
	const { place } = readPending(at.stored)!;
	rmSync(at.transcript);
	at.send(sessionEnd, { hook_event_name: "PreCompact", trigger: "auto" });
	expect([place, readPending(at.stored)!.place]).toEqual([text.length, text.length]);
});

test("a boundary that came at once is not taken for an earlier one", () => {
	at.start("startup");
	const transcript = at.session();
	transcript.write(at.transcript);
	at.send(preCompact, { trigger: "auto" });
	transcript.boundary().summary().write(at.transcript);
	at.send(sessionEnd, { hook_event_name: "PreCompact", trigger: "auto" });
	const told = given(at.send(userPromptSubmit, { prompt: "Go on." }), "UserPromptSubmit");
	expect(told).toContain("Never touch src/legacy.");
});

test.each([
	["the first prompt", userPromptSubmit],
	["the first call", preToolUse],
])("the file that the block names: %s writes it anew with what came since", (_, hook) => {
	const transcript = at.session();
	at.compact(transcript);
	at.send(sessionEnd, { hook_event_name: "PreCompact", trigger: "auto" });
	const path = checkpointPath(at.stored, readPending(at.stored)!.key);
	expect(readFileSync(path, "utf8")).toContain("Never touch src/legacy.");
	at.later(1);
	transcript.at(at.now).typed("Always round half to even.").write(at.transcript);
	expect(at.start("compact")).toContain(path.split("/").at(-1));
	expect(readFileSync(path, "utf8")).not.toContain("half to even");
	at.send(hook);
	expect(readFileSync(path, "utf8")).toContain("half to even");
	expect(at.failures).toEqual([]);
});

test("nobody was there at the compaction: the prompt behind it is heard", () => {
	at.compact(at.session());
	raiseMissedFlag(at.stored);
	const fields = { hook_event_name: "UserPromptSubmit", source: "user", prompt: "Now paint the garden fence." };
	expect(given(at.send(userPromptSubmit, fields), "UserPromptSubmit")).toContain("Never touch src/legacy.");
	expect(listStoredCheckpoints(at.stored)[0]).toMatchObject({ type: "precompact" });
	expect(promptChecker(at.stored)("Now paint the garden fence.")).toBe(true);
});

test.each([
	["gone", () => at.forget("checkpoints")],
	["without its state", () => at.spoil("checkpoints", (text) => JSON.stringify({ ...JSON.parse(text), state: {} }))],
	["empty", () => at.spoil("checkpoints", () => "")],
])("the checkpoint is %s: the transcript serves, once", (_, lose) => {
	at.compact(at.session());
	lose();
	expect(at.start("compact")).toMatch(/^ccg recovery precompact_checkpoint_[\s\S]*Never touch src\/legacy\./);
	expect(at.start("compact")).toBeNull();
	expect(at.failures.length).toBeLessThanOrEqual(2);
});

test("the transcript is gone: what PreCompact read from it is told", () => {
	at.session().write(at.transcript);
	at.send(preCompact, { trigger: "auto" });
	rmSync(at.transcript);
	expect(at.start("compact")).toContain("Never touch src/legacy.");
	expect(existsSync(at.transcript)).toBe(false);
});

test("a session that was opened and asked nothing has no transcript: nothing is told of it", () => {
	rmSync(at.transcript, { force: true });
	at.send(stop);
	expect(readSessionStatuses(at.stored)).toMatchObject([{ unclear: null }]);
});

test("PreCompact has the session brought up to date beside it", async () => {
	at.session().write(at.transcript);
	const { out } = await at.launch("pre-compact", { hook_event_name: "PreCompact", trigger: "manual" });
	expect(out).toMatch(/^ccg: /);
	const path = checkpointPath(at.stored, readPending(at.stored)!.key);
	await expect.poll(() => existsSync(path), { timeout: 20_000 }).toBe(true);
	expect(loadSnapshot(at.stored, at.now).state.messages).not.toEqual([]);
});

test.each([[undefined], [0], [900], [50_000]])("steering.maxChars %s", (maxChars) => {
	if (maxChars !== undefined) at.configure({ steering: { maxChars } });
	const transcript = new Transcript(at.project);
	for (let i = 0; i < 80; i++) transcript.typed(`${i}: You must never ${"do this ".repeat(40)}.`);
	transcript.typed(`Always ${"x".repeat(3_000)}`).write(at.transcript);
	const manual = at.send(preCompact, { trigger: "manual" })!.split("\n");
	expect(manual.map((line) => line.length > 110)).toEqual([false, false, false]);
	const text = at.send(preCompact, { trigger: "auto" })!;
	const most = loadConfig(at.store).config.steering.maxChars;
	expect(text.length).toBeLessThanOrEqual(most);
	expect(most).toBeLessThanOrEqual(9_500);
	if (most > 1_000) expect(text.length).toBeGreaterThan(most - 500);
});

/** A session of a version that makes summaries beforehand. */
const beforehand = (tokens = 160_000): Transcript => {
	const transcript = new Transcript(at.project, new Date(at.now.getTime() - 600_000), "claude-opus-5-5", "2.1.330")
		.typed("Build the cart.")
		.said("The totals fail.")
		.typed("Always answer in short lines. Add the totals.")
		.usage(tokens);
	transcript.write(at.transcript);
	return transcript;
};
const prepare = () => at.send(preCompact, { trigger: "auto" });

test("a summary made beforehand: the request is told where the context does not hold it word for word", () => {
	const transcript = beforehand();
	prepare();
	transcript.at(at.later(5)).call("Bash", { command: "npm test" }, "3 passed").write(at.transcript);
	const block = at.start("compact");
	expect(block).toContain("> Always answer in short lines. Add the totals.");
	expect(block).not.toContain("npm test");
});

test("the report behind it is of what that summary could know", () => {
	const transcript = beforehand();
	prepare();
	transcript.at(at.later(30)).typed("Never push to main.").said("On it.").write(at.transcript);
	expect(at.start("compact")).toContain("the user's last message stands in this conversation word for word");
	const ids = transcript.lines.slice(-2).map((line) => JSON.parse(line).uuid as string);
	const compactMetadata = { trigger: "auto", precomputed: true, preservedMessages: { uuids: ids } };
	transcript.at(at.later(1)).line("system", { subtype: "compact_boundary", compactMetadata });
	transcript.summary().write(at.transcript);
	expect(JSON.parse(at.send(preToolUse)!)).toEqual({
		systemMessage: expect.stringContaining("ccg: the summary holds"),
	});
	expect(readReports(at.stored)[0]!.messages).toHaveLength(2);
});

test("a call whose result is not written yet is not called unfinished, and its result is told", () => {
	const transcript = beforehand().call("Bash", { command: "npm run migrate" }, "migrated 3 tables");
	writeFileSync(at.transcript, linesText(transcript.lines.slice(0, -1)));
	prepare();
	expect(readCheckpoint(at.stored, readPending(at.stored)!.key)!.state.open).toEqual({});
	transcript.write(at.transcript);
	expect(at.start("compact")).toContain("- ended: `npm run migrate`\n  | migrated 3 tables");
});

test("far below the trigger it costs no nudge, and a second attempt at once leaves one checkpoint", () => {
	const transcript = beforehand();
	for (let i = 0; i < 2; i++) prepare();
	expect(listStoredCheckpoints(at.stored).map(({ key }) => key)).toEqual([readPending(at.stored)!.key]);
	transcript.usage(940_000).write(at.transcript);
	at.send(stop);
	expect(at.send(preToolUse)).toContain("ccg nudge");
});

const HOUR = 3_600_000;

/** What the clock does before and behind the first compaction, in milliseconds from the true time; `null`: lines tell no time. */
const CLOCKS: [string, number | null, number | null][] = [
	["set back an hour in the middle", 0, -HOUR],
	["a day ahead at the start", 24 * HOUR, 0],
	["a day ahead in the middle", 0, 24 * HOUR],
	["lines without a time", null, null],
	["lines without a time at the start", null, 0],
];

test.each(CLOCKS)("what is still in the context is told by its place, with a clock that is %s", (_, first, second) => {
	const begun = at.now;
	const transcript = new Transcript(at.project);
	let written = 0;
	const write = (by: number | null): void => {
		transcript.write(at.transcript);
		const text = readFileSync(at.transcript, "utf8");
		const more = text.slice(written);
		if (by === null)
			writeFileSync(at.transcript, text.slice(0, written) + more.replace(/"timestamp":"[^"]*"/g, '"timestamp":""'));
		written = readFileSync(at.transcript).length;
	};
	const compactionBehind = (words: string, by: number | null, minutes: number): string => {
		at.now = new Date(begun.getTime() + minutes * 60_000 + (by ?? 0));
		transcript.at(at.now).typed(words).said("I begin.", 60_000);
		write(by);
		at.send(preCompact, { trigger: "auto" });
		const block = at.start("compact")!;
		transcript.at(at.later(1)).boundary().summary();
		write(by);
		return block;
	};
	const said = ["Never touch src/legacy.", "Round half up."];
	expect(compactionBehind(said[0]!, first, 0)).toContain(said[0]);
	const block = compactionBehind(said[1]!, second, 10);
	for (const words of said) expect(block).toContain(words);
	transcript.typed("Said behind it.").usage(5_000);
	write(second);
	at.send(preToolUse);
	const last = readReports(at.stored).at(-1)!;
	expect(last.messages.map(({ text }) => text)).toEqual(said);
});
