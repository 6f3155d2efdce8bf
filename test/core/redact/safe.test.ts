import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { runNow } from "../../kit/process.ts";
import { TARGET } from "../../kit/sandbox.ts";

/** In the tree, since types are looked for from there. */
const folder = join(TARGET, ".programs");
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const IMPORTS = [
	'import { redactSecrets, safeTemplate } from "../src/core/redact/secrets.ts";',
	'import { writeFileAtomic } from "../src/store/atomic-write.ts";',
	'import { writeToStore } from "../src/store/database.ts";',
	'import { printLine } from "../src/events/run/print.ts";',
	"export { writeToStore, printLine, redactSecrets, safeTemplate, writeFileAtomic };",
	'declare const store: import("../src/store/session-handle.ts").Store;',
	"export declare const text: string;",
	"export const root = store.root;",
].join("\n");

/** Programs that keep or tell a text, by whether the compiler lets them. */
const row = (text: string): string =>
	`writeToStore(store, (database) => database.query("INSERT INTO notes VALUES(1, 2, ?)").run(${text}));`;
const WRONG = {
	file: 'writeFileAtomic("/tmp/x", text);',
	row: row("text"),
	answer: "printLine(text);",
	around: "printLine(safeTemplate`words, and $" + "{text}`);",
	added: "printLine(redactSecrets(text) + text);",
};
const RIGHT = {
	"right-file": 'writeFileAtomic("/tmp/x", redactSecrets(text));',
	"right-row": row("redactSecrets(text)"),
	"right-answer": "printLine(safeTemplate`words, and $" + "{redactSecrets(text)}`);",
};

test("the compiler refuses to store or tell a text that was not looked through", () => {
	mkdirSync(folder, { recursive: true });
	const programs = Object.entries({ ...WRONG, ...RIGHT });
	for (const [name, program] of programs) writeFileSync(join(folder, `${name}.ts`), `${IMPORTS}\n${program}\n`);
	const files = programs.map(([name]) => join(folder, `${name}.ts`));
	const config = join(folder, "tsconfig.json");
	writeFileSync(config, JSON.stringify({ extends: "../tsconfig.json", files, include: [] }));
	const { out } = runNow([join(TARGET, "node_modules", ".bin", "tsc"), "--noEmit", "-p", config], { cwd: TARGET });
	const refused = programs.map(([name]) => name).filter((name) => out.includes(`${name}.ts(`));
	expect(refused).toEqual(Object.keys(WRONG));
});

test("one file says that a text was looked through", () => {
	const names = readdirSync(join(TARGET, "src"), { recursive: true, encoding: "utf8" });
	const saying = names.filter(
		(name) =>
			name.endsWith(".ts") &&
			/\bas (?:unknown as )?(?:Safe|Exact)\b/.test(readFileSync(join(TARGET, "src", name), "utf8")),
	);
	expect(saying).toEqual(["core/redact/secrets.ts"]);
});
