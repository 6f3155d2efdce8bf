import type { WorkBudget } from "./budget.ts";
import { FOLDER, type IndexEntry, type KnownTree, kindOf } from "./index-file.ts";
import type { Objects } from "./objects.ts";

interface Leaf {
	mode: number;
	id: string;
}

const MAX_CHANGES = 5_000;
const MAX_DEPTH = 200;

/**
 * What is staged: the entries compared with the tree of a commit (`null`: before the first one), by path, as `A`, `M`, `D`, `T`.
 * Folders the index knows to be the tree's are passed over, so that little has to be read. `null` when an object that is needed
 * can't be read, or when there is too much to compare.
 */
export function stagedChanges(
	entries: readonly IndexEntry[],
	known: KnownTree | null,
	commit: string | null,
	objects: Objects,
	budget: WorkBudget,
): Map<string, string> | null {
	const tree = commit === null ? null : treeOf(commit, objects);
	if (tree === undefined) return null;
	const changes = new Map<string, string>();
	const staged = entries.filter(({ stage, intended }) => stage === 0 && !intended);
	const conflicts = new Set(entries.filter(({ stage }) => stage !== 0).map(({ path }) => path));
	const tell = (path: string, change: string): void => {
		if (changes.size >= MAX_CHANGES) throw new Error("too many changes");
		if (!conflicts.has(path)) changes.set(path, change);
	};

	/** `from` to `to` are the entries below `prefix`, which ends with a slash or is empty. */
	const compare = (id: string | null, prefix: string, from: number, to: number, cache: KnownTree | undefined): void => {
		if (id !== null && cache?.id === id && from < to) return;
		if (prefix.length > MAX_DEPTH * 20) throw new Error("too deep");
		const before = id === null ? new Map<string, Leaf>() : readTree(id, objects, budget);
		for (let at = from; at < to; ) {
			const { path } = staged[at]!;
			const slash = path.indexOf("/", prefix.length);
			const name = slash < 0 ? path.slice(prefix.length) : path.slice(prefix.length, slash);
			const was = before.get(name);
			before.delete(name);
			if (slash < 0) {
				const { mode, id: now } = staged[at]!;
				if (was && isTree(was)) removed(was, `${prefix}${name}/`);
				if (!was || isTree(was)) tell(path, "A");
				else if (kindOf(was.mode) !== kindOf(mode)) tell(path, "T");
				else if (was.id !== now || was.mode !== mode) tell(path, "M");
				at++;
				continue;
			}
			const inner = path.slice(0, slash + 1);
			let end = at + 1;
			while (end < to && staged[end]!.path.startsWith(inner)) end++;
			if (was && !isTree(was)) tell(`${prefix}${name}`, "D");
			const only = staged[at]!;
			// a folder the sparse checkout leaves out is one entry
			if (kindOf(only.mode) === FOLDER && only.path === inner) {
				if (was?.id !== only.id) tell(inner, "M");
			} else compare(was && isTree(was) ? was.id : null, inner, at, end, cache?.children.get(name));
			at = end;
		}
		for (const [name, was] of before) {
			if (isTree(was)) removed(was, `${prefix}${name}/`);
			else tell(`${prefix}${name}`, "D");
		}
	};
	const removed = ({ id }: Leaf, prefix: string): void => {
		if (prefix.length > MAX_DEPTH * 20) throw new Error("too deep");
		for (const [name, was] of readTree(id, objects, budget)) {
			if (isTree(was)) removed(was, `${prefix}${name}/`);
			else tell(`${prefix}${name}`, "D");
		}
	};
	try {
		compare(tree, "", 0, staged.length, known ?? undefined);
		return changes;
	} catch {
		return null;
	}
}

const isTree = ({ mode }: Leaf): boolean => kindOf(mode) === FOLDER;

/** `undefined` when it can't be read. */
function treeOf(commit: string, objects: Objects): string | undefined {
	const object = objects.read(commit);
	if (object?.type !== "commit") return undefined;
	return /^tree ([0-9a-f]{40,64})\n/.exec(object.bytes.toString("latin1", 0, 80))?.[1];
}

function readTree(id: string, objects: Objects, budget: WorkBudget): Map<string, Leaf> {
	if (!budget.look()) throw new Error("no time left");
	const leaves = new Map<string, Leaf>();
	if (id === EMPTY_TREE) return leaves;
	const object = objects.read(id);
	if (object?.type !== "tree") throw new Error(`tree ${id} can't be read`);
	const { bytes } = object;
	const hashBytes = id.length / 2;
	for (let at = 0; at < bytes.length; ) {
		const space = bytes.indexOf(32, at);
		const nul = bytes.indexOf(0, space);
		if (space < 0 || nul < 0) throw new Error("a damaged tree");
		const mode = Number.parseInt(bytes.toString("latin1", at, space), 8);
		at = nul + 1 + hashBytes;
		leaves.set(bytes.toString("utf8", space + 1, nul), { mode, id: bytes.toString("hex", nul + 1, at) });
	}
	return leaves;
}

/** Known to git without being stored. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
