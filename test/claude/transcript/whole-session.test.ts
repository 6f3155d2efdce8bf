import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSession } from "../../../src/claude/transcript/read-session.ts";
import { scratch } from "../../scratch-home.ts";

const folder = scratch("whole");

test("a transcript that begins in the middle, or of which calls were passed over, is not whole", () => {
	const file = join(folder, "inside.jsonl");
	const line = (uuid: string, parentUuid: string | null, text: string) =>
		JSON.stringify({ type: "user", uuid, parentUuid, isSidechain: false, message: { role: "user", content: text } });
	const read = (parent: string | null) => {
		writeFileSync(file, `${line("u1", parent, "Build the cart.")}\n${line("u2", "u1", "Go on.")}\n`);
		return readSession(file, null).state;
	};
	expect(read(null).partial).toBeUndefined();
	expect(read("gone").partial).toBe(true);
	const long = `${line("u1", null, "x".repeat(1_000))}\n`.repeat(6_500);
	writeFileSync(file, long);
	expect(readSession(file, null).state.deeds).toBeUndefined();
});
