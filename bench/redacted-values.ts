/**
 * What redaction takes out of the sessions in a folder: each distinct value once, masked to four characters, with the look that
 * found it. For a person to judge; with `--context` what stands round each, which is for the screen only.
 */
import { parseArgs } from "node:util";
import { findAll } from "../src/core/redact/rules.ts";
import { transcriptsIn } from "./transcripts.ts";

const HELP = `npx bun bench/redacted-values.ts --data DIR [options]

  --data DIR     a folder of transcripts (*.jsonl, *.jsonl.gz)
  --context N    N characters on either side of each value, on the screen only (0)
  --look NAME    only what this look found`;

const { values: options } = parseArgs({
	options: { data: { type: "string" }, context: { type: "string", default: "0" }, look: { type: "string" } },
});
if (!options.data) {
	console.log(HELP);
	process.exit(1);
}
const context = Number(options.context);

interface Taken {
	looks: Set<string>;
	times: number;
	example: string;
}
const taken = new Map<string, Taken>();
let texts = 0;

for (const { bytes } of transcriptsIn(options.data)) {
	const lines = bytes.toString("utf8").split("\n");
	const seen = new Set<string>();
	for (const line of lines)
		if (line)
			for (const text of textsOf(parsed(line)?.message))
				if (!seen.has(text)) {
					seen.add(text);
					look(text);
				}
}

const shown = [...taken].filter(([, { looks }]) => !options.look || looks.has(options.look));
shown.sort(([, a], [, b]) => [...a.looks].join().localeCompare([...b.looks].join()));
for (const [value, { looks, times, example }] of shown)
	console.log(
		`${[...looks].join("+")}\t${times}\t${value.slice(0, 4)}… (${value.length})${context ? `\t${example}` : ""}`,
	);
console.log(`${shown.length} distinct values in ${texts} texts`);

function parsed(line: string): { message?: unknown } | null {
	try {
		return JSON.parse(line);
	} catch {
		return null;
	}
}

/** Every text of a message: what was said, what tools were given and what they gave. */
function* textsOf(value: unknown, key = ""): Generator<string> {
	if (typeof value === "string") {
		if (!/^(?:id|tool_use_id|signature|data|type|role|model|media_type)$/.test(key)) yield value;
	} else if (value !== null && typeof value === "object")
		for (const [name, one] of Object.entries(value)) yield* textsOf(one, name);
}

function look(text: string): void {
	texts++;
	const end = (at: number): string => JSON.stringify(text.slice(at, at + context));
	findAll(
		text,
		() => {},
		0,
		(name, found) => {
			for (const range of found) {
				const value = text.slice(range.start, range.end);
				const example = `${JSON.stringify(text.slice(Math.max(0, range.start - context), range.start))} <<${value.slice(0, 300)}>> ${end(range.end)}`;
				const one = taken.get(value) ?? { looks: new Set(), times: 0, example };
				one.looks.add(name);
				one.times++;
				taken.set(value, one);
			}
		},
	);
}
