import { lstatSync, mkdirSync, readFileSync, statSync } from "node:fs";
import Module, { createRequire, enableCompileCache } from "node:module";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { bun } from "./bun.ts";

/**
 * Runs a bundle that was made for Bun on Node 22.16 or newer: `node dist/node.cjs <absolute path of a bundle> <arguments>`. The bundles
 * are the same ones; what they use of Bun is given to them here.
 */
const [, runner = "", entry = "", ...args] = process.argv;
if (isAbsolute(entry)) {
	process.argv = [process.execPath, entry, ...args];
	useCompileCache(dirname(dirname(runner)));
	Object.assign(globalThis, { Bun: bun(entry) });
	loadBundle(entry, new Map());
} else {
	process.stderr.write("ccg: dist/node.cjs is started by bin/ccg\n");
	process.exitCode = 2;
}

/**
 * Lets Node keep what it compiled, in ccg's own folder: what lies there is code, so neither a folder that the
 * environment names nor one that others can write to will do. A third less for each start.
 */
function useCompileCache(root: string): void {
	const cache = join(root, ".node-cache");
	const isOwn = ({ uid, mode }: { uid: number; mode: number }): boolean =>
		uid === process.geteuid?.() && (mode & 0o022) === 0;
	try {
		if (!isOwn(statSync(root))) return;
		if (!lstatSync(cache, { throwIfNoEntry: false })) mkdirSync(cache, { mode: 0o700 });
		const stat = lstatSync(cache);
		if (stat.isDirectory() && isOwn(stat)) enableCompileCache(cache);
	} catch {
		// a folder that can't be written has none
	}
}

interface Loaded {
	exports: unknown;
	_compile(text: string, path: string): void;
}

/**
 * Runs a bundle and gives what it exports; those it loads later, each once. It is one function expression; Node compiles it as a
 * module, which its compile cache knows.
 */
function loadBundle(path: string, loaded: Map<string, unknown>): unknown {
	const own = createRequire(path);
	const load = (name: string): unknown => {
		if (name === "bun:sqlite") return require("./sqlite.ts");
		if (!name.startsWith(".") && !isAbsolute(name)) return own(name);
		const file = resolve(dirname(path), name.endsWith(".js") ? name : `${name}.js`);
		try {
			if (!loaded.has(file)) loaded.set(file, loadBundle(file, loaded));
			return loaded.get(file);
		} catch (error) {
			if ((error as { code?: string }).code !== "ENOENT") throw error;
			throw Object.assign(new Error(`Cannot find module '${name}' from '${path}'`), { code: "MODULE_NOT_FOUND" });
		}
	};
	const module = new Module(path) as unknown as Loaded;
	module._compile(`module.exports =\n${readFileSync(path, "utf8")}`, path);
	const run = module.exports as (...scope: unknown[]) => void;
	module.exports = {};
	run.call(module.exports, module.exports, load, module, path, dirname(path));
	return module.exports;
}
