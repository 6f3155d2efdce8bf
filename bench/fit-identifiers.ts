/**
 * Fits `src/core/state/identifier-weights.ts`: random search for the weights under which the names that fit a budget hold most
 * of what the agent's next 25 tool calls used and the summary lacked. Parameter names of tools are left out: the
 * model knows them. Says what held in sessions the search did not see.
 *
 *   npx bun bench/fit-identifiers.ts --data FOLDER [--budget 4000] [--tries 400]
 */
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { IDENTIFIER_WEIGHTS, type NamePlace } from "../src/core/state/identifier-weights.ts";
import { identifiersOf } from "../src/core/state/identifiers.ts";
import { LOOKED_AT, MAX_INPUT, PLACES } from "../src/core/state/name-counts.ts";
import { safeText } from "../src/core/text/text.ts";
import { decode } from "../src/core/transcript/decode.ts";
import { type FidelityCase, loadCases } from "./fidelity/cases.ts";

const { values } = parseArgs({
	options: {
		data: { type: "string" },
		budget: { type: "string", default: "4000" },
		tries: { type: "string", default: "400" },
	},
});
if (!values.data) throw new Error("--data names a folder of transcripts");

type Weights = typeof IDENTIFIER_WEIGHTS;
interface Candidate {
	text: string;
	seen: [order: number, place: NamePlace][];
}
interface Sample {
	session: string;
	order: number;
	candidates: Candidate[];
	needed: string[];
}

const PARAMETERS = new Set(
	"file_path old_string new_string replace_all output_mode subagent_type run_in_background".split(" "),
);
const budget = Number(values.budget);
const samples = loadCases(values.data).map(sampleOf);
const sessions = [...new Set(samples.map(({ session }) => session))];
console.log(
	`${samples.length} compactions, ${samples.reduce((sum, one) => sum + one.needed.length, 0)} names needed beyond the summary`,
);
console.log(`weights as they are: ${rate(IDENTIFIER_WEIGHTS, samples).toFixed(4)}`);
let held = 0;
for (const fold of [0, 1, 2]) {
	const unseen = samples.filter(({ session }) => sessions.indexOf(session) % 3 === fold);
	const found = search(samples.filter((one) => !unseen.includes(one)));
	const share = unseen.reduce((sum, one) => sum + one.needed.length, 0);
	held += rate(found, unseen) * share;
	console.log(`third ${fold + 1}: ${rate(found, unseen).toFixed(4)} in sessions not searched`);
}
console.log(`cross-validated: ${(held / samples.reduce((sum, one) => sum + one.needed.length, 0)).toFixed(4)}`);
const best = search(samples);
console.log(`fitted on all: ${rate(best, samples).toFixed(4)}\n${JSON.stringify(best, null, 2)}`);

function sampleOf(one: FidelityCase): Sample {
	const found = new Map<string, Candidate["seen"]>();
	const tools = new Map<string, string>();
	let order = 0;
	const add = (text: string, place: NamePlace): void => {
		for (const name of identifiersOf(safeText(text))) found.set(name, [...(found.get(name) ?? []), [order, place]]);
	};
	const results: string[] = [];
	for (const event of one.sofar.flatMap((line) => decode(line))) {
		if (event.kind === "message" || event.kind === "call") order++;
		if (event.kind === "message") add(event.text.slice(0, 6_000), "user");
		if (event.kind === "said") add(event.text.slice(0, 4_000), "said");
		if (event.kind === "result" && /^(Bash|Grep|Glob)$/.test(tools.get(event.id) ?? ""))
			add(event.text.slice(0, 2_000), "result");
		if (event.kind === "result") results.push(event.text);
		if (event.kind !== "call") continue;
		tools.set(event.id, event.tool);
		for (const [name, value] of Object.entries(event.input))
			if (typeof value === "string") add(value.slice(0, MAX_INPUT), PLACES[name] ?? "input");
	}
	for (const text of results.slice(-16)) add(text.slice(0, LOOKED_AT), "lookedAt");
	const summary = one.summary.toLowerCase();
	const holds = (text: string): boolean => summary.includes(text) || summary.includes(basename(text));
	const candidates = [...found].map(([name, seen]) => ({
		text: name.startsWith(`${one.cwd}/`) ? name.slice(one.cwd.length + 1) : name,
		seen,
	}));
	return {
		session: one.name,
		order,
		candidates: candidates.filter(({ text }) => !summary.includes(text.toLowerCase())),
		needed: one.identifiers.filter((name) => !holds(name) && !PARAMETERS.has(name)),
	};
}

/** Share of the needed names that are among those chosen. */
function rate(weights: Weights, of: readonly Sample[]): number {
	let found = 0;
	let all = 0;
	for (const { order, candidates, needed } of of) {
		const ranked = candidates.map(({ text, seen }): [string, number] => [text, worth(weights, text, seen, order)]);
		ranked.sort((a, b) => b[1] - a[1]);
		let left = budget;
		let listed = "";
		for (const [text] of ranked) {
			const low = text.toLowerCase();
			if (left < 8) break;
			if (text.length + 2 > left || listed.includes(low)) continue;
			left -= text.length + 2;
			listed += `, ${low}`;
		}
		all += needed.length;
		found += needed.filter((name) => listed.includes(name) || listed.includes(basename(name))).length;
	}
	return all ? found / all : 0;
}

function worth(weights: Weights, text: string, seen: Candidate["seen"], order: number): number {
	const { places, halfLives, farShare, saturation, lengthPenalty, pathFactor } = weights;
	let score = 0;
	for (const [at, place] of seen)
		score += places[place] * (2 ** ((at - order) / halfLives.near) + farShare * 2 ** ((at - order) / halfLives.far));
	return (score ** saturation / (text.length + 2) ** lengthPenalty) * (text.includes("/") ? pathFactor : 1);
}

/** Random search from the weights as they are: one to three of them scaled at a time, kept when no worse. */
function search(of: readonly Sample[]): Weights {
	let seed = 12_345;
	const random = (): number => {
		seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
		return seed / 0x7fffffff;
	};
	let best = structuredClone(IDENTIFIER_WEIGHTS);
	let bestRate = rate(best, of);
	for (let n = 0; n < Number(values.tries); n++) {
		const next = structuredClone(best);
		const knobs: [Record<string, number>, string][] = [
			...Object.keys(next.places).map((name): [Record<string, number>, string] => [next.places, name]),
			[next.halfLives, "near"],
			[next.halfLives, "far"],
			...["farShare", "saturation", "lengthPenalty", "pathFactor"].map((name): [Record<string, number>, string] => [
				next as unknown as Record<string, number>,
				name,
			]),
		];
		for (let i = 0; i < 1 + Math.floor(random() * 3); i++) {
			const [where, name] = knobs[Math.floor(random() * knobs.length)]!;
			where[name] = Math.max(0.01, where[name]! * Math.exp((random() - 0.5) * 2));
		}
		const nextRate = rate(next, of);
		if (nextRate >= bestRate) [best, bestRate] = [next, nextRate];
	}
	return best;
}
