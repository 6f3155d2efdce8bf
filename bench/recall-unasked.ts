/**
 * Is recall that comes by itself worth it? On transcripts that hold real compactions: for each typed prompt, failed call and edit of a
 * file edited before, among what follows a compaction, what would be given of what lies before it, and do the next ten calls use a name
 * in it that the model did not have? It had the summary, the block ccg gives there, the conversation since, the occasion itself.
 *
 *   npx bun bench/recall-unasked.ts --data FOLDER [--json]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadCases } from "./fidelity/cases.ts";
import { injected, replayer } from "./fidelity/replay.ts";
import { type Before, indexBefore, sessionsOf, timeOf } from "./unasked/index-before.ts";
import { judged } from "./unasked/names.ts";
import { type Occasion, occasionsOf, type Trigger } from "./unasked/occasions.ts";
import { newRow, type Row, table } from "./unasked/table.ts";
import { type Giving, WAYS } from "./unasked/ways.ts";

const { values } = parseArgs({ options: { data: { type: "string" }, json: { type: "boolean" } } });
if (!values.data) throw new Error("--data names a folder of transcripts");

const SCOPES = ["own session", "and others of the folder"];
const root = mkdtempSync(join(tmpdir(), "ccg-unasked-"));
try {
	const cases = loadCases(values.data);
	const play = replayer(root);
	const sessions = sessionsOf(cases);
	const rows = new Map<string, Row>();
	const occasions = cases.flatMap((one, i) => {
		const found = occasionsOf(one, injected(play(one)));
		const half = sessions.findIndex(({ name }) => name === one.name) % 2;
		tryAll(indexBefore(one, sessions, join(root, `case-${i}`)), found, timeOf(one.after[0]!), { half, rows });
		return found;
	});
	const chances = (["prompt", "failure", "edit"] as const).map((trigger) => chancesOf(trigger, occasions));
	const result = { sessions: sessions.length, compactions: cases.length, chances, rows: [...rows.values()] };
	if (values.json) console.log(JSON.stringify(result, null, 2));
	else print(result);
} finally {
	rmSync(root, { recursive: true, force: true });
}

/** Every way with every threshold on one cycle. */
function tryAll(
	before: Before,
	occasions: readonly Occasion[],
	at: string,
	{ half, rows }: { half: number; rows: Map<string, Row> },
): void {
	const now = Date.parse(at) / 1000;
	for (const scope of SCOPES)
		for (const { triggers, name, thresholds, give } of WAYS)
			for (const trigger of triggers) {
				const asked = occasions
					.filter((occasion) => occasion.trigger === trigger)
					.map((occasion) => ({
						occasion,
						givings: give({ ...before, one: occasion, isOwn: scope === SCOPES[0], now }),
					}));
				for (const threshold of thresholds) {
					const key = [trigger, name, scope, threshold].join("|");
					const row = rows.get(key) ?? newRow({ trigger, way: name, scope, threshold });
					rows.set(key, row);
					playCycle(asked, row, half);
				}
			}
	before.index.close();
}

/** Each occasion gets the strongest giving from the threshold on that was not given before in the cycle. */
function playCycle(asked: { occasion: Occasion; givings: Giving[] }[], row: Row, half: number): void {
	const spent = new Set<string>();
	for (const { occasion, givings } of asked) {
		row.chances++;
		const given = givings.find(({ strength, id }) => strength >= row.threshold && !spent.has(id));
		if (!given) continue;
		spent.add(given.id);
		const verdict = judged(given.text, occasion);
		row.given++;
		row.verdicts[verdict]++;
		row.chars += given.text.length;
		if (judged(given.text, occasion, occasion.nextWords) === "new") row.newWithWords++;
		row.halves[half]![0]++;
		if (verdict === "new") row.halves[half]![1]++;
	}
}

interface Chances {
	trigger: Trigger;
	chances: number;
	withNeed: number;
	names: number;
}

function chancesOf(trigger: Trigger, occasions: readonly Occasion[]): Chances {
	const own = occasions.filter((one) => one.trigger === trigger);
	const names = own.reduce((sum, { needed }) => sum + needed.length, 0);
	return { trigger, chances: own.length, withNeed: own.filter(({ needed }) => needed.length > 0).length, names };
}

function print(result: { sessions: number; compactions: number; chances: Chances[]; rows: Row[] }): void {
	console.log(`${result.compactions} compactions of ${result.sessions} sessions; halves: every other session`);
	for (const { trigger, chances, withNeed, names } of result.chances)
		console.log(
			`${trigger}: ${chances} chances; in ${withNeed} the next ten calls use a name the model lacks and that stood before the boundary (${names} names)`,
		);
	console.log(table(result.rows));
}
