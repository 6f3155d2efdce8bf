import { resolve } from "node:path";
import { isWithin, realPath } from "../../files/real-path.ts";
import { claudeRoot, type Env } from "../../store/paths.ts";
import { readSettings } from "./compaction-settings.ts";

/**
 * Whether Claude Code's sandbox keeps the agent's own commands from writing in the store: it is on, and neither the session's `folder`, nor a
 * folder that the settings open, nor a rule for Edit covers the store (measured on 2.1.332). Hooks run outside of the sandbox.
 */
export function isStoreClosed(store: string, folder: string, env: Env): boolean {
	const files = readSettings(env, folder).map((settings) => Object(settings));
	const sandboxes = files.map(({ sandbox }) => Object(sandbox));
	const isSandboxOn = sandboxes.map(({ enabled }) => enabled).find((value) => typeof value === "boolean");
	if (!isSandboxOn) return false;
	const writable = [
		...sandboxes.flatMap(({ filesystem }) => Object(filesystem).allowWrite),
		...files.flatMap(({ permissions }) => Object(permissions).additionalDirectories),
		...files.flatMap(({ permissions }) => Object(permissions).allow),
	].filter((rule) => typeof rule === "string");
	return ![folder, ...writable].some((rule) => {
		const typedPath = rule.replace(/^Edit\((.+)\)$/, "$1").replace(/\/\*\*$/, "");
		const path = typedPath.replace(/^~(?=\/|$)/, env.HOME ?? "~");
		return [folder, claudeRoot(env) ?? "/"].some((from) => isWithin(realPath(store), realPath(resolve(from, path))));
	});
}

/** Says that the store is closed, and which setting opens it. The programs in it stay closed: hooks run them outside of the sandbox. */
export function sandboxAdvice(store: string, { HOME }: Env) {
	const shortPath = HOME && isWithin(store, HOME) ? `~${store.slice(HOME.length)}` : store;
	const filesystem = { allowWrite: [shortPath], denyWrite: [`${shortPath}/app`, `${shortPath}/ccg`] };
	return {
		detail: `Claude Code's sandbox is on: the agent's own commands can't write in ${store}, so notes and task checkpoints are not saved from there. Hooks work`,
		fix: `put sandbox.filesystem: ${JSON.stringify(filesystem)} into your settings`,
	};
}
