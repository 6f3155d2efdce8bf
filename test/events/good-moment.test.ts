import { writeFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { postToolUse } from "../../src/events/post-tool-use.ts";
import { goodMoment, stop } from "../../src/events/stop.ts";
import { userPromptSubmit } from "../../src/events/user-prompt-submit.ts";
import { linesText, Transcript } from "../kit/events.ts";
import { type EventSession, eventSession, given } from "../kit/services.ts";

let at: EventSession;
beforeEach(() => {
	at = eventSession("good-moment");
});

/** A turn that commits, and its last words, at so many tokens. */
const committed = (lastWords: string, tokens = 140_000): Transcript =>
	new Transcript(at.project)
		.typed("Add the cart.")
		.call("Bash", { command: "git commit -m 'Add the cart'" }, "[main abcdef1] Add the cart\n 1 file changed")
		.said("It is in.", tokens)
		.said(lastWords, tokens);
const ask = (last_assistant_message: string) => at.send(goodMoment, { last_assistant_message });

test.each([
	["a commit, and nothing open", { moment: "auto" }, "It is committed.", 140_000, "compact"],
	["not asked for", {}, "It is committed.", 140_000, null],
	["a question", { moment: "auto" }, "Shall I push?", 140_000, null],
	["not yet worth it", { moment: "auto" }, "It is committed.", 80_000, null],
	["the trigger is not known", { moment: "auto" }, "It is committed.", 299_999, null],
	["so many tokens that each message costs much", { moment: "auto" }, "It is committed.", 300_000, "compact"],
])("the mod asks at a turn's end: %s", (name, config, words, tokens, expected) => {
	at.configure(config);
	committed(words, tokens).write(at.transcript);
	if (!/trigger|so many/.test(name)) at.send(postToolUse);
	expect(ask(words)).toBe(expected);
	expect(at.failures).toEqual([]);
});

test("last words that Claude Code writes behind the event are waited for", () => {
	at.configure({ moment: "auto" });
	const lines = committed("Shall I push?").text().trimEnd().split("\n");
	writeFileSync(at.transcript, linesText(lines.slice(0, -1)));
	writeFileSync(`${at.transcript}.late`, linesText(lines.slice(-1)));
	at.send(postToolUse);
	Bun.spawn(["/bin/sh", "-c", 'sleep 0.1; cat "$0.late" >>"$0"', at.transcript]);
	expect(ask("Shall I push?")).toBe(null);
});

test("the agent is told with the next prompt, once, where the user wants that", () => {
	const prompt = () => given(at.send(userPromptSubmit, { prompt: "Go on." }), "UserPromptSubmit");
	for (const config of [{ moment: "agent" }, {}]) {
		at.configure(config);
		committed("It is committed.").write(at.transcript);
		at.send(postToolUse);
		at.send(stop, { last_assistant_message: "It is committed." });
		expect([prompt(), prompt()].map((text) => text?.includes("a good moment to compact (about 27,000 tokens"))).toEqual(
			config.moment ? [true, undefined] : [undefined, undefined],
		);
	}
});
