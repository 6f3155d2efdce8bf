import { isDeepStrictEqual } from "node:util";
import { catalog, everyHook, skipsUnknownEvents, unknownEvents } from "../install/catalog.ts";
import { type FoundClaude, isTooOld, oldestOf } from "../install/claude-version.ts";
import { effective, isObject, type SettingsFile } from "../install/settings-sources.ts";
import { type Env, storeRoot } from "../store/paths.ts";
import type { DoctorCheck } from "./check.ts";
import { eventName, type SettingsEntry } from "./entries.ts";

/** What each settings file registers, whether it is complete and current, and whose status line runs. */
export function checkRegistration(
	sources: readonly SettingsFile[],
	entries: readonly SettingsEntry[],
	{ env, claude, hasPlugin }: { env: Env; claude: readonly FoundClaude[]; hasPlugin: boolean },
): DoctorCheck[] {
	const checks = sources.flatMap((source) =>
		checkSource(
			source,
			entries.filter((entry) => entry.source === source),
			claude,
		),
	);
	if (entries.length === 0 && hasPlugin) return [...checks, ...checkHome(sources, entries, env)];
	if (entries.length === 0)
		checks.push({
			id: "settings.registered",
			status: "fail",
			title: "registration",
			detail: "no settings file holds an entry of ccg, so Claude Code never runs it",
			fix: "run `ccg install`",
		});
	return [...checks, checkStatusLine(sources, entries), ...checkHome(sources, entries, env)];
}

function checkSource(source: SettingsFile, entries: SettingsEntry[], claude: readonly FoundClaude[]): DoctorCheck[] {
	const { scope, path, settings, problem } = source;
	const check = { id: `settings.${scope}`, title: scope };
	if (problem)
		return [
			{
				...check,
				status: "fail",
				detail: `Claude Code ignores the whole file. ${problem.includes(path) ? problem : `${path}: ${problem}`}`,
				fix: scope === "managed" ? "tell whoever manages this machine" : `mend ${path}`,
			},
		];
	// most machines have no managed settings, and nothing is missing then
	if (settings === null) return scope === "managed" ? [] : [{ ...check, status: "info", detail: `no file ${path}` }];
	if (entries.length === 0) return [{ ...check, status: "info", detail: `no entry of ccg in ${path}` }];
	if (scope === "managed") return [{ ...check, status: "info", detail: `${entries.length} entries in ${path}` }];
	return checkEntries(source, entries, claude);
}

function checkEntries(
	{ scope, path }: SettingsFile,
	entries: SettingsEntry[],
	claude: readonly FoundClaude[],
): DoctorCheck[] {
	const fix = `run \`ccg install${scope === "user" ? "" : ` --scope ${scope}`}\``;
	const check = { id: `settings.${scope}`, title: scope };
	const checks: DoctorCheck[] = unknownTo(claude, entries, path).map((detail) => ({
		...check,
		status: "fail",
		detail,
		fix,
	}));
	const { absent, newer } = missing(entries, oldestOf(claude)?.version ?? null);
	if (absent.length > 0)
		checks.push({ ...check, status: "fail", detail: `missing in ${path}: ${absent.join(", ")}`, fix });
	if (newer.length > 0) {
		const detail = `${path} was made for an older Claude Code: ${newer.join(", ")} can be had now`;
		checks.push({ ...check, status: "warn", detail, fix });
	}
	const shared = entries.filter(({ isShared }) => isShared);
	if (shared.length > 0)
		checks.push({
			...check,
			status: "warn",
			detail: `another program runs beside ccg in ${path}: ${names(shared)}; install and uninstall leave such an entry alone`,
			fix: `take it out of ${path}, then ${fix}`,
		});
	const outdated = entries.filter((entry) => !entry.isShared && !isCurrent(entry));
	if (outdated.length > 0)
		checks.push({
			...check,
			status: "warn",
			detail: `not what this version registers, in ${path}: ${names(outdated)}`,
			fix,
		});
	if (checks.length > 0) return checks;
	return [{ ...check, status: "ok", detail: `${names(entries)} in ${path}` }];
}

/** What a Claude Code of this machine makes of events it does not know. */
function unknownTo(claude: readonly FoundClaude[], entries: SettingsEntry[], path: string): string[] {
	return claude.flatMap((found) => {
		if (isTooOld(found.version))
			return [
				`Claude Code ${found.version} (${found.path}) is older than 2.0.30: it does not know every event, so it skips all of ${path}, permissions and deny rules included`,
			];
		const events = unknownEvents(found.version).filter((event) => entries.some((entry) => entry.event === event));
		if (events.length === 0) return [];
		const which = `Claude Code ${found.version} (${found.path}) does not know ${events.join(", ")}`;
		const effect = skipsUnknownEvents(found.version)
			? `so it skips all of ${path}, permissions and deny rules included`
			: `so what ${path} registers there never runs`;
		return [`${which}, ${effect}`];
	});
}

/**
 * The events without an entry: what this Claude Code should have, and what it could have since it was updated. Of a version
 * that is not known, what is registered tells which set was meant.
 */
function missing(entries: SettingsEntry[], claude: string | null): { absent: string[]; newer: string[] } {
	const has = (event: string, part: string): boolean =>
		entries.some((entry) => entry.event === event && entry.part === part);
	const forOlder = has("PostToolUse", "post-tool-batch");
	const { hooks } = catalog("/ccg", undefined, claude ?? (forOlder ? OLDEST : null));
	const lacking = [...new Set(hooks.filter(({ event, part }) => !has(event, part)).map(({ event }) => event))];
	const laterOnes = forOlder ? unknownEvents(OLDEST) : [];
	return {
		absent: lacking.filter((event) => !laterOnes.includes(event)),
		newer: lacking.filter((event) => laterOnes.includes(event)),
	};
}

/** Has the fewest events of all that ccg was tried with. */
const OLDEST = "2.0.30";

function isCurrent({ event, part, launcher, home, wrapped, command, value, matcher }: SettingsEntry): boolean {
	if (event === null) return command === catalog(launcher, home).statusLine(wrapped);
	const hook = everyHook(launcher, home).find((candidate) => candidate.event === event && candidate.part === part);
	return matcher === undefined && isDeepStrictEqual(hook?.handler, value);
}

function checkStatusLine(sources: readonly SettingsFile[], entries: readonly SettingsEntry[]): DoctorCheck {
	const check = { id: "settings.statusline", title: "status line" };
	const line = effective(sources, "statusLine", isObject);
	if (entries.length === 0) return { ...check, status: "info", ...beforeInstall(line?.source) };
	if (!line)
		return {
			...check,
			status: "warn",
			detail: "none: context use is read from the transcript, a step later",
			fix: "`ccg install` registers one",
		};
	const { path } = line.source;
	const own = entries.find((entry) => entry.event === null && entry.source === line.source);
	if (own)
		return {
			...check,
			status: "ok",
			detail: `ccg's, in ${path}${own.wrapped === undefined ? "" : `, around: ${own.wrapped}`}`,
		};
	const hidden = entries.find((entry) => entry.event === null);
	return {
		...check,
		status: "warn",
		detail:
			`another one, in ${path}: it does not feed ccg, which reads the transcript instead, a step later` +
			(hidden ? `. It takes the place of ccg's in ${hidden.source.path}.` : ""),
		fix: fixFor(line.source.scope),
	};
}

/** Where nothing of ccg is registered, nothing measures yet. */
function beforeInstall(source: SettingsFile | undefined): Pick<DoctorCheck, "detail" | "fix"> {
	if (!source) return { detail: "none", fix: "`ccg install` registers one" };
	const whose = source.scope === "user" ? "yours" : "another one";
	return { detail: `${whose}, in ${source.path}`, fix: fixFor(source.scope) };
}

function fixFor(scope: SettingsFile["scope"]): string | undefined {
	// what a repository shares is not written to: a local one runs it inside
	const option = scope === "user" ? "" : " --scope local";
	return scope === "managed" ? undefined : `\`ccg install${option}\` keeps it and runs it inside ccg's`;
}

/** Entries carry the `CCG_HOME` they were installed with; the shell of the moment may have another. */
function checkHome(sources: readonly SettingsFile[], entries: readonly SettingsEntry[], env: Env): DoctorCheck[] {
	const here = storeRoot(env);
	const block = effective(sources, "env", hasHome);
	const set = block?.value.CCG_HOME;
	if (block && set !== here)
		return [
			homeWarning(`"env" in ${block.source.path} sets CCG_HOME to ${set}, ccg in this shell uses ${here ?? "none"}`),
		];
	const homes = [...new Set(entries.flatMap(({ isShared, home }) => (isShared ? [] : [home ?? null])))];
	if (env.CCG_HOME) {
		// a session inherits the variable only when Claude Code is started from such a shell
		const others = homes.filter((home) => home !== env.CCG_HOME);
		if (others.length === 0) return [];
		const elsewhere = others.map((home) => home ?? "the default store").join(", ");
		return [homeWarning(`CCG_HOME is ${env.CCG_HOME} here, the entries were installed for ${elsewhere}`)];
	}
	const other = homes.find((home) => home !== null && home !== here);
	if (!other) return [];
	return [homeWarning(`the entries keep their store in ${other}, ccg in this shell uses ${here ?? "none"}`)];
}

const hasHome = (value: unknown): value is { CCG_HOME: string } =>
	isObject(value) && typeof value.CCG_HOME === "string";

function homeWarning(detail: string): DoctorCheck {
	const fix = "set CCG_HOME in your shell's profile, or install with the same one";
	return { id: "settings.home", status: "warn", title: "store of the hooks", detail, fix };
}

const names = (entries: SettingsEntry[]): string => [...new Set(entries.map(eventName))].join(", ");
