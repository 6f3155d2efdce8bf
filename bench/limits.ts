/**
 * What hostile inputs cost: each entry point of ccg with inputs made to stop it, its time and memory, whether the
 * user's words came back, and what was told of what was left out. `npm run bench:limits [-- TEXT]`: only inputs whose
 * name contains TEXT. The inputs and their judge are the tests' (`test/security/limits-*.ts`); CCG_TEST_TARGET names
 * another checkout.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startBeside } from "../test/kit/process.ts";

interface Row {
	input: string;
	entry: string;
	ms: number;
	cpu: number;
	mb: number;
	killed: boolean;
	words: boolean | null;
	said: string;
}

const folder = mkdtempSync(join(tmpdir(), "ccg-limits-"));
const path = join(folder, "rows");
const only = process.argv[2] ? ["-t", process.argv[2]] : [];
const tests = ["test/security/limits.long.test.ts"];
const vitest = [
	"npx",
	"--no-install",
	"bun",
	"--bun",
	"vitest",
	"run",
	"--project",
	"security",
	"--no-file-parallelism",
];
await startBeside([...vitest, ...tests, ...only], {
	cwd: resolve(import.meta.dir, ".."),
	env: { ...process.env, CCG_TEST_LIMITS_ROWS: path },
});
const text = existsSync(path) ? readFileSync(path, "utf8") : "";
rmSync(folder, { recursive: true, force: true });
const rows = text
	.split("\n")
	.filter(Boolean)
	.map((line) => JSON.parse(line) as Row);
console.log(
	"| input | entry point | ms | ms on the processor | MB | the user's words | told |\n|---|---|--:|--:|--:|---|---|",
);
for (const { input, entry, ms, cpu, mb, killed, words, said } of rows) {
	const kept = words === null ? "" : words ? "given" : "MISSING";
	console.log(`| ${input} | ${entry} | ${killed ? "killed" : ms} | ${cpu} | ${mb} | ${kept} | ${said} |`);
}
console.log(`\n${new Set(rows.map(({ input }) => input)).size} inputs, ${rows.length} runs.`);
process.exit(rows.length > 0 ? 0 : 1);
