/**
 * The attacks of test/security as a table, in Markdown: how many are tried, how many are held, and how many were held by
 * another checkout (the version before, built).
 *
 *   bun scripts/security-table.ts [CHECKOUT]
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { startBeside } from "../test/kit/process.ts";

/** Subjects, by how a test file's name begins. */
const SUBJECTS: [prefix: string, subject: string][] = [
	["launch", "Code of a folder runs in ccg"],
	["doctor", "`ccg doctor` and `install` run or write what a repository says"],
	["memory", "Notes written elsewhere, links followed"],
	["repo", "Git and files of the workspace"],
	["words", "Words that are not the user's; names, tags, terminals"],
	["redact", "Secrets on disk or in the model"],
	["limits", "Text that takes all time or memory"],
	["guard", "Ways round `guard: enforce`"],
];

interface Result {
	file: string;
	name: string;
	passed: boolean;
}

const before = process.argv[2] && resolve(process.argv[2]);
const now = await runAttacks();
const then = before ? await runAttacks(before) : null;
const known = new Map(then?.map((result) => [key(result), result.passed]));
const rows = SUBJECTS.map(([prefix, subject]) => {
	const all = now.filter(({ file }) => file.startsWith(prefix));
	const harmless = all.filter(({ name }) => isHarmless(name));
	const attacks = all.filter(({ name }) => !isHarmless(name));
	const open = attacks.filter(({ name }) => isOpen(name));
	const held = attacks.filter(({ name, passed }) => !isOpen(name) && passed);
	// a test of the kind `open` passes as long as the attack works
	const heldBefore = attacks.filter((one) => known.get(key(one)) === !isOpen(one.name)).length;
	const kept = harmless.filter(({ passed }) => passed).length;
	return [
		subject,
		attacks.length,
		then ? heldBefore : "–",
		held.length,
		open.length,
		attacks.length - held.length - open.length,
		`${kept} of ${harmless.length}`,
	];
});
const sum = (column: number): number => rows.reduce((total, row) => total + Number(row[column] || 0), 0);
print(["", "attacks", "held before", "held", "open", "failing", "harmless kept"]);
print(["---", "--:", "--:", "--:", "--:", "--:", "--:"]);
for (const row of rows) print(row);
print(["**all**", sum(1), then ? sum(2) : "–", sum(3), sum(4), sum(5), ""]);

function print(cells: (string | number)[]): void {
	console.log(`| ${cells.join(" | ")} |`);
}

function isOpen(name: string): boolean {
	return /(?:^| )open: /.test(name);
}

function isHarmless(name: string): boolean {
	return /(?:^| )harmless: /.test(name);
}

function key({ file, name }: Result): string {
	return `${file} ${name}`;
}

/** Runs the attacks against this checkout or another one. */
async function runAttacks(target?: string): Promise<Result[]> {
	const folder = mkdtempSync(join(tmpdir(), "ccg-attacks-"));
	try {
		const out = join(folder, "results.json");
		const vitest = [process.execPath, "--bun", "node_modules/.bin/vitest", "run", "--project", "security"];
		await startBeside([...vitest, "--reporter=json", `--outputFile=${out}`], {
			cwd: join(import.meta.dirname, ".."),
			env: { ...process.env, ...(target && { CCG_TEST_TARGET: target }) },
		});
		const { testResults } = JSON.parse(readFileSync(out, "utf8")) as {
			testResults: { name: string; assertionResults: { fullName: string; status: string }[] }[];
		};
		return testResults.flatMap(({ name, assertionResults }) =>
			assertionResults.map(({ fullName, status }) => ({
				file: basename(name),
				name: fullName,
				passed: status === "passed",
			})),
		);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
