/**
 * The table version × behaviour, from the rows that test/e2e/versions.test.ts leaves (a JSON object a line); versions in a row that do
 * the same share one. `--write` puts it into docs/versions.md, between its marks.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Row = Record<string, string | number | boolean>;

const BEHAVIOUR: [key: string, heading: string][] = [
	["settings", "settings in force"],
	["notes", "notes at start"],
	["nudges", "nudge, once"],
	["steering", "summariser asked"],
	["block", "recovery block"],
	["report", "report"],
	["resumed", "`--resume`"],
	["continued", "`--continue`"],
	["forked", "fork"],
	["log", "failures logged"],
];
const DOC = join(import.meta.dirname, "../docs/versions.md");
const MARKS = ["<!-- table -->", "<!-- end of the table -->"] as const;

const [, , path, option] = process.argv;
const rows = readFileSync(path!, "utf8")
	.split("\n")
	.filter(Boolean)
	.map((line) => JSON.parse(line) as Row);
const alike: { versions: string[]; cells: string }[] = [];
for (const row of rows) {
	const cells = BEHAVIOUR.map(([key]) => cell(key, row[key])).join(" | ");
	if (alike.at(-1)?.cells !== cells) alike.push({ versions: [], cells });
	alike.at(-1)!.versions.push(String(row.version));
}
const table = [
	line(["Claude Code", ...BEHAVIOUR.map(([, heading]) => heading)]),
	line(["---", ...BEHAVIOUR.map(() => "---")]),
	...alike.map(({ versions, cells }) => line([versions.join(", "), cells])),
].join("\n");
console.log(table);
if (option === "--write") {
	const text = readFileSync(DOC, "utf8");
	const [from, to] = [text.indexOf(MARKS[0]), text.indexOf(MARKS[1])];
	if (from < 0 || to < 0) throw new Error(`${DOC} has no marks for the table`);
	writeFileSync(DOC, `${text.slice(0, from)}${MARKS[0]}\n\n${table}\n\n${text.slice(to)}`);
}

function line(cells: readonly string[]): string {
	return `| ${cells.join(" | ")} |`;
}

function cell(key: string, value: Row[string] | undefined): string {
	if (key === "log") return value === "" ? "none" : "some";
	if (typeof value === "string") return value;
	return Number(value) === 1 ? "yes" : value === 0 || value === false || value === undefined ? "no" : String(value);
}
