import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const PLAIN = "// @bun @bun-cjs\n";
const OPEN = "(function(exports, require, module, __filename, __dirname) {";
const CLOSE = "})";

/**
 * Gives the bundles of a folder that have none their bytecode, for the Bun that runs this: it spares the parse at each start. Each bundle
 * is written anew, since Bun checks that both belong together. About four seconds of work for all of ccg.
 */
export async function addBytecode(folder: string): Promise<void> {
	const bundles = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
	for (const bundle of bundles.filter((name) => name.endsWith(".js"))) {
		const text = readFileSync(bundle, "utf8");
		if (!text.startsWith(PLAIN + OPEN)) continue;
		// Bun wraps it again
		const body = text.slice(PLAIN.length + OPEN.length, text.lastIndexOf(CLOSE));
		const { outputs } = await Bun.build({
			entrypoints: [bundle],
			root: folder,
			outdir: folder,
			target: "bun",
			format: "cjs",
			bytecode: true,
			external: ["*"],
			minify: { whitespace: true },
			plugins: [{ name: "body", setup: (build) => void build.onLoad({ filter: /\.js$/ }, () => ({ contents: body })) }],
		});
		if (outputs.length !== 2) throw new Error(`${relative(folder, bundle)} became ${outputs.length} files`);
	}
}
