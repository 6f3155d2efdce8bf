import { readFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { dirname, isAbsolute, resolve } from "node:path";

interface Loaded {
	exports: unknown;
	_compile(text: string, path: string): void;
}

/** Runs a bundle and gives what it exports. It is one function expression; Node compiles it as a module, which its compile cache knows. */
export function loadBundle(path: string): unknown {
	const module = new Module(path) as unknown as Loaded;
	module._compile(`module.exports =\n${readFileSync(path, "utf8")}`, path);
	const run = module.exports as (...scope: unknown[]) => void;
	module.exports = {};
	run.call(module.exports, module.exports, requireFor(path), module, path, dirname(path));
	return module.exports;
}

const loaded = new Map<string, unknown>();

function requireFor(path: string): (name: string) => unknown {
	const own = createRequire(path);
	return (name) => {
		if (name === "bun:ffi") return require("./flock.ts");
		if (name === "bun:sqlite") return require("./sqlite.ts");
		if (!name.startsWith(".") && !isAbsolute(name)) return own(name);
		const file = bundleAt(resolve(dirname(path), name));
		if (!loaded.has(file)) {
			try {
				loaded.set(file, loadBundle(file));
			} catch (error) {
				if ((error as { code?: string }).code !== "ENOENT") throw error;
				throw Object.assign(new Error(`Cannot find module '${name}' from '${path}'`), { code: "MODULE_NOT_FOUND" });
			}
		}
		return loaded.get(file);
	};
}

const bundleAt = (path: string): string => (path.endsWith(".js") ? path : `${path}.js`);
