import { join } from "node:path";
import { isOn } from "../core/pressure/model.ts";
import { foldersUp } from "../files/folders-up.ts";
import { realPath } from "../files/real-path.ts";
import { switchFindings } from "../install/hook-switches.ts";
import { isObject, type SettingsFile } from "../install/settings-sources.ts";
import { readJson } from "../store/json-file.ts";
import type { Env } from "../store/paths.ts";
import type { DoctorCheck } from "./check.ts";
import { eventName, type SettingsEntry } from "./entries.ts";

export interface HookSituation {
	sources: readonly SettingsFile[];
	entries: readonly SettingsEntry[];
	env: Env;
	cwd: string;
	launcher: string;
}

/** What keeps hooks from running, or makes them run twice. Server-delivered settings are out of sight. */
export function checkBlockers(seen: HookSituation): DoctorCheck[] {
	return [
		...switchFindings(
			seen.sources,
			seen.entries.some(({ source }) => source.scope === "managed"),
		),
		...checkSimple(seen),
		...checkSecond(seen),
		checkTrust(seen),
	];
}

function checkSimple({ env }: HookSituation): DoctorCheck[] {
	if (!isOn(env.CLAUDE_CODE_SIMPLE)) return [];
	return [
		{
			id: "blockers.CLAUDE_CODE_SIMPLE",
			status: "warn",
			title: "CLAUDE_CODE_SIMPLE",
			detail: "set here: a Claude Code started from this shell runs no hooks",
			fix: "unset CLAUDE_CODE_SIMPLE",
		},
	];
}

/** Hooks of all files add up; only identical handlers run once. */
function checkSecond({ entries, launcher }: HookSituation): DoctorCheck[] {
	const check = { id: "blockers.second", title: "second installation" };
	const own = realPath(launcher);
	const others = [...new Set(entries.map((entry) => entry.launcher))].filter((path) => realPath(path) !== own);
	const ours = entries.some((entry) => realPath(entry.launcher) === own);
	if (others.length > 0)
		return [
			{
				...check,
				status: "warn",
				detail: ours
					? `entries of ${others.join(", ")} run beside those of ${launcher}`
					: `registered is ${others.join(", ")}, not the ccg that is running (${launcher})`,
				fix: removal(entries.filter((entry) => others.includes(entry.launcher))),
			},
		];
	const doubled = doubledEvents(entries);
	if (doubled.length > 0)
		return [
			{
				...check,
				status: "warn",
				detail: `${doubled.join(", ")} registered more than once with different texts, so each runs more than once`,
				fix: "run `ccg install`, and `ccg uninstall --scope …` for the scopes that are too many",
			},
		];
	const scopes = new Set(entries.filter(({ event }) => event !== null).map(({ source }) => source.scope));
	if (scopes.size < 2) return [{ ...check, status: "ok", detail: "none" }];
	return [{ ...check, status: "info", detail: `the same entries in ${[...scopes].join(" and ")}: they run once` }];
}

/** Events whose hook stands there in several forms. */
function doubledEvents(entries: readonly SettingsEntry[]): string[] {
	const forms = new Map<string, Set<string>>();
	for (const entry of entries) {
		if (entry.event === null) continue;
		const name = `${eventName(entry)} (${entry.part})`;
		forms.set(name, (forms.get(name) ?? new Set()).add(JSON.stringify(Object.entries(entry.value).sort())));
	}
	return [...forms].filter(([, set]) => set.size > 1).map(([name]) => name);
}

function removal(entries: SettingsEntry[]): string {
	const scopes = [...new Set(entries.map(({ source }) => source.scope))].filter((scope) => scope !== "managed");
	const commands = scopes.map((scope) => `\`ccg install --scope ${scope}\``).join(", ");
	return `${commands} takes the other one's place`;
}

type TrustRecord = { hasTrustDialogAccepted?: unknown } | null | undefined;

/** What is trusted above counts (measured on 2.1.329). Read only: Claude Code rewrites this file all the time. */
function checkTrust({ env, cwd }: HookSituation): DoctorCheck {
	const check = { id: "blockers.trust", title: "trust" };
	const folder = env.CLAUDE_CONFIG_DIR ?? env.HOME;
	const file = folder ? readJson<{ projects: unknown }>(join(folder, ".claude.json")) : null;
	const projects = isObject(file?.projects) ? file.projects : {};
	const trusted = [...foldersUp(cwd)].find((one) => (projects[one] as TrustRecord)?.hasTrustDialogAccepted === true);
	if (trusted === cwd) return { ...check, status: "ok", detail: `${cwd} is trusted` };
	if (trusted) return { ...check, status: "ok", detail: `${cwd} is trusted, since ${trusted} is` };
	return {
		...check,
		status: "info",
		detail: `${cwd} is not marked as trusted: interactive sessions run neither hooks nor status line until it is`,
		fix: "start `claude` there once and accept",
	};
}
