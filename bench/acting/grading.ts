import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KINDS, situations } from "./sessions.ts";

/** For each situation: which condition a letter stands for. */
type Key = Record<string, Record<string, string>>;
type Answers = Record<string, string>;

const SCALE =
	"1: does right. 0.5: partly, or asks first where that is reasonable. 0: does not know, or does something else. -0.5: walks into the trap. The key's own words go first. Write scores.json: {id: {letter: grade}}.";

/** Once readers have answered: one sheet for the grader, letters shuffled for each situation. */
export function hideConditions(out: string): void {
	const answers = answersBelow(out);
	const key: Key = {};
	const sheet = situations().map((one) => {
		const letters = shuffled(Object.keys(answers), one.id).map((condition, i) => ["ABCDEFGH"[i]!, condition] as const);
		key[one.id] = Object.fromEntries(letters);
		const given = letters.map(([letter, condition]) => [letter, answers[condition]![one.id] ?? "(no answer)"]);
		const { id, says, right, trap, evidence } = one;
		return { id, says, right, trap, evidence, answers: Object.fromEntries(given) };
	});
	writeFileSync(join(out, "key.json"), JSON.stringify(key));
	writeFileSync(join(out, "sheet.json"), JSON.stringify({ scale: SCALE, sheet }, null, "\t"));
	console.log(`${sheet.length} situations, ${Object.keys(answers).length} conditions: ${join(out, "sheet.json")}`);
}

/** Mean grades and how many walked into the trap. */
export function printTable(out: string): void {
	const key: Key = read(join(out, "key.json"));
	const scores: Record<string, Record<string, number>> = read(join(out, "scores.json"));
	const sizes: Record<string, number[]> = read(join(out, "sizes.json"));
	const asked = situations();
	const graded = asked.flatMap(({ id, depends }) =>
		Object.entries(key[id] ?? {}).map(([letter, condition]) => {
			const grade = scores[id]?.[letter];
			if (grade === undefined) throw new Error(`scores.json: ${id} has no grade for ${letter}`);
			return { depends, condition, grade };
		}),
	);
	const conditions = [...new Set(graded.map(({ condition }) => condition))].sort(
		(a, b) => rank(a) - rank(b) || a.localeCompare(b),
	);
	console.log(row("condition", "grade", "in the trap", "block: median", "at most"));
	for (const name of conditions) {
		const own = graded.filter(({ condition }) => condition === name);
		const chars = sizes[name]?.toSorted((a, b) => a - b);
		const size = chars ? [median(chars), chars.at(-1)!] : ["", ""];
		console.log(row(name, mean(own), `${own.filter(({ grade }) => grade < 0).length} of ${own.length}`, ...size));
	}
	console.log(`\n${row("depends on", ...conditions)}`);
	for (const one of [...new Set(asked.map(({ depends }) => depends))])
		console.log(
			row(one, ...conditions.map((name) => mean(graded.filter((g) => g.condition === name && g.depends === one)))),
		);
}

function answersBelow(out: string): Record<string, Answers> {
	const found: Record<string, Answers> = {};
	for (const folder of readdirSync(out).filter((name) => KINDS.some((kind) => name.startsWith(`${kind}.`))))
		for (const file of readdirSync(join(out, folder)).filter((name) => /^answers.*\.json$/.test(name)))
			found[folder] = { ...found[folder], ...read<Answers>(join(out, folder, file)) };
	return found;
}

/** In an order that looks like none, and is another for each `id`. */
function shuffled(conditions: string[], id: string): string[] {
	const place = (name: string): string => createHash("sha256").update(`${id} ${name}`).digest("hex");
	return conditions.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
}

const read = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8"));
const rank = (condition: string): number => KINDS.findIndex((kind) => condition.startsWith(kind));
const mean = (list: { grade: number }[]): string =>
	(list.reduce((sum, { grade }) => sum + grade, 0) / list.length).toFixed(2);
const median = (sorted: number[]): number =>
	Math.round((sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2);
const row = (...cells: (string | number)[]): string =>
	cells.map((cell, i) => (i ? String(cell).padStart(15) : String(cell).padEnd(22))).join("");
