import { findClaude } from "../install/claude-version.ts";
import { installedPlugins } from "../install/plugin/installed-plugins.ts";
import { readSources } from "../install/settings-sources.ts";
import { storeRoot } from "../store/paths.ts";
import { checkBlockers } from "./blockers.ts";
import type { DoctorCheck, DoctorInput, Report } from "./check.ts";
import { checkTriggers } from "./checkpoint-triggers.ts";
import { runCommands } from "./commands.ts";
import { checkCompaction } from "./compaction.ts";
import { checkDelivery } from "./delivery.ts";
import { entriesIn } from "./entries.ts";
import { checkInstalled, installedCopy } from "./installed.ts";
import { checkMcp, checkSameName } from "./mcp.ts";
import { asWritten } from "./own.ts";
import { checkPluginLine, checkPlugins, isPluginLine, pluginCommands } from "./plugin.ts";
import { checkRegistration } from "./registration.ts";
import { checkClaude, checkLauncher, lookAtLauncher } from "./runtime.ts";
import { checkSpeakers } from "./speakers.ts";
import { checkStore } from "./store.ts";

/**
 * Looks at everything that must hold for ccg to work in `cwd`, and runs each registered command that this installation
 * would itself write, letter by letter; all others, whatever they look like, are shown. Changes nothing: the commands work
 * in a store of their own. `ok` when nothing failed.
 */
export async function runDoctor(input: DoctorInput): Promise<Report> {
	const { env, cwd, tell, now = new Date(), progress } = input;
	const root = storeRoot(env);
	const sources = readSources(input);
	const plugins = installedPlugins(env, cwd, sources);
	const [lines, entries] = partition(entriesIn(sources), (entry) => isPluginLine(entry, plugins));
	const plugin = plugins.find(({ isEnabled }) => isEnabled);
	// what sessions run, whichever ccg was asked; a copy that nothing here starts is none of it
	const found = installedCopy(root);
	const copy = entries.length === 0 || entries.some((entry) => entry.launcher === found?.launcher) ? found : null;
	const launcher = (entries.length > 0 && copy?.launcher) || input.launcher;
	const checks: DoctorCheck[] = [];
	progress?.("runtime");
	checks.push(...(await checkLauncher(launcher, env)), checkInstalled(copy, input.launcher, root));
	for (const path of new Set(entries.map((entry) => entry.launcher)))
		if (path !== launcher) checks.push(lookAtLauncher(path));
	progress?.("Claude Code");
	const claude = input.claude ?? (await findClaude(env, cwd));
	checks.push(
		...checkClaude(claude),
		...checkStore(root, now),
		...checkDelivery(root ? { root, tell } : null, now),
		...checkSpeakers(root ? { root, tell } : null, now),
		...checkPlugins(plugins, { entries, claude }),
		...checkRegistration(sources, entries, { env, claude, hasPlugin: plugin !== undefined }),
		...(plugin && entries.length === 0 ? checkPluginLine(lines[0]) : []),
		await checkMcp({ ...input, launcher }, root),
		...checkSameName(cwd, sources),
		...checkBlockers({ sources, entries, env, cwd, launcher }),
		...checkCompaction(sources, env),
		checkTriggers(root, cwd),
	);
	const { own, foreign } = asWritten({ entries, launcher, env, cwd });
	const { checks: played, commands } = await runCommands({
		entries: entries.length === 0 ? pluginCommands(plugins, launcher) : own,
		env,
		root,
		timeLimitMs: input.timeLimitMs,
		progress,
	});
	checks.push(...played, ...foreign);
	return { ok: checks.every(({ status }) => status !== "fail"), checks: checks.map(printable), commands };
}

function partition<T>(all: readonly T[], is: (one: T) => boolean): [T[], T[]] {
	return [all.filter(is), all.filter((one) => !is(one))];
}

/** Names and commands come from files of anybody: what would act on a terminal, or not show, is written out. */
function printable(check: DoctorCheck): DoctorCheck {
	const texts = Object.entries(check).map(([key, text]) => [
		key,
		String(text).replace(/\p{C}/gu, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`),
	]);
	return Object.fromEntries(texts);
}
