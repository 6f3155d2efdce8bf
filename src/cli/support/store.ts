import { relativeFolder, storeRoot } from "../../store/paths.ts";
import { projectAround } from "../../store/project-store.ts";
import { refuseStoreLinks } from "../../store/refuse-links.ts";
import { refuseOpenStore } from "../../store/store-owner.ts";
import type { Io } from "./io.ts";

type Place = Pick<Io, "env" | "cwd">;

/** The store, `--store` before the environment's; `null` where neither names one. */
export const findStore = ({ env }: Pick<Io, "env">, given?: string): string | null => given ?? storeRoot(env);

/** The store a command can't do without. `lacking` says what there is not without one. */
export function needStore(io: Pick<Io, "env">, lacking = "so there is no store"): string {
	const root = findStore(io);
	if (!root) throw new Error(`neither CCG_HOME nor HOME is set, ${lacking}; set one of them`);
	return root;
}

/** The store a command works in: none of its folders leads elsewhere. Throws when there is none. */
export function storeOf(io: Pick<Io, "env">): string {
	const root = needStore(io);
	refuseStoreLinks(root);
	return root;
}

/** Throws where the environment names a store that no command uses, whatever it does. `open`: one that others may write to is used. */
export function refuseStore(io: Place, { open = false } = {}): void {
	refuseRelative(io);
	refuseInside(io);
	const root = findStore(io);
	// what lies in a store that others may write to is neither shown nor used
	if (root && !open) refuseOpenStore(root);
}

function refuseRelative({ env }: Place): void {
	const name = relativeFolder(env);
	if (name)
		throw new Error(
			`${name} is '${env[name]}', a relative path: every folder would have a store of its own; set ${name} to an absolute path (a ~ in quotes is none)`,
		);
}

/** A repository's settings may name a store in the repository: its files are not the user's. */
function refuseInside({ env, cwd }: Place): void {
	const folder = projectAround(env, [env.CLAUDE_PROJECT_DIR, cwd]);
	if (folder)
		throw new Error(
			`CCG_HOME is ${env.CCG_HOME}, inside the project ${folder}: what a repository brings along is not used as a store; set CCG_HOME to a folder outside of it, or unset it`,
		);
}
