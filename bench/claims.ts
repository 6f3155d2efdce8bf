/**
 * Which statements of recorded summaries does ccg call unsupported? Prints each with what the record says, to be judged by reading.
 *
 *   npx bun bench/claims.ts --data FOLDER [--summaries FOLDER --cases FILE]
 *
 * `--summaries`: other summaries of some of the compactions (`summary<n>.md`), named by `--cases` ([{ n, session, index }]).
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { currentSession } from "../src/claude/transcript/read-session.ts";
import { claimsIn } from "../src/core/audit/claims.ts";
import { statementsIn } from "../src/core/claims/statements.ts";
import { type FidelityCase, loadCases } from "./fidelity/cases.ts";

const { values } = parseArgs({
	options: {
		data: { type: "string" },
		summaries: { type: "string" },
		cases: { type: "string" },
		all: { type: "boolean" },
	},
});
if (!values.data) throw new Error("--data names a folder of transcripts");

const folder = mkdtempSync(join(tmpdir(), "ccg-claims-"));
let [summaries, judged, named] = [0, 0, 0];
try {
	for (const one of loadCases(values.data)) {
		const path = join(folder, "session.jsonl");
		writeFileSync(path, one.lines.map((line) => `${line}\n`).join(""));
		const { state } = currentSession(null, path);
		for (const summary of summariesOf(one)) {
			const claims = claimsIn(summary, state);
			const stated = statementsIn(summary);
			summaries++;
			judged += stated.length;
			named += claims.length;
			console.log(`${one.name.slice(0, 8)} ${one.nth}: ${claims.length} of ${stated.length} statements`);
			for (const { sentence, quote, finding } of claims)
				console.log(`  ${finding}\n    ${quote ? `"${quote}" in: ` : ""}${sentence}`);
			if (values.all) for (const { text } of stated) console.log(`    . ${text.slice(0, 160)}`);
		}
	}
} finally {
	rmSync(folder, { recursive: true, force: true });
}
console.log(`${summaries} summaries, ${judged} statements, ${named} named`);

function summariesOf(one: FidelityCase): string[] {
	if (!values.summaries) return [one.summary];
	const cases = JSON.parse(readFileSync(values.cases!, "utf8")) as { n: number; session: string; index: number }[];
	return cases.flatMap(({ n, session, index }) => {
		const path = join(values.summaries!, `summary${n}.md`);
		return session === one.name && index === one.lines.length && existsSync(path) ? [readFileSync(path, "utf8")] : [];
	});
}
