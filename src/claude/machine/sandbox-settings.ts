import { resolve } from "node:path";
import { isWithin, realPath } from "../../files/real-path.ts";
import { claudeRoot, type Env } from "../../store/paths.ts";
import { compactionScopes } from "./compaction-settings.ts";

/**
 * Whether Claude Code's sandbox keeps the agent's own commands from writing in the store; hooks run outside of it. By what the settings
 * let in: folders, rules for Edit, and `command`, ccg as the agent types it (measured on 2.1.332). `folder`: where the session starts.
 */
export function isStoreClosed(store: string, command: string, folder: string, env: Env) {
	const scopes = compactionScopes(env, folder).map((scope) => Object(scope));
	const [boxes, rules] = [
		scopes.map(({ sandbox }) => Object(sandbox)),
		scopes.map((scope) => Object(scope.permissions)),
	];
	if (!boxes.map(({ enabled }) => enabled).find((value) => typeof value === "boolean")) return false;
	const texts = (values: unknown[]): string[] => values.flat().filter((one) => typeof one === "string");
	const files = (key: string) => texts(boxes.map(({ filesystem }) => Object(filesystem)[key]));
	const edits = (key: string) =>
		texts(rules.map((rule) => rule[key])).flatMap((one) => /^Edit\((.+)\)$/.exec(one)?.[1] ?? []);
	const covers = (path: string): boolean =>
		[folder, claudeRoot(env) ?? "/"].some((from) => {
			const named = path.replace(/\/\*\*$/, "").replace(/^~(?=\/|$)/, env.HOME ?? "~");
			return isWithin(realPath(store), realPath(resolve(from, named)));
		});
	const open = [
		folder,
		...files("allowWrite"),
		...edits("allow"),
		...texts(rules.map((rule) => rule.additionalDirectories)),
	];
	const outside = texts(boxes.map(({ excludedCommands }) => excludedCommands));
	if (outside.some((one) => /\*$/.test(one) && command.startsWith(one.replace(/[: ]?\*$/, "")))) return false;
	return !open.some(covers) || [...files("denyWrite"), ...edits("deny")].some(covers);
}

/** What is wrong there, and what to do. Denied is what hooks run: they run outside of the sandbox. */
export function sandboxAdvice(store: string, { HOME }: Env) {
	const named = HOME && isWithin(store, HOME) ? `~${store.slice(HOME.length)}` : store;
	const filesystem = { allowWrite: [named], denyWrite: [`${named}/app`, `${named}/ccg`] };
	return {
		detail: `Claude Code's sandbox is on: the agent's own commands can't write in ${store}, so notes and task checkpoints are not saved from there. Hooks work`,
		fix: `put sandbox.filesystem: ${JSON.stringify(filesystem)} into your settings`,
	};
}
