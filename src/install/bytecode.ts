import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "../store/atomic-write.ts";

/** A bundle is a function of what Node gives a module; this stands around its code (scripts/bundle.ts makes them). */
const BEFORE = "(function(exports, require, module, __filename, __dirname) {";
const AFTER = "})";

/**
 * Makes bytecode of bundles, with the Bun that runs this: it fits that version alone, so no package can bring it. It spares
 * the parse at each start, half of a hook's time. Throws where a bundle is of another form.
 */
export async function compileBundles(
	bundles: readonly string[],
	from: string,
	to: string,
	onProgress?: (done: number) => void,
): Promise<void> {
	for (const [done, name] of bundles.entries()) {
		onProgress?.(done);
		const path = join(from, name);
		unwrapped(path);
		makeFolder(dirname(join(to, name)));
		const { outputs } = await Bun.build({
			entrypoints: [path],
			outdir: dirname(join(to, name)),
			target: "bun",
			format: "cjs",
			bytecode: true,
			minify: { syntax: true, whitespace: true },
			plugins: [{ name: "bundle", setup }],
		});
		if (outputs.length !== 2) throw new Error(`${path} gave ${outputs.length} files instead of two`);
	}
}

const setup = (build: Bun.PluginBuilder): void => {
	build.onLoad({ filter: /\.js$/ }, ({ path }) => unwrapped(path));
};

function unwrapped(path: string): { contents: string; loader: "js" } {
	const text = readFileSync(path, "utf8");
	const start = text.indexOf(BEFORE);
	const end = text.lastIndexOf(AFTER);
	if (start < 0 || end < start) throw new Error(`${path} is no bundle of ccg`);
	return { contents: text.slice(start + BEFORE.length, end), loader: "js" };
}
