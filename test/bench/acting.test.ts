import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readScript } from "../../bench/acting/script.ts";
import { compacted, DATA, sessions, situations } from "../../bench/acting/sessions.ts";

const said = (text: string): string => JSON.stringify(text).slice(1, -1);

test("each situation's key is complete, and its evidence stands in the transcript before the compaction", () => {
	const all = situations();
	expect(all).toHaveLength(30);
	expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
	const before = new Map(compacted("new").map(({ name, sofar }) => [name, JSON.stringify(sofar)]));
	for (const one of all) {
		expect(
			Object.values(one).every((value) => typeof value === "string" && value.length > 3),
			one.id,
		).toBe(true);
		expect(before.get(one.session), one.id).toContain(said(one.evidence));
	}
});

test("each session was recorded from its script and has a summary of both kinds", () => {
	const [today, old] = [compacted("new"), compacted("old")];
	expect(today.map(({ name }) => name)).toEqual(sessions());
	for (const [i, one] of today.entries()) {
		const lines = JSON.stringify(one.sofar);
		for (const { prompt } of readScript(join(DATA, "scripts", `${one.name}.txt`), "{{PROJECT}}").turns)
			expect(lines, one.name).toContain(said(prompt));
		const written = readFileSync(join(DATA, "summaries", `${one.name}.new.txt`), "utf8");
		expect(one.context).toContain(written.trim());
		expect(old[i]!.context.length).toBeLessThan(written.length);
		expect(old[i]!.after.join("\n")).not.toContain(said(written.trim()));
	}
});
