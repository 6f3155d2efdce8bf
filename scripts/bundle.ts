/** Bundles the entries it is given into the folder named first; called by scripts/build. */
import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";

const ROOT = resolve(import.meta.dir, "..");

/** What a bundle loads later lies as far from it as its source lies from the entry. */
const placesSeenFrom = (folder: string): Bun.BunPlugin => ({
	name: "places seen from the bundle",
	setup(build) {
		build.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
			const place = JSON.stringify(`./${relative(folder, dirname(path))}`);
			return { contents: readFileSync(path, "utf8").replaceAll("import.meta.dirname", place), loader: "ts" };
		});
	},
});

const [outdir, ...entries] = process.argv.slice(2);
// package.json says that no module of ccg does anything by being loaded but its entries: what nobody calls is left out
// one call each: what one entry loads late is wrapped in all entries of a call, and the status line's bundle grows by a fifth
for (const entry of entries) {
	// bytecode spares the parse at each start; it wants CommonJS, so the entries have no top-level await
	const { outputs } = await Bun.build({
		entrypoints: [resolve(ROOT, entry)],
		root: ROOT,
		outdir: resolve(ROOT, outdir!),
		target: "bun",
		format: "cjs",
		bytecode: true,
		minify: { syntax: true, whitespace: true, identifiers: true },
		// the folder a bundle was built in is nobody's business elsewhere
		define: { "import.meta.dir": '"/"' },
		plugins: [placesSeenFrom(dirname(resolve(ROOT, entry)))],
	});
	if (outputs.length !== 2)
		throw new Error(`${relative(ROOT, entry)} became ${outputs.map(({ path }) => path).join(", ")}`);
}
