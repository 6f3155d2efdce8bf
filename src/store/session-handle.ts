import { sessionPaths } from "./paths.ts";

/** A session of a store: where its files are. Costs nothing; that there are any is not said. */
export interface Session {
	root: string;
	id: string;
	paths: ReturnType<typeof sessionPaths>;
}

/** `id` must have passed `isSessionId`. */
export const sessionAt = (root: string, id: string): Session => ({ root, id, paths: sessionPaths(root, id) });

/** A session's files outside of its folder; each may stand without the others. */
export const markersOf = ({ paths }: Session): string[] => [
	paths.marker,
	paths.giveMarker,
	paths.haltMarker,
	paths.statusLineSeen,
	paths.project,
];
