import { join } from "node:path";
import { expect, test } from "vitest";
import type { TranscriptEvent } from "../../src/core/transcript/event.ts";
import { passageMaker, textPassages } from "../../src/search/passages.ts";
import { corpus } from "../kit/corpus.ts";
import { call, eventsIn, message } from "../kit/session-events.ts";

const passages = (events: TranscriptEvent[]) => passageMaker(new Map())({ pos: 7, uuid: "u", events });

test.each(Object.entries(corpus(join(import.meta.dirname, "passages.txt"))))("%s", (_, rows) => {
	const events = rows.filter((row) => !row.startsWith("found ")).flatMap(eventsIn);
	const expected = rows.filter((row) => row.startsWith("found ")).map((row) => JSON.parse(row.slice("found ".length)));
	expect(passages(events)).toMatchObject(expected);
});

test("a long text is cut between paragraphs, and nothing of it is lost; of a long result both ends are kept", () => {
	const words = Array.from({ length: 1_500 }, (_, i) => `word${i}`);
	const text = words.map((word, i) => (i % 40 === 39 ? `${word}\n\n` : `${word} `)).join("");
	const found = passages([message(text)]);
	expect(found.length).toBeGreaterThan(5);
	expect(found.map((one) => one.part)).toEqual(found.map((_, i) => i));
	expect(found.map((one) => one.text).join("")).toBe(text.trim());
	const result = passages(call("Bash", { command: "x" }, `FIRST ${"m".repeat(90_000)} LAST`));
	expect([result[0]!.text, result.at(-1)!.text].join()).toMatch(/FIRST[\s\S]*LAST/);
	for (const one of result) expect(one.text.length).toBeLessThan(2_000);
});

test("a secret is gone before anything is cut, wherever the cut falls", () => {
	const secret = `ghp_${"a1B2".repeat(9)}`;
	for (let before = 1_380; before < 1_460; before += 7) {
		const text = `${"x ".repeat(before)}token ${secret} end ${"y ".repeat(3_000)}`;
		const all = [...passages([message(text)]), ...passages(call("Bash", { command: text }, text))];
		expect(all.map((one) => one.text).join("\n")).not.toMatch(/ghp_|a1B2a1B2/);
	}
	const key = `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEowIBAAKCAQEA75xYzkq\n".repeat(20)}-----END RSA PRIVATE KEY-----\n`;
	expect(passages(call("Write", { file_path: "/p/key", content: key }))[0]!.text).not.toContain("MIIE");
	const named = passages(call("Custom", { password: "hunter2hunter2" }));
	expect(named[0]!.text).not.toContain("hunter2");
});

test("of an input that is deep or wide little is told", () => {
	let deep: unknown = "end";
	for (let i = 0; i < 5_000; i++) deep = { deep };
	const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, "v".repeat(100)]));
	for (const input of [{ deep }, wide])
		expect(JSON.stringify(passages(call("X", input)).map((one) => one.text)).length).toBeLessThan(6_000);
});

test("a file's passages stand where their text begins", () => {
	const text = `# Head\n\n${"first ".repeat(300)}\n\n${"second ".repeat(300)}\n`;
	const found = textPassages(text, { kind: "note", at: 5 });
	expect(found.length).toBeGreaterThan(1);
	for (const { pos, text: own } of found) expect(text.startsWith(own, pos)).toBe(true);
});
