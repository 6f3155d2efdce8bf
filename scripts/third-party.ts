import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
/** Licences of packages that others bring along inside of them, without their text. */
const BESIDE = join(import.meta.dirname, "licences");

/** A package whose code is in a bundle of `dist/`. */
interface Bundled {
	name: string;
	version: string;
	text: string;
}

/** The licences of all packages in the bundles of `dist/`, each text once: they ask that it goes along with a copy. */
export async function notices(): Promise<string> {
	const byText = new Map<string, string[]>();
	for (const { name, version, text } of await bundledPackages())
		byText.set(text, [...(byText.get(text) ?? []), `${name} ${version}`]);
	const parts = [...byText].map(([text, names]) => `${LINE}\n${names.join(", ")}\n${LINE}\n\n${text}\n`);
	return `ccg is bundled with code of the packages below (npx bun scripts/write-notices.ts writes this file).\n\n${parts.join("\n")}`;
}

const LINE = "-".repeat(78);

async function bundledPackages(): Promise<Bundled[]> {
	const { metafile } = await Bun.build({ entrypoints: entries(), root: ROOT, target: "bun", metafile: true });
	const found = new Map<string, Bundled>();
	for (const path of Object.keys(metafile!.inputs)) {
		const [, folder, name] = /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(path) ?? [];
		if (!folder || !name) continue;
		const own = join(ROOT, folder);
		const { version } = JSON.parse(readFileSync(join(own, "package.json"), "utf8"));
		found.set(`${name} ${version}`, { name, version, text: licenceIn(own) });
		// bundled into that file before it came here; its bundler names each
		for (const [, inner, innerVersion] of readFileSync(join(ROOT, path), "utf8").matchAll(REGION))
			found.set(`${inner} ${innerVersion}`, {
				name: `${inner} (in ${name})`,
				version: innerVersion!,
				text: readFileSync(join(BESIDE, `${inner!.replace("/", "+")}.txt`), "utf8").trim(),
			});
	}
	// two versions of one package stand in the order of the versions, in whichever order they were found
	const keyOf = ({ name, version }: Bundled): string => `${name} ${version}`;
	return [...found.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const REGION = /^\/\/#region (?:\.\.\/)*node_modules\/\.pnpm\/((?:@[^+/]+\+)?[^@/]+)@([\d.]+)/gm;

function licenceIn(folder: string): string {
	const name = readdirSync(folder).find((one) => /^licen[cs]e(?:\.\w+)?$/i.test(one));
	const readme = join(folder, "README.md");
	const [, section] =
		/^#+ licen[cs]e\n(.+)/ims.exec(!name && existsSync(readme) ? readFileSync(readme, "utf8") : "") ?? [];
	if (section) return section.replaceAll("\r", "").trim();
	if (!name) throw new Error(`${folder} has no licence file: its text goes into scripts/licences`);
	return readFileSync(join(folder, name), "utf8").replaceAll("\r", "").trim();
}

/** The sources of the bundles that there are. */
function entries(): string[] {
	const names = readdirSync(join(ROOT, "dist"), { recursive: true, encoding: "utf8" });
	const sources = names.filter((name) => name.endsWith(".js")).map((name) => join(ROOT, name.replace(/js$/, "ts")));
	return sources.filter((path) => existsSync(path)).sort();
}
