import { join } from "node:path";
import { isStoreClosed, sandboxAdvice } from "../claude/machine/sandbox-settings.ts";
import { isTrue } from "../core/pressure/compaction-trigger.ts";
import { isObject } from "../core/transcript/decode.ts";
import { readJson } from "../files/json-file.ts";
import { foldersUp, realPath } from "../files/real-path.ts";
import { effective, isBoolean } from "../install/settings-sources.ts";
import { type Finding, fail, info, type Look, ok, warn } from "./check.ts";
import { renew, type Seen } from "./seen.ts";

/** What keeps hooks from running, or makes them run twice; and whether Claude Code compacts by itself. Server-delivered settings are out of sight. */
export const BLOCKERS: Look[] = [
	["blockers.switch", "switch", switches],
	["blockers.second", "second installation", secondInstallation],
	["blockers.sandbox", "sandbox", sandbox],
	["blockers.trust", "trust", trust],
	["compaction.auto", "auto-compaction", autoCompaction],
];

const isForHooks = (value: unknown): value is unknown =>
	value === true || (Array.isArray(value) && value.includes("hooks"));

/** Settings with which no hook of ccg's runs; `scope`: of those alone it counts. */
const SWITCHES = [
	{ key: "disableAllHooks", fits: isBoolean, effect: "no hook and no status line runs" },
	{
		key: "allowManagedHooksOnly",
		fits: isBoolean,
		effect: "hooks of other settings files do not run",
		scope: "managed",
	},
	{ key: "strictPluginOnlyCustomization", fits: isForHooks, effect: "of hooks only those of plugins run" },
];

function switches({ sources }: Seen): Finding[] {
	return SWITCHES.flatMap(({ key, fits, effect, scope }) => {
		const counting = sources.filter((source) => !scope || source.scope === scope);
		const found = effective<unknown>(counting, key, fits);
		if (!found?.value) return [];
		const { path, scope: where } = found.source;
		const fix = where === "managed" ? "ask whoever manages this machine" : `take "${key}" out of ${path}`;
		return [{ ...fail(`set in ${path}: ${effect}`, fix), id: `blockers.${key}`, title: key }];
	});
}

/** Finds entries of another ccg: Claude Code runs the hooks of all files, and only identical ones once. */
function secondInstallation({ entries, launcher }: Seen): Finding {
	const foreign = entries.filter((entry) => realPath(entry.launcher) !== realPath(launcher));
	if (foreign.length === 0) return ok("none");
	const others = [...new Set(foreign.map((entry) => entry.launcher))].join(", ");
	const is =
		foreign.length < entries.length
			? `entries of ${others} run beside those of ${launcher}`
			: `registered is ${others}, not the ccg that is running (${launcher})`;
	return warn(is, [...new Set(foreign.map(({ source }) => renew(source)))].join(", "));
}

function sandbox({ env, cwd, root }: Seen): Finding[] {
	if (!root || !isStoreClosed(root, cwd, env)) return [];
	const { detail, fix } = sandboxAdvice(root, env);
	return [warn(detail, fix)];
}

/** What is trusted above counts (measured on 2.1.329). Read only: Claude Code rewrites this file all the time. */
function trust({ env, cwd }: Seen): Finding {
	const folder = env.CLAUDE_CONFIG_DIR || env.HOME;
	const file = folder ? readJson<{ projects: unknown }>(join(folder, ".claude.json")) : null;
	const projects = isObject(file?.projects) ? file.projects : {};
	const isTrusted = (record: unknown): boolean => isObject(record) && record.hasTrustDialogAccepted === true;
	const trusted = [...foldersUp(cwd)].find((one) => isTrusted(projects[one]));
	if (trusted) return ok(`${cwd} is trusted${trusted === cwd ? "" : `, since ${trusted} is`}`);
	return info(
		`${cwd} is not marked as trusted: interactive sessions run neither hooks nor status line until it is`,
		"start `claude` there once and accept",
	);
}

function autoCompaction({ sources, env }: Seen): Finding {
	const setting = effective(sources, "autoCompactEnabled", isBoolean);
	const off = ["DISABLE_AUTO_COMPACT", "DISABLE_COMPACT"].filter((name) => isTrue(env[name]));
	if (setting?.value === false) off.push(`autoCompactEnabled in ${setting.source.path}`);
	return off.length === 0 ? ok("on") : info(`off (${off.join(", ")}): no compaction by itself, so no nudge`);
}
