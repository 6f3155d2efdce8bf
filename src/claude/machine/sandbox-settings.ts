import { resolve } from "node:path";
import { isWithin, realPath } from "../../files/real-path.ts";
import { claudeRoot, type Env } from "../../store/paths.ts";
import { compactionScopes } from "./compaction-settings.ts";

interface Place {
	env: Env;
	/** Where the session starts. */
	folder: string;
	store: string;
	/** `ccg` as the agent types it. */
	command: string;
	seen?: ReadonlyMap<string, string>;
}

/**
 * Whether Claude Code's sandbox keeps the agent's own commands from writing in the store; hooks run outside of it. Told by the settings:
 * what they let in by folder, by a rule for Edit or by command (measured on 2.1.332).
 */
export function isStoreClosed({ env, folder, store, command, seen }: Place): boolean {
	const scopes = compactionScopes(env, folder, seen).map((scope) => Object(scope));
	const texts = (value: unknown): string[] =>
		Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
	const sandbox = (key: string) => scopes.map((scope) => Object(scope.sandbox)[key]);
	const rules = (key: string) => scopes.flatMap(({ permissions }) => texts(Object(permissions)[key]));
	if (!sandbox("enabled").find((value) => typeof value === "boolean")) return false;
	const places = (key: string, rule: string): string[] => [
		...sandbox("filesystem").flatMap((filesystem) => texts(Object(filesystem)[key])),
		...rules(rule).flatMap((one) => /^Edit\((.+)\)$/.exec(one)?.[1] ?? []),
	];
	const covers = (path: string): boolean =>
		[folder, claudeRoot(env) ?? "/"].some((from) => {
			const named = path.replace(/\/\*\*$/, "").replace(/^~(?=\/|$)/, env.HOME ?? "~");
			return isWithin(realPath(store), realPath(resolve(from, named)));
		});
	const open = [folder, ...places("allowWrite", "allow"), ...rules("additionalDirectories")];
	const outside = sandbox("excludedCommands").flatMap(texts);
	if (outside.some((pattern) => /\*$/.test(pattern) && command.startsWith(pattern.replace(/[: ]?\*$/, ""))))
		return false;
	return !open.some(covers) || places("denyWrite", "deny").some(covers);
}

/** What is wrong there, and what to do. */
export function sandboxAdvice(store: string, { HOME }: Env) {
	const named = HOME && isWithin(store, HOME) ? `~${store.slice(HOME.length)}` : store;
	return {
		detail: `Claude Code's sandbox is on: the agent's own commands can't write in ${store}, so notes and task checkpoints are not saved from there. Hooks work`,
		fix: `put sandbox.filesystem.allowWrite: [${JSON.stringify(named)}] into your settings`,
	};
}
