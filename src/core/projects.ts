/** Facts by which the store knows a project again: `root` and earlier roots (`was`); inode and birth of the folder (`made`); remotes. */
export type KnownProject = Record<"key" | "root" | "made", string> & Record<"was" | "remotes", string[]>;

/** Only so many projects are known: the oldest is forgotten, and counts as new when it is seen again. */
const MAX_PROJECTS = 1_000;
const MAX_EARLIER_ROOTS = 20;

/** The list with `project` at its end, without its old entry and, where it replaces another project, without that key's. */
export const withProject = (known: readonly KnownProject[], project: KnownProject, oldKey?: string): KnownProject[] =>
	[...known.filter(({ key }) => key !== project.key && key !== oldKey), project].slice(-MAX_PROJECTS);

/**
 * Finds the project of a folder: by inode and birth (`made`), else the one last seen at this path. `made` is `undefined` where the folder is
 * gone: then also a project that was at this path earlier.
 */
export const projectAt = (
	known: readonly KnownProject[],
	root: string,
	made: string | undefined,
): KnownProject | undefined =>
	known.findLast((one) => made && one.made === made) ??
	known.findLast((one) => one.root === root) ??
	known.findLast(({ was }) => made === undefined && was.includes(root));

/** A key for a new project: its folder's name, the hash of its path, and a number where a project that was moved away has that key. */
export function freeKey(known: readonly KnownProject[], root: string, hash: string): string {
	const name = root
		.slice(root.lastIndexOf("/") + 1)
		.replace(/[^A-Za-z0-9._-]+/g, "-")
		.replace(/^-+/, "")
		.slice(0, 40);
	const first = `${name || "project"}-${hash.slice(0, 8)}`;
	let key = first;
	for (let n = 2; known.some((one) => one.key === key); n++) key = `${first}-${n}`;
	return key;
}

/** The project in the folder `root`, whose inode and birth are `made`; the folder it had before joins its earlier ones (`was`). */
export const withRoot = (one: KnownProject, root: string, made: string): KnownProject =>
	one.root === root ? { ...one, made } : { ...one, root, made, was: [...one.was, one.root].slice(-MAX_EARLIER_ROOTS) };
