import { dirname, isAbsolute } from "node:path";
import { bun } from "./bun.ts";
import { loadBundle } from "./bundle.ts";
import { useCompileCache } from "./compile-cache.ts";

/**
 * Runs a bundle that was made for Bun on Node 22.16 or newer: `node dist/node.cjs <absolute path of a bundle> <arguments>`. The bundles
 * are the same ones; what they use of Bun is given to them here.
 */
const [, runner = "", entry = "", ...args] = process.argv;
if (isAbsolute(entry)) {
	process.argv = [process.execPath, entry, ...args];
	useCompileCache(dirname(dirname(runner)));
	Object.assign(globalThis, { Bun: bun(entry) });
	loadBundle(entry);
} else {
	process.stderr.write("ccg: dist/node.cjs is started by bin/ccg\n");
	process.exitCode = 2;
}
