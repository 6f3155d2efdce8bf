/**
 * Runs before every test file: whatever a test does not point at a scratch folder of its own fails, because HOME lies
 * below a plain file and no variable of the machine's Claude Code is left.
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "ccg-test-")));
writeFileSync(join(folder, "no-home"), "a test forgot its scratch HOME\n");
process.env.HOME = join(folder, "no-home", "home");
// what a test forgets to remove goes with the folder
process.env.TMPDIR = folder;
for (const name of Object.keys(process.env))
	if (
		/^(CLAUDE|CCG_|ANTHROPIC|DISABLE_|BUN_OPTIONS|NO_COLOR|FORCE_COLOR|COLUMNS)/.test(name) &&
		!name.startsWith("CCG_TEST_") &&
		name !== "CCG_E2E_REQUIRED"
	)
		delete process.env[name];

let count = 0;

/** A fresh folder under the test file's own temp folder; removed when the file is done. */
export function scratch(name = "scratch"): string {
	const path = join(folder, `${name}-${++count}`);
	require("node:fs").mkdirSync(path, { recursive: true });
	return path;
}

/** Some files leave a hundred thousand files behind, and the disk may be busy. */
const REMOVING_MS = 120_000;

const removeAll = (): void => rmSync(folder, { recursive: true, force: true });
// (what records a session for a demo or a bench runs without vitest)
if (process.env.VITEST) afterAll(removeAll, REMOVING_MS);
else process.on("exit", removeAll);
