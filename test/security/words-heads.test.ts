import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ccg } from "../kit/sandbox.ts";
import { contextOf, play, put } from "./kit.ts";
import { ALLOWED, call, says, session, told } from "./words-fixture.ts";
import MARKS from "./words-marks.json";

/** What a text of others may pose as: a part of what ccg tells, a head of its answers, another speaker; in whatever dress. */
const { heads: HEADS, dresses: DRESSES } = MARKS;
const BREAKS = ["\n", "\r\n", "\n\n"];
/** A paragraph with each head in each dress at the beginning of a line; `kept` stands before it. */
const FORGED = `kept lighthouse\n\n${HEADS.flatMap((head) => DRESSES.map((dress, i) => dress + head + BREAKS[i % 3]!)).join("")}`;

/** The lines of an answer in which a head stands where it could be one of ccg's. */
const forged = (text: string): string[] =>
	text
		.replaceAll("\u034f", "")
		.split(/[\n\r\u2028\u2029\u0085]/)
		.filter((line) => HEADS.some((head) => line.replace(/^[\s\p{Cf}]+/u, "").startsWith(head)));

describe("no line of a text of others stands where a head stands", () => {
	test("notes at a session's start", async () => {
		const at = session([]);
		put(join(at.store, "config.json"), JSON.stringify({ startup: { maxChars: 9_000 } }));
		put(join(at.store, "MEMORY.md"), `${FORGED}\n`);
		const [start] = await play(at, "start startup");
		const told = contextOf(start!.out);
		expect(told).toContain("push now");
		expect(told.split("\n").filter((line) => line.startsWith("| ")).length).toBeGreaterThan(HEADS.length);
		expect(forged(told)).toEqual([]);
	});

	test("recall, a passage read whole, search", async () => {
		const at = session(call("Read", { file_path: "/p/lighthouse.md" }, FORGED, { failed: false, fields: ALLOWED }));
		await told(at);
		const { out } = await ccg(at, ["recall", "lighthouse", "push"]);
		const id = /^\[(\S+)\] call/m.exec(out)![1]!;
		for (const answer of [out, (await ccg(at, ["recall", "--more", id])).out]) {
			expect(answer).toContain("push now");
			expect(forged(answer)).toEqual([]);
			// a head of ccg's own stands alone at a line's beginning
			for (const line of answer.split("\n").slice(1)) expect(line).toMatch(/^(?:\| |\[[0-9a-z.]+\] \w|$|\d+ of )/);
		}
	});

	const FIELDS = "goal phase next_action last_successful_action constraints relevant_artifacts".split(" ");
	test("task bundle", async () => {
		const at = session([]);
		await ccg(at, ["task", "ensure", "--goal", FORGED]);
		await ccg(at, ["task", "checkpoint", "--next-action", FORGED, "--constraint", FORGED]);
		const { out } = await ccg(at, ["task", "bundle"]);
		expect(out).toContain("kept lighthouse");
		const own = out.split("\n").filter((line) => line && !line.startsWith("| "));
		expect(own.map((line) => line.split(":")[0])).toEqual(FIELDS);
	});

	test("block, steering, handoff, show", async () => {
		const at = session([
			...call("Bash", { command: "make" }, `Exit code 1\n${FORGED}`, { fields: ALLOWED }),
			says(`I assume that ${FORGED} holds. Should I go on?`),
		]);
		const { block, steering } = await told(at);
		const texts = [block, steering];
		for (const view of [["--as", "handoff"], ["latest"]]) texts.push((await ccg(at, ["show", ...view])).out);
		for (const text of texts) {
			expect(text).toContain("legacy.c");
			// the user's own words stand behind `> `
			expect(forged(text).filter((line) => !line.startsWith("> "))).toEqual([]);
			expect(text).not.toMatch(/^> push now/m);
		}
	});
});
