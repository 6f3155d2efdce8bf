import { type Env, sessionPaths } from "./paths.ts";
import type { Tell } from "./problems.ts";

/** A store that a hook or a command works in: its root, and where to tell what its files are like. */
export interface Store {
	root: string;
	tell: Tell;
}

/** A session of a store: where its files are. Costs nothing; that there are any is not said. */
export interface Session extends Store {
	id: string;
	paths: ReturnType<typeof sessionPaths>;
}

/** `id` must have passed `isSessionId`. */
export const sessionAt = ({ root, tell }: Store, id: string): Session => ({
	root,
	tell,
	id,
	paths: sessionPaths(root, id),
});

/** A session's files outside of its folder; each may stand without the others. */
export const markersOf = ({ paths }: Session): string[] => [
	paths.marker,
	paths.followUpMarker,
	paths.haltMarker,
	paths.statusLineSeen,
	paths.project,
];

/** Where a command or the MCP server was started. */
export interface Place {
	env: Env;
	/** Absolute. */
	cwd: string;
	/** Where to tell what files of the store are like. */
	tell: Tell;
}
