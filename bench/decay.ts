/**
 * `npx bun bench/decay.ts`: do rules decay? Made-up sessions of ten compactions whose summaries keep nothing; after each, what
 * ccg gives is searched for the rules laid down so far, word for word. What is measured and how to read it: bench/README.md.
 */
import { parseArgs } from "node:util";
import { type Compacted, compacted } from "./decay/compacted.ts";
import { USUAL } from "./decay/long-session.ts";

const { values } = parseArgs({
	options: {
		sessions: { type: "string", default: "1000" },
		rules: { type: "string", default: "1,2,4,8,12,16" },
		segments: { type: "string", default: "10" },
		"held-out": { type: "boolean", default: false },
		misses: { type: "boolean", default: false },
	},
});
const segments = Number(values.segments);
const misses = new Map<string, number>();

for (const rules of values.rules.split(",").map(Number)) {
	const rounds: Compacted[][] = Array.from({ length: segments }, () => []);
	for (let seed = 1; seed <= Number(values.sessions); seed++)
		for (const [i, one] of compacted(seed, { ...USUAL, segments, rules, heldOut: values["held-out"] }).entries()) {
			rounds[i]!.push(one);
			for (const rule of one.missing) misses.set(shapeOf(rule), (misses.get(shapeOf(rule)) ?? 0) + 1);
		}
	console.log(`\n${rules} rules a segment, ${rules + USUAL.first} in the first; ${values.sessions} sessions`);
	console.log("compaction   rules  present  of the first  sessions whole  size median / max");
	for (const [i, round] of rounds.entries()) {
		const laid = sum(round.map(({ rules }) => rules));
		const first = sum(round.map(({ first }) => first));
		const sizes = round.map(({ text }) => text.length).toSorted((a, b) => a - b);
		console.log(
			[
				String(i + 1).padStart(10),
				(laid / round.length).toFixed(0).padStart(8),
				share(laid - sum(round.map(({ missing }) => missing.length)), laid).padStart(9),
				share(first - sum(round.map(({ missingOfFirst }) => missingOfFirst)), first).padStart(14),
				share(round.filter(({ missing }) => missing.length === 0).length, round.length).padStart(16),
				`${sizes[sizes.length >> 1]} / ${sizes.at(-1)}`.padStart(19),
			].join(""),
		);
	}
}
if (values.misses) for (const [rule, n] of [...misses].sort((a, b) => b[1] - a[1]).slice(0, 60)) console.log(n, rule);

function sum(list: readonly number[]): number {
	return list.reduce((total, one) => total + one, 0);
}
function share(part: number, whole: number): string {
	return whole ? (Math.floor((part / whole) * 10_000) / 10_000).toFixed(4) : "-";
}
/** A rule without what was filled in. */
function shapeOf(rule: string): string {
	return rule
		.replace(/src\/\w+\.ts/g, "{file}")
		.replace(/\b[a-z]+_\d+/g, "{name}")
		.replace(/\d+/g, "{n}");
}
