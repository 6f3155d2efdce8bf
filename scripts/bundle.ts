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

/** Commander takes no more of two modules of Bun's than this, and they take 4 ms of each command's start. */
const LIGHT: Record<string, string> = {
	"require('node:events').EventEmitter": `class {
		heard = {};
		on(name, act) { (this.heard[name] ??= []).push(act); return this; }
		emit(name, ...given) { for (const act of this.heard[name] ?? []) act.apply(this, given); return name in this.heard; }
		listenerCount(name) { return this.heard[name]?.length ?? 0; }
	}`,
	"require('node:child_process')": "{ spawn() { throw new Error('no command of ccg is a program of its own'); } }",
};

const lightCommander: Bun.BunPlugin = {
	name: "commander without what it does not use",
	setup(build) {
		build.onLoad({ filter: /[/\\]commander[/\\]lib[/\\]command\.js$/ }, ({ path }) => {
			let contents = readFileSync(path, "utf8");
			for (const [from, to] of Object.entries(LIGHT)) {
				if (!contents.includes(from)) throw new Error(`${path} does not hold: ${from}`);
				contents = contents.replace(from, to);
			}
			return { contents, loader: "js" };
		});
	},
};

/** The command line with the code of one command alone. */
const onlyCommand = (name: string): Bun.BunPlugin => ({
	name: `only ${name}`,
	setup(build) {
		build.onResolve({ filter: /^\.\/commands\// }, ({ path, importer }) =>
			importer.endsWith("/all-commands.ts") && path !== `./commands/${name}.ts`
				? { path, namespace: "absent" }
				: undefined,
		);
		build.onLoad({ filter: /./, namespace: "absent" }, () => ({ contents: "export {}", loader: "js" }));
	},
});

const [outdir, ...entries] = process.argv.slice(2);
// package.json says that no module of ccg does anything by being loaded but its entries: what nobody calls is left out
// one call each: what one entry loads late is wrapped in all entries of a call, and the status line's bundle grows by a fifth
for (const given of entries) {
	// `src/cli/main.ts=recall`: as `recall.js` beside it, for that command
	const [entry, command] = given.split("=") as [string, string?];
	// bytecode spares the parse at each start; it wants CommonJS, so the entries have no top-level await
	const { outputs } = await Bun.build({
		entrypoints: [resolve(ROOT, entry)],
		root: ROOT,
		outdir: resolve(ROOT, outdir!),
		naming: `[dir]/${command ?? "[name]"}.[ext]`,
		target: "bun",
		format: "cjs",
		bytecode: true,
		minify: { syntax: true, whitespace: true, identifiers: true },
		// the folder a bundle was built in is nobody's business elsewhere
		define: { "import.meta.dir": '"/"' },
		plugins: [
			placesSeenFrom(dirname(resolve(ROOT, entry))),
			lightCommander,
			...(command ? [onlyCommand(command)] : []),
		],
	});
	if (outputs.length !== 2) throw new Error(`${given} became ${outputs.map(({ path }) => path).join(", ")}`);
}
