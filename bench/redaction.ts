/**
 * How much of the corpus in test/security/redaction-corpus each redactor takes out, by class and by place, how many look-alikes it
 * touches, and what it costs. What is measured and how to read it: bench/README.md.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
	contextCases,
	lookAlikes,
	type SecretCase,
	secretCases,
	tokenCases,
} from "../test/security/redaction-corpus/cases.ts";
import { gitleaks, secretlint } from "./redaction/peers.ts";
import { measurePlaces } from "./redaction/places.ts";

const HELP = `npm run bench:redaction -- [options]

  --before DIR      another checkout of ccg, to compare
  --gitleaks FILE   a gitleaks binary
  --secretlint DIR  a folder in whose node_modules @secretlint/core and the recommended preset are
  --places          also every place of a session, through the hooks (minutes)
  --seed N          another draw of the same corpus (7)
  --check           exit code 1 below 0.95 of the secrets or above 2 % of the look-alikes`;

const { values: options } = parseArgs({
	options: {
		before: { type: "string" },
		gitleaks: { type: "string" },
		secretlint: { type: "string" },
		places: { type: "boolean", default: false },
		seed: { type: "string", default: "7" },
		check: { type: "boolean", default: false },
		help: { type: "boolean", default: false },
	},
});
if (options.help) {
	console.log(HELP);
	process.exit(0);
}
const seed = Number(options.seed);
const repository = resolve(import.meta.dir, "..");

/** Gives the texts without what it takes for a secret. */
export type Redactor = (texts: readonly string[]) => Promise<string[]>;

async function ccg(checkout: string): Promise<Redactor> {
	const path = join(checkout, "src/core/redact/secrets.ts");
	if (!existsSync(path)) throw new Error(`${checkout} is no checkout of ccg: it has no ${path}`);
	const { redactSecrets } = (await import(path)) as typeof import("../src/core/redact/secrets.ts");
	return async (texts) => texts.map((text) => redactSecrets(text));
}

const redactors: [name: string, redact: Redactor][] = [["ccg", await ccg(repository)]];
if (options.before) redactors.unshift(["before", await ccg(resolve(options.before))]);
if (options.gitleaks) redactors.push(["gitleaks", gitleaks(options.gitleaks)]);
if (options.secretlint) redactors.push(["secretlint", await secretlint(resolve(options.secretlint))]);

const CORPORA: [name: string, cases: SecretCase[]][] = [
	["tokens by their form", tokenCases(seed)],
	...byClass(contextCases(seed)),
	["sayings", secretCases("sayings", seed)],
	["held out", secretCases("held out", seed)],
	["held out again", secretCases("held out again", seed)],
];
const ALIKE: [name: string, texts: string[]][] = [
	["look-alikes", [...lookAlikes("own", seed), ...lookAlikes("sayings", seed)]],
	["look-alikes, held out", lookAlikes("held out", seed)],
	["look-alikes, held out again", lookAlikes("held out again", seed)],
];

function byClass(cases: readonly SecretCase[]): [string, SecretCase[]][] {
	const classes = new Map<string, SecretCase[]>();
	for (const one of cases) {
		const name = one.kind.split(":")[0]!;
		classes.set(name, [...(classes.get(name) ?? []), one]);
	}
	const small = [...classes].filter(([, list]) => list.length < 5).flatMap(([, list]) => list);
	return [...[...classes].filter(([, list]) => list.length >= 5), ["other languages and forms", small]];
}

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;
const row = (cells: readonly string[]): void =>
	console.log(cells.map((cell, i) => (i ? cell.padStart(12) : cell.padEnd(36))).join(""));

row(["secrets taken out", "of", ...redactors.map(([name]) => name)]);
let own = 0;
let ownHeld = 0;
for (const [name, cases] of CORPORA) {
	const figures: string[] = [];
	for (const [who, redact] of redactors) {
		const clean = await redact(cases.map(({ text }) => text));
		const held = cases.filter(({ secrets }, i) => secrets.every((secret) => !clean[i]!.includes(secret))).length;
		if (who === "ccg" && !name.startsWith("held out")) {
			own += cases.length;
			ownHeld += held;
		}
		figures.push(percent(held, cases.length));
	}
	row([name, String(cases.length), ...figures]);
}
row([
	"all but the held-out parts",
	String(own),
	...redactors.map(([who]) => (who === "ccg" ? percent(ownHeld, own) : "")),
]);
let worst = 0;
for (const [name, texts] of ALIKE) {
	const figures: string[] = [];
	for (const [who, redact] of redactors) {
		const clean = await redact(texts);
		const touched = texts.filter((text, i) => clean[i] !== text).length;
		if (who === "ccg") worst = Math.max(worst, touched / texts.length);
		figures.push(percent(touched, texts.length));
	}
	row([`${name}: touched`, String(texts.length), ...figures]);
}

/** A text as sessions hold it: the corpus between prose and code, each time another one. */
function sessionText(size: number, n: number): string {
	const pieces = [...ALIKE[0]![1], ...CORPORA.slice(0, 3).flatMap(([, cases]) => cases.map(({ text }) => text))];
	let text = `${n}\n`;
	for (let i = n; text.length < size; i++) text += `${pieces[(i * 7) % pieces.length]}\n`;
	return text.slice(0, size);
}

for (const [label, size] of [
	["64 KB, in ms", 64 * 1024],
	["1 MB, in ms", 1024 * 1024],
	["4 MB, in ms", 4096 * 1024],
] as const) {
	const figures: string[] = [];
	for (const [, redact] of redactors) {
		const times: number[] = [];
		for (let n = 0; n < 5; n++) {
			const text = sessionText(size, n);
			const start = performance.now();
			await redact([text]);
			times.push(performance.now() - start);
		}
		figures.push(times.sort((a, b) => a - b)[2]!.toFixed(1));
	}
	row([label, "", ...figures]);
}

if (options.places) await measurePlaces(seed, repository, options.before ? resolve(options.before) : null);
if (options.check && (ownHeld / own < 0.95 || worst > 0.02)) process.exitCode = 1;
