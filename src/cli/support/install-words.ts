import { counted } from "../../core/text/text.ts";
import { whyOf } from "../../files/system-failure.ts";
import type { CopyPlan } from "../../install/copy-plan.ts";
import { findEntries } from "../../install/entries.ts";
import { shellWord } from "../../install/launcher.ts";
import { findMcp, planMcp } from "../../install/mcp-plan.ts";
import { copyName } from "../../install/own-copy.ts";
import { type InstallPlan, type InstallRequest, toldIn } from "../../install/plan.ts";
import { planSettings, requestedCatalog } from "../../install/settings-plan.ts";
import { hookSwitches } from "../../install/settings-sources.ts";
import { canGrant, planSkills } from "../../install/skills-plan.ts";

// What an installation does, for those who do not read diffs: of each target before it is asked for, once it is done, and where it fails.

const PLANS = { settings: planSettings, mcp: planMcp, skills: planSkills };

/** A change of one of the things that an installation changes. */
export type TargetPlan = InstallPlan & { target: keyof typeof PLANS };

export const planOf = async (
	target: TargetPlan["target"],
	kind: TargetPlan["kind"],
	request: InstallRequest,
): Promise<TargetPlan> => ({ ...(await PLANS[target](kind, request)), target });

const uninstalling = ({ scope }: InstallRequest): string =>
	`ccg uninstall${scope === "user" ? "" : ` --scope ${scope}`}`;

const eventsOf = (request: InstallRequest): string =>
	[...new Set(requestedCatalog(request).hooks.map(({ event }) => event))].join(", ");

/** What a plan does; empty where it changes nothing. */
export function summaryOf(plan: TargetPlan, request: InstallRequest): string[] {
	if (!plan.changed) return [];
	const { path, kind, target } = plan;
	if (kind === "install") return INSTALLS[target](plan, request);
	if (target === "skills") return [`This deletes from ${path}: ${namesOf(plan).join(", ")}`];
	if (target === "mcp") return [`This takes the MCP server ccg out of ${path}.`];
	return request.statusLineOnly
		? [`This takes ccg's status line out of ${path}. The plugin itself stays.`]
		: [`This takes ccg's entries out of ${path}. What ccg has saved stays.`];
}

const INSTALLS: Record<TargetPlan["target"], typeof summaryOf> = {
	settings({ path, before }, request) {
		if (request.statusLineOnly)
			return [
				`In ${path} this registers ccg's status line: how far it is to the next compaction. Nothing else changes.`,
				"It can be undone: `ccg uninstall --status-line` takes it out again. When the plugin is uninstalled, the line shows nothing of ccg's, and a session that still runs takes it out at its end.",
			];
		const may = (command: string): string => `  a permission: the agent may run \`${command}\` without asking`;
		return [
			`In ${path} this ${before && findEntries(before).length > 0 ? "renews" : "registers"} ccg:`,
			`  hooks (${eventsOf(request)}): they save the session's state before a compaction and inject what the summary left out`,
			"  a status line: how far it is to the next compaction",
			...(request.allowMemory ? [may("ccg memory save")] : []),
			...(request.allowRecall ? [may("ccg recall")] : []),
			`Everything else in the file stays as it is. It can be undone: \`${uninstalling(request)}\` takes it out again.`,
		];
	},
	mcp: ({ path, before }, request) => [
		`In ${path}, Claude Code's own file, this ${findMcp(before ?? "") === null ? "registers" : "renews"} an MCP server:`,
		"  ccg: recall, read_passage, save_memory and list_memories as tools",
		`Nothing else in that file changes; \`${uninstalling(request)}\` takes it out again.`,
	],
	skills(plan, request) {
		const told = namesOf(plan).map((name) => {
			const word = name.replace(/^\w+\//, "").replace(/\.md$/, "");
			return name.startsWith("agents/") ? `agent ${word}` : `/${word.replace("/", ":")}`;
		});
		const grants = canGrant(toldIn(request))
			? "those you type grant their own `ccg` command while they run"
			: "without grants, as this path of ccg has signs that a grant can't name: Claude Code asks at each command";
		return [
			`In ${plan.path} this writes slash commands and the agent context-guardian, as files:`,
			`  ${told.join(", ")} (${grants})`,
			"`ccg uninstall` deletes them again, but not those you have edited.",
		];
	},
};

const namesOf = ({ path, changes }: InstallPlan): string[] =>
	changes.map((change) => change.path.slice(path.length + 1));

/** What is copied, and where to. */
export function copySummary({ from, app, before }: CopyPlan): string[] {
	const isOlder = before && Bun.semver.order(from.version, before.facts.ccg) < 0;
	const instead = before
		? `, in place of ${before.facts.ccg} (${before.folder})${isOlder ? ": this is an older version" : ""}`
		: "";
	return [
		`ccg ${from.version} is copied to ${app}/${copyName(from, null)}${instead}.`,
		"What is registered starts from there, whatever becomes of the folder it came from.",
	];
}

/** What was done. */
export function doneText(plan: TargetPlan, request: InstallRequest): string[] {
	const { path, target, changes } = plan;
	const isInstall = plan.kind === "install";
	const files = counted(changes.length, "file");
	if (target === "skills" && isInstall)
		return [`Wrote ${files} in ${path}. New sessions know /ccg:checkpoint, /ccg:restore and the rest.`];
	if (target === "skills") return [`Deleted ${files} in ${path}.`];
	if (target === "mcp" && isInstall)
		return [
			`Registered the MCP server ccg in ${path}. New sessions start it; Claude Code asks before a tool's first call.`,
		];
	if (target === "mcp") return [`Took the MCP server ccg out of ${path}.`];
	if (request.statusLineOnly)
		return isInstall
			? [`Registered in ${path}: the status line. Running sessions show it at once.`]
			: [`Removed from ${path}.`];
	return isInstall
		? registered(plan, request)
		: [`Removed from ${path}. Running sessions notice at once; what ccg saved stays where it is.`];
}

function registered(plan: TargetPlan, request: InstallRequest): string[] {
	const what = [
		eventsOf(request),
		"status line",
		...(request.allowMemory ? ["memory permission"] : []),
		...(request.allowRecall ? ["recall permission"] : []),
	];
	const backup = plan.backup?.();
	return [
		`Registered in ${plan.path}: ${what.join(", ")}.`,
		backup
			? `The file as it was before: ${backup}`
			: `There was no such file before; \`${uninstalling(request)}\` deletes it.`,
		hookSwitches(request).length > 0
			? "No session runs it as long as hooks are switched off (see the warning above). `ccg doctor` tells how it stands."
			: "Running sessions pick it up at once. `ccg doctor` checks that it works.",
	];
}

/** Why another target than the settings was not changed, and what to do. */
export function failedText({ kind, target, path }: TargetPlan, error: unknown, request: InstallRequest): string {
	const why = whyOf(error).replace(/\.$/, "");
	if (target === "skills") return `in ${path} not all was changed: ${why}; run the command again`;
	const instead =
		kind === "install"
			? `claude mcp add --scope user ccg ${shellWord(request.launcher)} mcp`
			: "claude mcp remove --scope user ccg";
	return `${path} was not changed: ${why}. Claude Code can do it as well: ${instead}`;
}
