import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { runNow } from "../../kit/process.ts";
import { TARGET } from "../../kit/sandbox.ts";

/** In the tree, since types are looked for from there. */
const folder = join(TARGET, ".programs");
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What the compiler says of programs, by their names. */
function refused(programs: Record<string, string>): string[] {
	mkdirSync(folder, { recursive: true });
	const imports = [
		'import { redactSecrets, safely } from "../src/core/redact/secrets.ts";',
		'import { writeFileAtomic } from "../src/store/atomic-write.ts";',
		'import { inStore } from "../src/store/database.ts";',
		'import { printLine } from "../src/events/run/print.ts";',
		"export { inStore, printLine, redactSecrets, safely, writeFileAtomic };",
		'declare const store: import("../src/store/session-handle.ts").Store;',
		"export declare const text: string;",
		"export const root = store.root;",
	].join("\n");
	for (const [name, program] of Object.entries(programs))
		writeFileSync(join(folder, `${name}.ts`), `${imports}\n${program}\n`);
	const files = Object.keys(programs).map((name) => join(folder, `${name}.ts`));
	const config = join(folder, "tsconfig.json");
	writeFileSync(config, JSON.stringify({ extends: "../tsconfig.json", files, include: [] }));
	const { out } = runNow([join(TARGET, "node_modules", ".bin", "tsc"), "--noEmit", "-p", config], { cwd: TARGET });
	return Object.keys(programs).filter((name) => out.includes(`${name}.ts(`));
}

test("the compiler refuses to store or tell a text that was not looked through", () => {
	const wrong = {
		file: 'writeFileAtomic("/tmp/x", text);',
		row: 'inStore(store, (database) => database.query("INSERT INTO notes VALUES(1, 2, ?)").run(text));',
		answer: "printLine(text);",
		around: "printLine(safely`words, and $" + "{text}`);",
		added: "printLine(redactSecrets(text) + text);",
	};
	const right = {
		"right-file": 'writeFileAtomic("/tmp/x", redactSecrets(text));',
		"right-row":
			'inStore(store, (database) => database.query("INSERT INTO notes VALUES(1, 2, ?)").run(redactSecrets(text)));',
		"right-answer": "printLine(safely`words, and $" + "{redactSecrets(text)}`);",
	};
	expect(refused({ ...wrong, ...right })).toEqual(Object.keys(wrong));
});

test("one file says that a text was looked through", () => {
	const files = readdirSync(join(TARGET, "src"), { recursive: true, encoding: "utf8" }).filter((name) =>
		/\bas (?:unknown as )?(?:Safe|Exact)\b/.test(
			name.endsWith(".ts") ? readFileSync(join(TARGET, "src", name), "utf8") : "",
		),
	);
	expect(files).toEqual(["core/redact/secrets.ts"]);
});
