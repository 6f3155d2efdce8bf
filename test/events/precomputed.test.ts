import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { preCompact } from "../../src/events/pre-compact.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import { sessionStart } from "../../src/events/session-start.ts";
import { stop } from "../../src/events/stop.ts";
import {
	checkpointJson,
	loadCheckpoint,
	readReports,
	storedCheckpoints,
} from "../../src/store/recovery/checkpoints.ts";
import { markerState, readCommitted, readPending } from "../kit/cycle.ts";
import { Transcript } from "../kit/events.ts";
import { type EventSession, eventSession, given } from "../kit/services.ts";

let at: EventSession;
let transcript: Transcript;
beforeEach(() => {
	at = eventSession("precomputed");
	transcript = new Transcript(at.project, new Date(at.now.getTime() - 600_000), "claude-opus-5-5", "2.1.330")
		.typed("Never touch the migrations folder. Build the cart.")
		.call("Edit", { file_path: join(at.project, "ledger_rows.ts"), new_string: "export const ledgerRows = 1" }, "ok")
		.said("The totals fail.")
		.typed("Always answer in short lines. Add the totals.")
		.usage(160_000);
});

const arm = (): string | null => {
	transcript.write(at.transcript);
	return at.send(preCompact, { trigger: "auto" });
};
const swap = (source = "compact"): string => {
	transcript.write(at.transcript);
	return given(at.send(sessionStart, { source })) ?? "";
};
const call = (): string | null => at.send(preToolUse, { tool_name: "Bash" });
const goOn = (minutes = 30): Transcript =>
	transcript
		.at(at.later(minutes))
		.typed("Never push to main. Run the migration once.")
		.call("Bash", { command: "npm run migrate" }, "migrated 3 tables")
		.said("The migration ran.");

describe("a summary made beforehand", () => {
	test("what is told stands as of the swap, and nothing of it that the context holds word for word", () => {
		const steering = arm();
		expect(steering).toContain('request at hand: "Always answer in short lines. Add the totals."');
		goOn();
		at.later(1);
		const block = swap();
		expect(block).not.toContain("Request at hand");
		expect(block).toContain("the user's last message stands in this conversation word for word");
		expect(block).toContain('min ago: "Always answer in short lines. Add the totals."');
		for (const kept of ["Run the migration once", "migrate`", "The migration ran"]) expect(block).not.toContain(kept);
		transcript.at(at.later(1)).line("system", {
			subtype: "compact_boundary",
			compactMetadata: { trigger: "auto", preTokens: 222_000, precomputed: true, ...preservedFrom("Never push") },
		});
		transcript.summary().write(at.transcript);
		expect(JSON.parse(call()!)).toEqual({ systemMessage: expect.stringContaining("ccg: the summary holds") });
		// the summary could know two of the three messages, and ends where it was made
		const [report] = readReports(at.stored);
		expect(report!.messages).toHaveLength(2);
		// what there is to restore is the session of the swap
		const saved = loadCheckpoint(at.stored, readCommitted(at.stored)!.key)!;
		expect(saved.state.messages.at(-1)!.text).toContain("Run the migration once");
		expect(at.failures).toEqual([]);
	});

	const preservedFrom = (text: string): object => {
		const ids = transcript.lines.map((line) => JSON.parse(line).uuid as string);
		const from = transcript.lines.findIndex((line) => line.includes(text));
		return { preservedMessages: { uuids: ids.slice(from) } };
	};

	test("the request is told where it is not among what was kept", () => {
		arm();
		transcript.at(at.later(5)).call("Bash", { command: "npm test" }, "3 passed");
		const block = swap();
		expect(block).toContain("> Always answer in short lines. Add the totals.");
		expect(block).not.toContain("npm test");
	});

	test("what is given again at a resume is told from the session as it is then", () => {
		arm();
		goOn();
		swap();
		transcript.at(at.later(1)).boundary().summary();
		transcript.at(at.later(1)).typed("Now write the invoice. Never use floats.").said("Begun.");
		at.later(60);
		const block = swap("resume");
		expect(block).not.toContain("Request at hand");
		expect(block).toContain("Never push to main");
		expect(block).not.toContain("Never use floats");
	});

	test("kept over a restart: the block comes at the swap", () => {
		arm();
		transcript.at(at.later(5)).said("Until tomorrow.");
		expect(swap("resume")).not.toContain("ccg recovery");
		goOn(600);
		expect(swap()).toContain("word for word");
	});

	test("failed, twice within half a second: nothing claims a compaction", () => {
		arm();
		at.now = new Date(at.now.getTime() + 500);
		arm();
		expect(storedCheckpoints(at.stored, { sid: "s-1" }).map(({ key }) => key)).toEqual([readPending(at.stored)!.key]);
		goOn();
		transcript.write(at.transcript);
		for (const source of ["resume", "startup"]) expect(swap(source)).not.toContain("ccg recovery");
		expect([readCommitted(at.stored), readReports(at.stored)]).toEqual([null, []]);
		const { key } = readPending(at.stored)!;
		expect(checkpointJson(at.stored, key)).not.toContain("before a compaction");
		expect(call()).toBeNull();
	});

	test("far below the trigger it costs no nudge", () => {
		transcript.usage(940_000).write(at.transcript);
		at.send(stop);
		expect(markerState(at.stored)).toBe("marker");
		arm();
		expect(call()).toContain("ccg nudge");
	});
});

describe("a call that ended while its result is not in the transcript", () => {
	const early = (): void => {
		transcript.call("Bash", { command: "npm run migrate" }, "migrated 3 tables");
		writeFileSync(at.transcript, `${transcript.lines.slice(0, -1).join("\n")}\n`);
	};

	test("is not called unfinished, and its result is told", () => {
		early();
		at.send(preCompact, { trigger: "auto" });
		const { key } = readPending(at.stored)!;
		expect(loadCheckpoint(at.stored, key)!.state.open).toEqual({});
		at.now = new Date(at.now.getTime() + 2_000);
		const block = swap();
		expect(block).toContain("- ended: `npm run migrate`\n  | migrated 3 tables");
		expect(block).not.toMatch(/no result|not all with a result/);
	});
});
