/** What the store keeps to know a project again: where it is and was; inode and birth of that folder, which go with it where it is moved; remotes. */
export type KnownProject = Record<"key" | "root" | "made", string> & Record<"was" | "remotes", string[]>;

/** Of more those that were begun longest ago are new when they are begun again. */
const MOST = 1_000;
const MOST_PLACES = 20;

/** The list with a project in the place of the one of its key, and of `instead`. */
export const withProject = (known: readonly KnownProject[], one: KnownProject, instead?: string): KnownProject[] =>
	[...known.filter(({ key }) => key !== one.key && key !== instead), one].slice(-MOST);

/**
 * The project that the folder of a path is by inode and birth (`made`), else the one last seen there; of a folder that is gone, with
 * `undefined`, also one that was.
 */
export const projectAt = (
	known: readonly KnownProject[],
	root: string,
	made: string | undefined,
): KnownProject | undefined =>
	known.findLast((one) => made && one.made === made) ??
	known.findLast((one) => one.root === root) ??
	known.findLast(({ was }) => made === undefined && was.includes(root));

/** A key for a new project, by its folder's name and the hash of its path: that may be one of a project which was moved away. */
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

/** A project where it is now. */
export const placeAt = (one: KnownProject, root: string, made: string): KnownProject =>
	one.root === root ? { ...one, made } : { ...one, root, made, was: [...one.was, one.root].slice(-MOST_PLACES) };
