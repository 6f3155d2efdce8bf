import {
	chmodSync,
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import manifest from "../package.json" with { type: "json" };
import lock from "../package-lock.json" with { type: "json" };
import { hookRunner, PLUGIN_MCP, pluginHooks } from "./plugin-hooks.ts";

const ROOT = resolve(import.meta.dirname, "..");
const NAME = "ccg";

/** Writes the folder; gives the files in it. One that is there must be an earlier plugin of ours. `version` is another one for a test. */
export function makePlugin(out: string, version = manifest.version): string[] {
	if (existsSync(out) && !existsSync(join(out, ".claude-plugin", "plugin.json")))
		throw new Error(`${out} is there and is no plugin; name another folder`);
	rmSync(out, { recursive: true, force: true });
	const { description, license } = manifest;
	const put = (path: string, text: string, mode = 0o644): void => {
		mkdirSync(dirname(join(out, path)), { recursive: true });
		writeFileSync(join(out, path), text, { mode });
		chmodSync(join(out, path), mode);
	};
	const json = (path: string, value: object): void => put(path, `${JSON.stringify(value, null, 2)}\n`);
	const copy = (path: string, to = path): void => cpSync(join(ROOT, path), join(out, to), { recursive: true });

	for (const file of filesIn(join(ROOT, "dist")).filter((name) => name.endsWith(".js")))
		put(join("dist", file), withoutBytecode(readFileSync(join(ROOT, "dist", file), "utf8"), file));
	for (const path of ["bin", "LICENSE", "THIRD-PARTY-NOTICES", "demo/session.jsonl", "skills", "agents"]) copy(path);
	// there `/ccg` would be `/ccg:ccg`; the prompt "ccg" is answered
	rmSync(join(out, "skills/ccg"), { recursive: true });
	// what only the plugin has
	copy("plugin/skills", "skills");
	copy("plugin/README.md", "README.md");
	json(".mcp.json", PLUGIN_MCP);
	json("hooks/hooks.json", pluginHooks());
	json(".claude-plugin/plugin.json", {
		name: NAME,
		version,
		description,
		author: { name: "the claude-context-guard authors" },
		license,
	});
	const own = { name: `${NAME}-plugin`, version };
	const { bun } = manifest.dependencies;
	const packed = { ...own, private: true, license, type: "module", dependencies: { bun } };
	json("package-lock.json", lockFile({ ...own, license, dependencies: { bun } }));
	json("package.json", packed);
	put("hooks/run", hookRunner(), 0o755);
	return filesIn(out);
}

/** Of Bun only: what Claude Code installs beside the plugin's copy. */
function lockFile(own: { name: string; version: string; license: string; dependencies: object }) {
	const packages = Object.entries(lock.packages as Record<string, { dev?: boolean }>).filter(([path]) =>
		/^node_modules\/(?:bun|@oven\/bun-.*)$/.test(path),
	);
	return {
		name: own.name,
		version: own.version,
		lockfileVersion: lock.lockfileVersion,
		requires: true,
		packages: { "": own, ...Object.fromEntries(packages) },
	};
}

function withoutBytecode(text: string, name: string): string {
	if (!text.startsWith(BYTECODE)) throw new Error(`dist/${name} is not as scripts/build makes it`);
	return PLAIN + text.slice(BYTECODE.length);
}

const BYTECODE = "// @bun @bytecode @bun-cjs\n";
const PLAIN = "// @bun @bun-cjs\n";

/** The files below a folder, as paths from there on, sorted. */
export function filesIn(folder: string): string[] {
	return readdirSync(folder, { recursive: true })
		.map(String)
		.filter((name) => statSync(join(folder, name)).isFile())
		.sort();
}

if (import.meta.main) {
	const out = resolve(process.argv[2] ?? join(ROOT, "plugins", NAME));
	const made = makePlugin(out);
	console.log(`${relative(process.cwd(), out) || "."}: ${made.length} files`);
}
