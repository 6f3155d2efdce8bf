/**
 * What hostile inputs cost: every door of ccg with inputs made to stop it, its time and memory, and what it told of what it
 * left out. `npm run bench:limits [-- TEXT]`, only inputs whose name contains TEXT.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const only = process.argv[2] ?? "";
const { INPUTS } = await import("../test/security/limits-inputs.ts");
const { TRANSCRIPTS } = await import("../test/security/limits-transcripts.ts");
const { drive, givenIn, hostileStage, PLANTED, toldIn } = await import("../test/security/limits-stage.ts");
const pad = (text: string | number, width: number): string => String(text).padStart(width);
for (const hostile of [...INPUTS, ...TRANSCRIPTS].filter(({ name }) => name.includes(only))) {
	const top = mkdtempSync(join(tmpdir(), "ccg-limits-"));
	const at = hostileStage(hostile, top);
	const rows = await drive(at, hostile);
	const told = toldIn(at, rows);
	for (const { door, ms, mb, outcome } of rows)
		console.log(
			`${ms > 1_000 || mb > 150 || outcome.timedOut ? "!" : " "} ${pad(Math.round(ms), 6)} ms ${pad(Math.round(mb), 5)} MB  ${hostile.name} | ${door}${outcome.timedOut ? " | killed" : ""}`,
		);
	if (!hostile.wordless && !givenIn(rows).includes(PLANTED))
		console.log(`!                    ${hostile.name} | the user's words are missing`);
	if (hostile.told && !hostile.told.test(told))
		console.log(`!                    ${hostile.name} | nothing told of ${hostile.told}`);
	rmSync(top, { recursive: true, force: true });
}
