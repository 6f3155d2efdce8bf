import { rmSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Transcript } from "../kit/events.ts";
import { anew, at, doubles, itemsOf, REQUEST } from "./follow-up-session.ts";

test("any order, doubling and omission of events: each item once per compaction, the limit kept, the request given, nothing thrown", () => {
	const EVENTS = ["PreCompact", "SessionStart", "PostCompact", "PreToolUse", "UserPromptSubmit", "resume"] as const;
	const text = at.session(40).text();
	fc.assert(
		fc.property(
			fc.array(fc.constantFrom(...EVENTS), { minLength: 1, maxLength: 10 }),
			fc.boolean(),
			fc.constantFrom(2_000, 4_000, 9_000),
			(events, records, maxChars) => {
				anew(maxChars);
				const transcript = new Transcript(at.project);
				transcript.lines.push(...text.trimEnd().split("\n"));
				transcript.write(at.transcript);
				let isCompacted = false;
				let isPrepared = false;
				let everything = "";
				/** What the model holds, by checkpoint. */
				let held = new Map<string, string[]>();
				for (const event of events) {
					if (event === "resume" && !records) held = new Map();
					if (!isCompacted && (event === "SessionStart" || event === "PostCompact")) at.compacted(transcript);
					const given = {
						PreCompact: at.pre,
						SessionStart: at.start,
						PostCompact: at.post,
						PreToolUse: at.toolCall,
						UserPromptSubmit: at.prompt,
						resume: () => at.start("resume"),
					}[event]();
					if (event === "PreCompact" && !isCompacted) at.compacted(transcript);
					if (event !== "UserPromptSubmit" && event !== "PreToolUse" && event !== "resume") isCompacted = true;
					isPrepared ||= event === "PreCompact";
					if (given) {
						const key = /^ccg recovery (\w+)/.exec(given)![1]!;
						held.set(key, [...(held.get(key) ?? []), given]);
						everything += given;
						if (records) {
							const hookEvent = event === "resume" ? "SessionStart" : (event satisfies string);
							transcript.at(at.now).line("attachment", {
								attachment: { type: "hook_additional_context", hookEvent, content: [given] },
							});
							transcript.write(at.transcript);
						}
					}
					if (event === "SessionStart" && isPrepared) expect(everything).toContain(REQUEST);
					for (const texts of held.values()) {
						expect(doubles(texts.flatMap(itemsOf))).toEqual([]);
						expect(texts.join("").length).toBeLessThanOrEqual(maxChars);
					}
				}
				expect(at.failures).toEqual([]);
				rmSync(at.top, { recursive: true });
			},
		),
		{ numRuns: 150 },
	);
}, 60_000);
