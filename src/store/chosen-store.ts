import { type Env, relativeFolder, storeRoot } from "./paths.ts";
import type { Tell } from "./problems.ts";
import { projectAround } from "./project-store.ts";
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

/** The store, `--store` before the environment's; `null` where neither names one. */
export const findStore = ({ env }: Pick<Place, "env">, given?: string): string | null => given ?? storeRoot(env);

/** The store a command can't do without. `lacking` says what there is not without one. */
export function needStore(io: Pick<Place, "env">, lacking = "so there is no store"): string {
	const root = findStore(io);
	if (!root) throw new Error(`neither CCG_HOME nor HOME is set, ${lacking}; set one of them`);
	return root;
}

/** A store as a command reads and writes it: what its files are like is told to the user. */
export const storeAt = ({ tell }: Pick<Place, "tell">, root: string): Store => ({ root, tell });

/** The store a command works in: none of its folders leads elsewhere. Throws when there is none. */
export function storeOf(io: Pick<Place, "env" | "tell">): Store {
	const root = needStore(io);
	refuseStoreLinks(root);
	return storeAt(io, root);
}

/** Throws where the environment names a store that no command uses, whatever it does. `open`: one that others may write to is used. */
export function refuseStore(io: Pick<Place, "env" | "cwd">, { open = false } = {}): void {
	refuseRelative(io);
	refuseInside(io);
	const root = findStore(io);
	// what lies in a store that others may write to is neither shown nor used
	if (root && !open) refuseOpenStore(root);
}

function refuseRelative({ env }: Pick<Place, "env">): void {
	const name = relativeFolder(env);
	if (name)
		throw new Error(
			`${name} is '${env[name]}', a relative path: every folder would have a store of its own; set ${name} to an absolute path (a ~ in quotes is none)`,
		);
}

/** A repository's settings may name a store in the repository: its files are not the user's. */
function refuseInside({ env, cwd }: Pick<Place, "env" | "cwd">): void {
	const folder = projectAround(env, [env.CLAUDE_PROJECT_DIR, cwd]);
	if (folder)
		throw new Error(
			`CCG_HOME is ${env.CCG_HOME}, inside the project ${folder}: what a repository brings along is not used as a store; set CCG_HOME to a folder outside of it, or unset it`,
		);
}
