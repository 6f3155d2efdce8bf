import { join } from "node:path";
import { isStoreClosed, sandboxAdvice } from "../claude/machine/sandbox-settings.ts";
import { isTrueVariable } from "../core/pressure/compaction-trigger.ts";
import { isObject } from "../core/transcript/decode.ts";
import { readJson } from "../files/json-file.ts";
import { foldersUp, realPath } from "../files/real-path.ts";
import { namedPlugins } from "../install/plugin/plugin-folders.ts";
import { effectiveSetting, isBoolean } from "../install/settings-sources.ts";
import { loadConfig } from "../store/config.ts";
import { type CheckEntry, type Finding, fail, info, ok, warn } from "./check.ts";
import { type DoctorFacts, renewalAdvice } from "./seen.ts";

/** What keeps hooks from running, or makes them run twice; and whether Claude Code compacts by itself. Server-delivered settings are out of sight. */
export const BLOCKERS: CheckEntry[] = [
	["blockers.switch", "switch", checkHookSwitches],
	["blockers.second", "second installation", checkOtherInstallations],
	["blockers.sandbox", "sandbox", checkSandbox],
	["blockers.trust", "trust", checkFolderTrust],
	["compaction.auto", "auto-compaction", checkAutoCompaction],
	["compaction.moment", "good moment", checkMoment],
];

/** Whether the value of `strictPluginOnlyCustomization` covers hooks. */
const isPluginOnlyForHooks = (value: unknown): value is unknown =>
	value === true || (Array.isArray(value) && value.includes("hooks"));

/** Settings with which no hook of ccg's runs; one with a `scope` counts in settings of that scope alone. */
const HOOK_SWITCHES = [
	{ key: "disableAllHooks", isType: isBoolean, effect: "no hook and no status line runs" },
	{
		key: "allowManagedHooksOnly",
		isType: isBoolean,
		effect: "hooks of other settings files do not run",
		scope: "managed",
	},
	{ key: "strictPluginOnlyCustomization", isType: isPluginOnlyForHooks, effect: "of hooks only those of plugins run" },
];

/** Settings that switch ccg's hooks off: a failed check for each. */
function checkHookSwitches({ sources }: DoctorFacts): Finding[] {
	return HOOK_SWITCHES.flatMap(({ key, isType, effect, scope }) => {
		const inScope = sources.filter((source) => !scope || source.scope === scope);
		const setting = effectiveSetting<unknown>(inScope, key, isType);
		if (!setting?.value) return [];
		const { path, scope: setIn } = setting.source;
		const fix = setIn === "managed" ? "ask whoever manages this machine" : `take "${key}" out of ${path}`;
		return [{ ...fail(`set in ${path}: ${effect}`, fix), id: `blockers.${key}`, title: key }];
	});
}

/** Entries of another ccg, which run beside those of this one: Claude Code runs the hooks of all files, only identical ones once. */
function checkOtherInstallations({ entries, launcher }: DoctorFacts): Finding {
	const otherEntries = entries.filter((entry) => realPath(entry.launcher) !== realPath(launcher));
	if (otherEntries.length === 0) return ok("none");
	const others = [...new Set(otherEntries.map((entry) => entry.launcher))].join(", ");
	const problem =
		otherEntries.length < entries.length
			? `entries of ${others} run beside those of ${launcher}`
			: `registered is ${others}, not the ccg that is running (${launcher})`;
	return warn(problem, [...new Set(otherEntries.map(({ source }) => renewalAdvice(source)))].join(", "));
}

/** Whether Claude Code's sandbox keeps commands from reaching the store. */
function checkSandbox({ env, cwd, root }: DoctorFacts): Finding[] {
	if (!root || !isStoreClosed(root, cwd, env)) return [];
	const { detail, fix } = sandboxAdvice(root, env);
	return [warn(detail, fix)];
}

/** Whether the user trusted this folder or one above it, which counts as well (measured on 2.1.329). */
function checkFolderTrust({ env, cwd }: DoctorFacts): Finding {
	const configFolder = env.CLAUDE_CONFIG_DIR || env.HOME;
	const file = configFolder ? readJson<{ projects: unknown }>(join(configFolder, ".claude.json")) : null;
	const projects = isObject(file?.projects) ? file.projects : {};
	const isTrusted = (project: unknown): boolean => isObject(project) && project.hasTrustDialogAccepted === true;
	const trusted = [...foldersUp(cwd)].find((folder) => isTrusted(projects[folder]));
	if (trusted) return ok(`${cwd} is trusted${trusted === cwd ? "" : `, since ${trusted} is`}`);
	return info(
		`${cwd} is not marked as trusted: interactive sessions run neither hooks nor status line until it is`,
		"start `claude` there once and accept",
	);
}

/** Where `moment` is "auto": whether the plugin that compacts is enabled. */
function checkMoment({ root, cwd, sources }: DoctorFacts): Finding[] {
	if (loadConfig(root, { folder: cwd }).config.moment !== "auto") return [];
	if (namedPlugins(sources).some(([id, value]) => id.startsWith("ccg-queue@") && value === true))
		return [ok("the plugin ccg-queue is enabled")];
	const fix = "claude plugin install ccg-queue@context-guard";
	return [warn('"moment" is "auto", and the plugin ccg-queue, which compacts then, is not enabled', fix)];
}

/** What switches automatic compaction off, in the environment or the settings. */
function checkAutoCompaction({ sources, env }: DoctorFacts): Finding {
	const setting = effectiveSetting(sources, "autoCompactEnabled", isBoolean);
	const offSwitches = ["DISABLE_AUTO_COMPACT", "DISABLE_COMPACT"].filter((name) => isTrueVariable(env[name]));
	if (setting?.value === false) offSwitches.push(`autoCompactEnabled in ${setting.source.path}`);
	return offSwitches.length === 0
		? ok("on")
		: info(`off (${offSwitches.join(", ")}): no compaction by itself, so no nudge`);
}
