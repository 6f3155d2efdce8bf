import { type Exact, exact } from "../core/redact/secrets.ts";
import { type Env, sessionPaths } from "./paths.ts";

/** A store that a hook or a command works in: its folder, and who is told of problems with its files. */
export interface Store {
	root: string;
	onProblem: OnProblem;
}

/** A session of a store, known or not, with the paths of its files. */
export interface Session extends Store {
	id: Exact;
	paths: ReturnType<typeof sessionPaths>;
}

/** Names a session of a store; reads nothing. `id` must have passed `isSessionId`. */
export function sessionHandle({ root, onProblem }: Store, id: string): Session {
	return { root, onProblem, id: exact(id), paths: sessionPaths(root, id) };
}

/** Where a command or the MCP server was started. */
export interface CommandContext {
	env: Env;
	cwd: string;
	onProblem: OnProblem;
}

/** Is told of a problem with a file of the store after which work goes on. Never throws. */
export type OnProblem = (problem: string) => void;

/** Gives an `OnProblem` that passes each problem to `listener` once: several readers of one run meet the same file. */
export function reportOnce(listener: OnProblem): OnProblem {
	const reported = new Set<string>();
	return (problem) => {
		if (reported.has(problem)) return;
		// before `listener` runs: it may meet the same problem again
		reported.add(problem);
		listener(problem);
	};
}
