/**
 * Does an agent act rightly after a compaction? 30 situations ("the user now says X: what do you do?") on sessions that were recorded by
 * driving Claude Code. Doing right depends on what was said or seen before the compaction, each has a trap. Readers answer
 * from what the model would have, a grader judges without knowing who had what. Neither is part of this bench.
 *
 *   npm run bench:acting -- --write OUT [--old DIR]   a folder for each kind of summary and condition: context and situations for a
 *                                                     reader. --old DIR: a checkout with its dist, whose block is a condition too (block-before)
 *   npm run bench:acting -- --blind OUT               all answers on one sheet, conditions hidden behind letters
 *   npm run bench:acting -- --grade OUT               the table
 *   npm run bench:acting -- --record [SESSION …]      drives Claude Code again (CCG_TEST_CLAUDE names it), without network:
 *                                                     unshare -n sh -c 'ip link set lo up; npm run bench:acting -- --record'.
 *                                                     What it runs needs git, node, python3, sqlite3 and curl.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { hideConditions, printTable } from "./acting/grading.ts";
import { DATA, sessions } from "./acting/sessions.ts";
import { writeConditions } from "./acting/sheets.ts";

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		write: { type: "string" },
		old: { type: "string" },
		blind: { type: "string" },
		grade: { type: "string" },
		record: { type: "boolean" },
	},
});

if (values.record) {
	const { record } = await import("./acting/record.ts");
	for (const [nth, name] of sessions().entries())
		if (!positionals.length || positionals.includes(name)) await record(DATA, name, nth);
} else if (values.write) writeConditions(resolve(values.write), values.old && resolve(values.old));
else if (values.blind) hideConditions(resolve(values.blind));
else if (values.grade) printTable(resolve(values.grade));
else {
	console.error("bench:acting: one of --write OUT, --blind OUT, --grade OUT, --record is needed");
	process.exitCode = 2;
}
