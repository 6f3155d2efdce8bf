import { type Exact, exact } from "../core/redact/secrets.ts";
import { type Env, sessionPaths } from "./paths.ts";

/** A store that a hook or a command works in: its root, and where to tell what its files are like. */
export interface Store {
	root: string;
	tell: Tell;
}

/** A session of a store, with the paths of its files, which may be missing. Making one costs nothing. */
export interface Session extends Store {
	id: Exact;
	paths: ReturnType<typeof sessionPaths>;
}

/** `id` must have passed `isSessionId`. */
export const sessionAt = ({ root, tell }: Store, id: string): Session => ({
	root,
	tell,
	id: exact(id),
	paths: sessionPaths(root, id),
});

/** Where a command or the MCP server was started. */
export interface Place {
	env: Env;
	/** Absolute. */
	cwd: string;
	/** Where to tell what files of the store are like. */
	tell: Tell;
}

/** Where a store's readers and writers tell what they met and went on from. Never throws. */
export type Tell = (problem: string) => void;

/** A `Tell` that tells `listener` each thing once: several readers of one run meet the same file. */
export function tellOnce(listener: Tell): Tell {
	const told = new Set<string>();
	return (problem) => {
		// noted before `listener` runs: it may meet the same problem again
		if (told.size < told.add(problem).size) listener(problem);
	};
}
