/**
 * Makes the mod's folder: `hooks/register.js`, one plain file as Claude Code wants it, and with `--plugin` what makes a
 * plugin of it.
 *
 *   scripts/make-mod.ts OUT [--launcher PATH] [--store PATH] [--plugin] [--tests]
 *
 * `--launcher` is `bin/ccg`, absolute or below the plugin's folder (default: this checkout's), `--store` a `CCG_HOME`.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const ROOT = resolve(import.meta.dir, "..");
const { values, positionals } = parseArgs({
	args: process.argv.slice(2),
	allowPositionals: true,
	options: {
		launcher: { type: "string", default: join(ROOT, "bin", "ccg") },
		store: { type: "string", default: "" },
		plugin: { type: "boolean", default: false },
		tests: { type: "boolean", default: false },
	},
});
if (positionals.length !== 1) throw new Error("scripts/make-mod.ts OUT: which folder?");
const out = resolve(positionals[0]!);

const { outputs } = await Bun.build({
	entrypoints: [join(ROOT, "mod", "register.ts")],
	target: "browser",
	format: "esm",
	define: { CCG_LAUNCHER: JSON.stringify(values.launcher), CCG_STORE: JSON.stringify(values.store) },
});
const [bundle] = outputs;
if (!bundle || outputs.length !== 1) throw new Error("the mod became more than one file");
write(join(out, "hooks", "register.js"), await bundle.text());
if (values.plugin) {
	const { version, description } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
	write(
		join(out, ".claude-plugin", "plugin.json"),
		json({ name: "ccg", version, description, author: { name: "claude-context-guard" } }),
	);
	write(join(out, "hooks", "hooks.json"), json({ modules: ["./register.js"] }));
}
if (values.tests) {
	mkdirSync(join(out, "tests"), { recursive: true });
	copyFileSync(join(ROOT, "mod", "register.test.ts"), join(out, "tests", "register.test.ts"));
}

function write(path: string, text: string): void {
	mkdirSync(resolve(path, ".."), { recursive: true });
	writeFileSync(path, text);
}

function json(value: object): string {
	return `${JSON.stringify(value, null, 2)}\n`;
}
