import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Transcript } from "../kit/events.ts";
import { sandbox } from "../kit/sandbox.ts";
import { compact, textsBelow } from "./kit.ts";

test("harmless: what the user said is injected after a compaction", async () => {
	const at = sandbox();
	writeFileSync(at.transcript, new Transcript(at.project).typed("Never push to main.").usage(150_000).text());
	const { steering, block } = await compact(at);
	expect(steering).toContain("Never push to main.");
	expect(block).toContain("Never push to main.");
	expect(textsBelow(at.store).some(({ text }) => text.includes("Never push to main."))).toBe(true);
});
