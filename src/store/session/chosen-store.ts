import { existsSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../files/names-in.ts";
import { foldersUp, realPath } from "../../files/real-path.ts";
import { claudeName, claudeRoot, type Env, isInSession, isSessionId, relativeFolder, storeRoot } from "../paths.ts";
import { whyRefused } from "../project-store.ts";
import { refuseOpenStore, refuseStoreLinks } from "../refuse-links.ts";
import type { Place, Store } from "../session-handle.ts";
import { recordedFolder } from "./place.ts";

/** The store a command works in: none of its folders leads elsewhere. Throws when there is none. */
export function storeOf(io: Pick<Place, "env" | "tell">): Store {
	const root = storeRoot(io.env);
	if (!root) throw new Error("neither CCG_HOME nor HOME is set, so there is no store; set one of them");
	refuseStoreLinks(root);
	return { root, tell: io.tell };
}

/** Throws where the environment names a store that no command uses, whatever it does. `open`: one that others may write to is used. */
export function refuseStore(place: Place, { open = false } = {}): void {
	const { env, cwd } = place;
	const name = relativeFolder(env);
	if (name)
		throw new Error(
			`${name} is '${env[name]}', a relative path: every folder would have a store of its own; set ${name} to an absolute path (a ~ in quotes is none)`,
		);
	const why = whyRefused(env, [env.CLAUDE_PROJECT_DIR, cwd]) ?? whyRefused(env, sessionFolders(place, "CCG_HOME"));
	if (why) throw new Error(why);
	const root = storeRoot(env);
	// what lies in a store that others may write to is neither shown nor used
	if (root && !open) refuseOpenStore(root);
}

/**
 * The folders whose settings may have set a variable in the session of a command: the agent's shell may be anywhere, so the one it began
 * in is asked of what its hooks kept. Throws where that says nothing of the store that is named, and the shell stands elsewhere.
 */
export function sessionFolders({ env, cwd, tell }: Place, name: "CCG_HOME" | "CCG_TASK_ROOT"): (string | undefined)[] {
	const folders = [env.CLAUDE_PROJECT_DIR, cwd];
	const recorded = recordedFolder({ env, tell });
	if (recorded) return [...folders, recorded];
	if (!env[name] || !isInSession(env)) return folders;
	// hooks keep nothing in a store that a repository names
	const isElsewhere = recordedFolder({ env, tell }, storeRoot({ HOME: env.HOME })) !== null;
	if (isElsewhere || !mayHaveBegun(env, cwd))
		throw new Error(
			`${name} is ${env[name]}, and no hook of this session has kept anything in the store ${storeRoot(env)}: a repository may have set it; unset it, or run this in the folder where the session began`,
		);
	return folders;
}

/** Whether the session began in a folder or above it, as Claude Code names the folder of its transcript; also where nothing tells. */
function mayHaveBegun(env: Env, cwd: string): boolean {
	const sid = env.CLAUDE_CODE_SESSION_ID;
	const projects = join(claudeRoot(env) ?? "/", "projects");
	const began = isSessionId(sid)
		? namesIn(projects).filter((name) => existsSync(join(projects, name, `${sid}.jsonl`)))
		: [];
	const around = [...foldersUp(realPath(cwd)), ...foldersUp(cwd)].map(claudeName);
	// (of a long path it keeps the beginning)
	return (
		began.length === 0 ||
		began.some((name) => around.some((at) => at === name || (at.length > 200 && name.startsWith(at.slice(0, 200)))))
	);
}
