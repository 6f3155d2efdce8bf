import { join } from "node:path";
import { isOn } from "../core/pressure/model.ts";
import { foldersUp, realPath } from "../files/real-path.ts";
import { isObject } from "../install/entries.ts";
import { effective, isBoolean, type SettingsFile, switchFindings } from "../install/settings-sources.ts";
import { readJson } from "../store/json-file.ts";
import type { Env } from "../store/paths.ts";
import { type DoctorCheck, look } from "./check.ts";
import type { SettingsEntry } from "./registration.ts";

interface HookSituation {
	sources: readonly SettingsFile[];
	entries: readonly SettingsEntry[];
	env: Env;
	cwd: string;
	launcher: string;
}

/** What keeps hooks from running, or makes them run twice. Server-delivered settings are out of sight. */
export function checkBlockers(seen: HookSituation): DoctorCheck[] {
	const { sources, entries, env } = seen;
	const isOursManaged = entries.some(({ source }) => source.scope === "managed");
	const simple = look("blockers.CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SIMPLE").warn(
		"set here: a Claude Code started from this shell runs no hooks",
		"unset CLAUDE_CODE_SIMPLE",
	);
	return [
		...switchFindings(sources, isOursManaged).map((one) => ({ id: `blockers.${one.title}`, ...one })),
		...(isOn(env.CLAUDE_CODE_SIMPLE) ? [simple] : []),
		checkSecond(seen),
		checkTrust(seen),
	];
}

/** Hooks of all files add up; only identical handlers run once. */
function checkSecond({ entries, launcher }: HookSituation): DoctorCheck {
	const { ok, info, warn } = look("blockers.second", "second installation");
	const foreign = entries.filter((entry) => realPath(entry.launcher) !== realPath(launcher));
	const hooks = entries.filter(({ event }) => event !== null);
	const scopes = [...new Set((foreign.length > 0 ? foreign : hooks).map(({ source }) => source.scope))];
	if (foreign.length > 0) {
		const others = [...new Set(foreign.map((entry) => entry.launcher))].join(", ");
		const installs = scopes.filter((scope) => scope !== "managed").map((scope) => `\`ccg install --scope ${scope}\``);
		const is =
			foreign.length < entries.length
				? `entries of ${others} run beside those of ${launcher}`
				: `registered is ${others}, not the ccg that is running (${launcher})`;
		return warn(is, `${installs.join(", ")} takes the other one's place`);
	}
	if (scopes.length < 2) return ok("none");
	const forms = Map.groupBy(hooks, ({ event, part }) => `${event} (${part})`);
	const form = ({ value }: SettingsEntry): string => JSON.stringify(Object.entries(value).sort());
	const doubled = [...forms].filter(([, all]) => new Set(all.map(form)).size > 1).map(([name]) => name);
	if (doubled.length === 0) return info(`the same entries in ${scopes.join(" and ")}: they run once`);
	return warn(
		`${doubled.join(", ")} registered more than once with different texts, so each runs more than once`,
		"run `ccg install`, and `ccg uninstall --scope …` for the scopes that are too many",
	);
}

/** What is trusted above counts (measured on 2.1.329). Read only: Claude Code rewrites this file all the time. */
function checkTrust({ env, cwd }: HookSituation): DoctorCheck {
	const { ok, info } = look("blockers.trust", "trust");
	const folder = env.CLAUDE_CONFIG_DIR ?? env.HOME;
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

/** What Claude Code takes as a number, and from where to where: anything else it ignores, or moves to the edge (measured on 2.1.329). */
const NUMBERS: [id: string, variable: string, min: number, max: number][] = [
	["window", "CLAUDE_CODE_AUTO_COMPACT_WINDOW", 100_000, 1_000_000],
	["percent", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", 1, 100],
];

/** Switches of compaction that do something else than they seem to, in the environment or the `env` block of a settings file. */
export function checkCompaction(sources: readonly SettingsFile[], env: Env): DoctorCheck[] {
	const places: [where: string, env: Record<string, unknown>][] = [["the environment", env]];
	for (const { path, settings } of sources)
		if (isObject(settings?.env)) places.push([`"env" in ${path}`, settings.env]);
	const set = (name: string): { value: string; where: string }[] =>
		places.flatMap(([where, { [name]: value }]) => ((value ?? "") === "" ? [] : [{ value: String(value), where }]));
	const wrong = NUMBERS.flatMap(([id, variable, min, max]) =>
		set(variable)
			.filter(({ value }) => !/^\s*\d+(?:\.\d+)?\s*$/.test(value) || Number(value) < min || Number(value) > max)
			.map(({ value, where }) => {
				const effect = "so Claude Code ignores it or moves it to the edge";
				const detail = `${variable}=${value} in ${where} is no plain number from ${min} to ${max}, ${effect}`;
				return look(`compaction.${id}`, id).warn(detail, `use ${min} to ${max}, or unset it`);
			}),
	);
	const { ok, info } = look("compaction.auto", "auto-compaction");
	const setting = effective(sources, "autoCompactEnabled", isBoolean);
	const off = ["DISABLE_AUTO_COMPACT", "DISABLE_COMPACT"].flatMap((name) =>
		set(name).flatMap(({ value, where }) => (isOn(value) ? [`${name} in ${where}`] : [])),
	);
	if (setting?.value === false) off.push(`autoCompactEnabled in ${setting.source.path}`);
	return [
		...wrong,
		off.length === 0 ? ok("on") : info(`off (${off.join(", ")}): no compaction by itself, so no nudge`),
	];
}
