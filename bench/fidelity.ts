/**
 * What survives a compaction, with and without ccg. Replays transcripts that hold real compactions: for each, the registered
 * commands run as Claude Code runs them (PreCompact, SessionStart, the first tool call, the next prompt), in a
 * scratch home with ccg installed by its own installer; then the summary alone and the summary with what was injected
 * are searched for what the user said and what the agent needed next.
 *
 *   npx bun bench/fidelity.ts [--data FOLDER] [--json] [--check]
 *
 * Without --data: the project's own recordings. --check ends 1 when anything the user said, or a needed file, did not arrive.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { loadCases, score } from "./fidelity/cases.ts";
import { injected, replayer } from "./fidelity/replay.ts";

const { values } = parseArgs({
	options: { data: { type: "string" }, json: { type: "boolean" }, check: { type: "boolean" } },
});
const NEVER_LOST = ["directives", "messages", "files"] as const;
/** Paths are put back to the length they had, which the budget did not see. */
/** Of both parts together. */
const MAX_CHARS = 19_000;
const root = realpathSync(mkdtempSync(join(tmpdir(), "ccg-fidelity-")));

try {
	const replay = replayer(root);
	const folders = values.data
		? [values.data]
		: ["../demo", "fidelity"].map((name) => resolve(import.meta.dirname, name));
	const cases = folders.flatMap(loadCases);
	const rows = { native: [] as Scores[], "with ccg": [] as Scores[] };
	const later: Scores[] = [];
	const chars: number[] = [];
	for (const one of cases) {
		const given = injected(replay(one));
		chars.push(given.length);
		rows.native.push(score(one, one.summary));
		rows["with ccg"].push(score(one, `${one.summary}\n${given}`));
		if (one.nth > 1) later.push(rows["with ccg"].at(-1)!);
	}
	chars.sort((a, b) => a - b);
	const result = {
		compactions: cases.length,
		native: rates(rows.native),
		"with ccg": rates(rows["with ccg"]),
		...(later.length ? { "with ccg, second and later": rates(later) } : {}),
		injectedChars: { median: chars[Math.floor(chars.length / 2)] ?? 0, max: chars.at(-1) ?? 0 },
	};
	console.log(values.json ? JSON.stringify(result, null, 2) : table(result));
	const whole = rows["with ccg"].every((one) => NEVER_LOST.every((name) => one[name][0] === one[name][1]));
	if (values.check && (!whole || chars.at(-1)! > MAX_CHARS)) {
		console.error(
			`something the user said or a needed file did not arrive, or more than ${MAX_CHARS} characters were given`,
		);
		process.exitCode = 1;
	}
} finally {
	rmSync(root, { recursive: true, force: true });
}

type Scores = ReturnType<typeof score>;

function rates(scores: Scores[]): Record<string, string> {
	const names = ["directives", "messages", "files", "identifiers"] as const;
	return Object.fromEntries(
		names.map((name) => {
			const found = scores.reduce((sum, one) => sum + one[name][0], 0);
			const all = scores.reduce((sum, one) => sum + one[name][1], 0);
			return [name, all ? `${(found / all).toFixed(3)} of ${all}` : "none"];
		}),
	);
}

// biome-ignore lint/suspicious/noExplicitAny: rows and figures side by side
function table(result: Record<string, any>): string {
	const lines = [
		`${result.compactions} compactions; given: median ${result.injectedChars.median}, at most ${result.injectedChars.max} characters`,
	];
	for (const [name, row] of Object.entries(result))
		if (row.directives)
			lines.push(
				`${name.padEnd(28)}${Object.entries(row)
					.map(([key, value]) => `${key} ${value}`.padEnd(24))
					.join("")}`,
			);
	return lines.join("\n");
}
