import { countWithNoun } from "../../core/text/text.ts";
import type { CopyPlan } from "../../install/copy-plan.ts";
import { parseEntries } from "../../install/entries.ts";
import { copyName } from "../../install/own-copy.ts";
import { hasChanges, type InstallPlan, type InstallRequest } from "../../install/plan.ts";
import { requestedCatalog } from "../../install/settings-plan.ts";

/** Gives the command that undoes an install. */
const uninstallCommand = ({ scope }: InstallRequest): string =>
	`ccg uninstall${scope === "user" ? "" : ` --scope ${scope}`}`;

/** Lists the hook events that an install registers, with commas. */
const hookEventList = (request: InstallRequest): string =>
	[...new Set(requestedCatalog(request).hooks.map(({ event }) => event))].join(", ");

/** Says what a plan will do, for people who do not read diffs; empty where it changes nothing. */
export function summarizePlan(plan: InstallPlan, request: InstallRequest): string[] {
	const { kind, path, target } = plan;
	if (!hasChanges(plan)) return [];
	return kind === "install"
		? INSTALL_SUMMARIES[target](plan, request)
		: [`This takes ccg out of ${path}. What it has saved stays.`];
}

/** What an install does to each target. */
const INSTALL_SUMMARIES: Record<InstallPlan["target"], typeof summarizePlan> = {
	settings({ path, changes }, request) {
		const before = changes[0]?.before;
		if (request.statusLineOnly)
			return [
				`In ${path} this registers ccg's status line: how far it is to the next compaction. Nothing else changes.`,
				"It can be undone: `ccg uninstall --status-line` takes it out again.",
			];
		return [
			`In ${path} this ${before && parseEntries(before).length > 0 ? "renews" : "registers"} ccg:`,
			`  hooks (${hookEventList(request)}): they save the session's state before a compaction and inject what the summary left out`,
			"  a status line: how far it is to the next compaction",
			...(request.allow ? ["  permissions: the agent may run `ccg recall` and `ccg memory save` without asking"] : []),
			`Everything else in the file stays as it is. It can be undone: \`${uninstallCommand(request)}\` takes it out again.`,
		];
	},
	mcp: ({ path }, request) => [
		`In ${path}, Claude Code's own file, its own command registers an MCP server:`,
		"  ccg: recall, read_passage, save_memory and list_memories as tools",
		`\`${uninstallCommand(request)}\` takes it out again.`,
	],
	skills: ({ path }) => [
		`In ${path} this writes slash commands (/ccg:checkpoint, /ccg:restore, ...) and the agent context-guardian, as files. ` +
			"Those you type grant their own `ccg` command while they run.",
		"`ccg uninstall` deletes them again, but not those you have edited.",
	],
};

/** Says which version of ccg is copied, where to, and which copy it replaces. */
export function copySummary({ from, app, before }: CopyPlan): string[] {
	const replaced = before ? `, in place of ${before.manifest.ccg} (${before.folder})` : "";
	return [
		`ccg ${from.version} is copied to ${app}/${copyName(from)}${replaced}.`,
		"What is registered starts from there, whatever becomes of the folder it came from.",
	];
}

/** Says what a plan has done, once it is applied. */
export function resultText(plan: InstallPlan, request: InstallRequest): string[] {
	const { path, kind, target, changes } = plan;
	if (kind === "uninstall") return [`Removed from ${path}. What ccg saved stays where it is.`];
	if (target === "skills")
		return [`Wrote ${countWithNoun(changes.length, "file")} in ${path}. New sessions know them.`];
	if (target === "mcp") return [`Registered the MCP server ccg in ${path}. New sessions start it.`];
	if (request.statusLineOnly) return [`Registered in ${path}: the status line. Running sessions show it at once.`];
	const backup = plan.backup?.();
	return [
		`Registered in ${path}: ${hookEventList(request)}, status line.`,
		backup
			? `The file as it was before: ${backup}`
			: `There was no such file before; \`${uninstallCommand(request)}\` deletes it.`,
		"Running sessions pick it up at once. `ccg doctor` checks that it works.",
	];
}
