import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readScript } from "../../bench/acting/script.ts";
import { compacted, DATA, sessions, situations } from "../../bench/acting/sessions.ts";

const said = (text: string): string => JSON.stringify(text).slice(1, -1);

test("each session was recorded from its script and has its summary; each situation's evidence stands before the compaction", () => {
	const all = compacted("new");
	expect(all.map(({ name }) => name)).toEqual(sessions());
	for (const { name, sofar, context } of all) {
		const lines = JSON.stringify(sofar);
		for (const { prompt } of readScript(join(DATA, "scripts", `${name}.txt`), "{{PROJECT}}").turns)
			expect(lines, name).toContain(said(prompt));
		expect(context).toContain(readFileSync(join(DATA, "summaries", `${name}.new.txt`), "utf8").trim());
		for (const { session, id, evidence } of situations())
			if (session === name) expect(lines, id).toContain(said(evidence));
	}
});
