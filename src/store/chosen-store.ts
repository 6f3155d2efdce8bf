import { type Env, relativeFolder, storeRoot } from "./paths.ts";
import type { Tell } from "./problems.ts";
import { whyRefused } from "./project-store.ts";
import { refuseStoreLinks } from "./refuse-links.ts";
import type { Store } from "./session-handle.ts";
import { refuseOpenStore } from "./store-owner.ts";

/** Where a command or the MCP server was started. */
export interface Place {
	env: Env;
	/** Absolute. */
	cwd: string;
	/** Where to tell what files of the store are like. */
	tell: Tell;
}

/** A store as a command reads and writes it: what its files are like is told to the user. */
export const storeAt = ({ tell }: Pick<Place, "tell">, root: string): Store => ({ root, tell });

/** The store a command works in: none of its folders leads elsewhere. Throws when there is none. */
export function storeOf(io: Pick<Place, "env" | "tell">): Store {
	const root = storeRoot(io.env);
	if (!root) throw new Error("neither CCG_HOME nor HOME is set, so there is no store; set one of them");
	refuseStoreLinks(root);
	return storeAt(io, root);
}

/** Throws where the environment names a store that no command uses, whatever it does. `open`: one that others may write to is used. */
export function refuseStore({ env, cwd }: Pick<Place, "env" | "cwd">, { open = false } = {}): void {
	const name = relativeFolder(env);
	if (name)
		throw new Error(
			`${name} is '${env[name]}', a relative path: every folder would have a store of its own; set ${name} to an absolute path (a ~ in quotes is none)`,
		);
	const why = whyRefused(env, [env.CLAUDE_PROJECT_DIR, cwd]);
	if (why) throw new Error(why);
	const root = storeRoot(env);
	// what lies in a store that others may write to is neither shown nor used
	if (root && !open) refuseOpenStore(root);
}
