import { type FoundClaude, findClaude } from "../install/claude-version.ts";
import { currentCopy } from "../install/own-copy.ts";
import { installedPlugins } from "../install/plugin/installed-plugins.ts";
import { readSources } from "../install/settings-sources.ts";
import { appFolder } from "../store/app-folder.ts";
import { storeRoot } from "../store/paths.ts";
import { checkBlockers, checkCompaction } from "./blockers.ts";
import type { DoctorCheck, DoctorInput, Report } from "./check.ts";
import { ownCommands, pluginCommands, runCommands } from "./commands.ts";
import { checkMcp, checkSameName } from "./mcp.ts";
import { checkRegistration, entriesOf, type Registered } from "./registration.ts";
import { checkClaude, checkInstalled, checkLauncher, lookAtLauncher } from "./runtime.ts";
import { checkSessions, checkStore } from "./store.ts";

/**
 * Looks at everything that must hold for ccg to work in `cwd`, and runs each registered command that this installation
 * would itself write, letter by letter; all others, whatever they look like, are shown. Changes nothing: the commands work
 * in a store of their own. `ok` when nothing failed.
 */
export async function runDoctor(input: DoctorInput): Promise<Report> {
	const { env, cwd, progress } = input;
	progress?.("Claude Code");
	const claude = input.claude ?? (await findClaude(env, cwd));
	const { found, entries, plugins, launcher, root } = lookAround(input, claude);
	progress?.("runtime");
	const runtime = await checkLauncher(launcher, env);
	const mcp = await checkMcp({ ...input, launcher }, root);
	const { own, foreign } = ownCommands(entries, launcher);
	const played = await runCommands(entries.length === 0 ? pluginCommands(plugins, launcher) : own, { ...input, root });
	const checks = [...runtime, ...found, mcp, ...played.map(({ check }) => check), ...foreign];
	return {
		ok: checks.every(({ status }) => status !== "fail"),
		checks: checks.map(printable),
		commands: played.map(({ command }) => command),
	};
}

/** All that is found without running anything; `launcher` is of what sessions run, whichever ccg was asked. */
export function lookAround(
	input: DoctorInput,
	claude: readonly FoundClaude[],
): Pick<Registered, "entries" | "plugins"> & { found: DoctorCheck[]; launcher: string; root: string | null } {
	const { env, cwd, tell, now = new Date() } = input;
	const root = storeRoot(env);
	const sources = readSources(input);
	const plugins = installedPlugins(env, cwd, sources);
	const { entries, line } = entriesOf(sources, plugins);
	// a copy that nothing here starts is none of it
	const made = root && currentCopy(appFolder(root));
	const copy =
		made && (entries.length === 0 || entries.some((entry) => entry.launcher === made.launcher)) ? made : null;
	const launcher = (entries.length > 0 && copy?.launcher) || input.launcher;
	const others = new Set(entries.map((entry) => entry.launcher).filter((path) => path !== launcher));
	const found = [
		checkInstalled(copy, input.launcher),
		...[...others].map(lookAtLauncher),
		...checkClaude(claude),
		...checkStore(root, now),
		...(root ? checkSessions({ root, tell }) : []),
		...checkRegistration({ sources, entries, line, plugins, claude, env }),
		...checkSameName(cwd, sources),
		...checkBlockers({ sources, entries, env, cwd, launcher }),
		checkCompaction(sources, env),
	];
	return { found, entries, plugins, launcher, root };
}

/** Names and commands come from files of anybody: what would act on a terminal, or not show, is written out. */
const printable = (check: DoctorCheck): DoctorCheck =>
	JSON.parse(
		JSON.stringify(check, (_, value) =>
			typeof value === "string" ? value.replace(/\p{C}/gu, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`) : value,
		),
	);
