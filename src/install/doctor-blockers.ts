import { dirname, join } from "node:path";
import { isOn } from "../core/pressure/model.ts";
import { readJson } from "../store/json-file.ts";
import type { Env } from "../store/paths.ts";
import type { Check, DoctorInput } from "./doctor-check.ts";
import { type Entry, eventName, realLauncher } from "./doctor-entries.ts";
import { effective, isBoolean, isObject, readSources, type Source } from "./doctor-sources.ts";

export interface Surroundings {
	sources: readonly Source[];
	entries: readonly Entry[];
	env: Env;
	cwd: string;
	launcher: string;
}

/** What keeps hooks from running, or makes them run twice. Server-delivered settings are out of sight. */
export function checkBlockers(seen: Surroundings): Check[] {
	return [
		checkDisabled(seen),
		...checkManagedOnly(seen),
		...checkPluginOnly(seen),
		...checkSimple(seen),
		...checkSecond(seen),
		checkTrust(seen),
	];
}

/** What in the settings of `cwd` switches all hooks off, ccg's included, whatever is registered. */
export function hookSwitches(place: Pick<DoctorInput, "env" | "cwd" | "managed">): Check[] {
	const seen = { sources: readSources({ launcher: "", ...place }), entries: [] };
	return [checkDisabled(seen), ...checkManagedOnly(seen), ...checkPluginOnly(seen)].filter(
		({ status }) => status === "fail",
	);
}

function checkDisabled({ sources }: Pick<Surroundings, "sources">): Check {
	const check = { id: "blockers.disableAllHooks", title: "disableAllHooks" };
	const found = effective(sources, "disableAllHooks", isBoolean);
	if (!found?.value) return { ...check, status: "ok", detail: found ? `false in ${found.source.path}` : "not set" };
	const { scope, path } = found.source;
	const except = scope === "managed" ? "" : " but managed ones";
	return {
		...check,
		status: "fail",
		detail: `true in ${path}: no hook${except} and no status line runs`,
		fix: scope === "managed" ? "tell whoever manages this machine" : `take "disableAllHooks" out of ${path}`,
	};
}

/** Only managed settings can say this. */
function checkManagedOnly({ sources, entries }: Pick<Surroundings, "sources" | "entries">): Check[] {
	const managed = sources.filter(({ scope }) => scope === "managed");
	const found = effective(managed, "allowManagedHooksOnly", isBoolean);
	if (!found?.value) return [];
	const ours = entries.some(({ source }) => source.scope === "managed");
	return [
		{
			id: "blockers.allowManagedHooksOnly",
			status: ours ? "warn" : "fail",
			title: "allowManagedHooksOnly",
			detail: `true in ${found.source.path}: hooks and status lines of other settings files do not run`,
			fix: "ask whoever manages this machine to register ccg there",
		},
	];
}

function checkPluginOnly({ sources }: Pick<Surroundings, "sources">): Check[] {
	const blocks = (value: unknown): value is unknown =>
		value === true || (Array.isArray(value) && value.includes("hooks"));
	const found = effective(sources, "strictPluginOnlyCustomization", blocks);
	if (!found) return [];
	return [
		{
			id: "blockers.strictPluginOnlyCustomization",
			status: "fail",
			title: "strictPluginOnlyCustomization",
			detail: `set in ${found.source.path}: hooks of settings files do not run, only those of plugins`,
			fix: "ask whoever manages this machine",
		},
	];
}

function checkSimple({ env }: Surroundings): Check[] {
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
function checkSecond({ entries, launcher }: Surroundings): Check[] {
	const check = { id: "blockers.second", title: "second installation" };
	const own = realLauncher(launcher);
	const others = [...new Set(entries.map((entry) => entry.launcher))].filter((path) => realLauncher(path) !== own);
	const ours = entries.some((entry) => realLauncher(entry.launcher) === own);
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
function doubledEvents(entries: readonly Entry[]): string[] {
	const forms = new Map<string, Set<string>>();
	for (const entry of entries) {
		if (entry.event === null) continue;
		const name = `${eventName(entry)} (${entry.part})`;
		forms.set(name, (forms.get(name) ?? new Set()).add(JSON.stringify(Object.entries(entry.value).sort())));
	}
	return [...forms].filter(([, set]) => set.size > 1).map(([name]) => name);
}

function removal(entries: Entry[]): string {
	const scopes = [...new Set(entries.map(({ source }) => source.scope))].filter((scope) => scope !== "managed");
	const commands = scopes.map((scope) => `\`ccg install --scope ${scope}\``).join(", ");
	return `${commands} takes the other one's place`;
}

type Trust = { hasTrustDialogAccepted?: unknown } | null | undefined;

const withParents = (folder: string): string[] =>
	dirname(folder) === folder ? [folder] : [folder, ...withParents(dirname(folder))];

/** What is trusted above counts (measured on 2.1.329). Read only: Claude Code rewrites this file all the time. */
function checkTrust({ env, cwd }: Surroundings): Check {
	const check = { id: "blockers.trust", title: "trust" };
	const folder = env.CLAUDE_CONFIG_DIR ?? env.HOME;
	const file = folder ? readJson<{ projects: unknown }>(join(folder, ".claude.json")) : null;
	const projects = isObject(file?.projects) ? file.projects : {};
	const trusted = withParents(cwd).find((one) => (projects[one] as Trust)?.hasTrustDialogAccepted === true);
	if (trusted === cwd) return { ...check, status: "ok", detail: `${cwd} is trusted` };
	if (trusted) return { ...check, status: "ok", detail: `${cwd} is trusted, since ${trusted} is` };
	return {
		...check,
		status: "info",
		detail: `${cwd} is not marked as trusted: interactive sessions run neither hooks nor status line until it is`,
		fix: "start `claude` there once and accept",
	};
}
