import { expect, test } from "vitest";
import { syntheticTranscript } from "../../bench/latency/transcripts.ts";
import { decode } from "../../src/core/transcript/decode.ts";

test("the transcript that the latency bench makes holds words of the user, a branch of one piece, a compaction", () => {
	const lines = syntheticTranscript(400_000, "/project").toString().trim().split("\n");
	const entries = lines.map((line) => JSON.parse(line));
	const kinds = new Set(entries.flatMap((entry) => decode(entry)).map(({ kind }) => kind));
	expect([...kinds]).toEqual(expect.arrayContaining(["message", "said", "call", "result", "boundary"]));
	const hangs = (line: { parentUuid: string | null; logicalParentUuid?: string }, before: { uuid: string }): boolean =>
		(line.parentUuid ?? line.logicalParentUuid) === before.uuid;
	expect(entries.slice(1).every((line, i) => hangs(line, entries[i]))).toBe(true);
});
