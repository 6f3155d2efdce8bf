import { join } from "node:path";
import { entriesOf } from "../../files/names-in.ts";
import { linkText, quietLstat } from "../../files/quietly.ts";
import { appFolder, currentLink } from "../app-folder.ts";

/** What lies in a store but for copies of ccg and the given folders, 20,000 things at most. Of a link itself; none is followed. */
export function* storeFiles(
	root: string,
	without: ReadonlySet<string> = new Set(),
): Generator<{ path: string; name: string; isLink: boolean }> {
	let left = 20_000;
	const folders = [root];
	for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
		for (const entry of entriesOf(folder)) {
			const { name } = entry;
			const path = join(folder, name);
			if (left-- <= 0) return;
			if (without.has(path) || path === appFolder(root)) continue;
			yield { path, name, isLink: entry.isSymbolicLink() };
			if (entry.isDirectory()) folders.push(path);
		}
}

/** One that lies elsewhere is its owner's wish, as are notes; the short command is a link. */
const OWNERS = ["config.json", "MEMORY.md", "ccg", "projects", "profiles"];

/** What is wrong with the files of a store, for `ccg doctor`: what readers set aside, and links where ccg has files of its own. */
export function faultyFiles(root: string): { damaged: string[]; links: string[] } {
	const found = [...storeFiles(root, new Set(OWNERS.map((name) => join(root, name))))];
	const paths = (of: typeof found): string[] => of.map(({ path }) => path).sort();
	return {
		damaged: paths(found.filter(({ name, isLink }) => !isLink && name.includes(".damaged-"))),
		links: paths(found.filter(({ isLink }) => isLink)),
	};
}

/** A session that runs may have started an MCP server from it. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** Copies of ccg that are not at work any more, and what is left of unfinished ones. Without a copy at work there are none. */
export function oldCopies(root: string, now: Date): string[] {
	const app = appFolder(root);
	const current = linkText(currentLink(app));
	if (!current) return [];
	return entriesOf(app)
		.filter(({ name }) => name !== "current" && name !== current)
		.map(({ name }) => join(app, name))
		.filter((path) => now.getTime() - (quietLstat(path)?.mtimeMs ?? now.getTime()) > KEPT_MS);
}
