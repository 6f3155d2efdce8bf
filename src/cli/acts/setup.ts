import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { whyOf } from "../../files/system-failure.ts";
import { type InstallPlan, type InstallRequest, planInstall, planUninstall } from "../../install/plan.ts";
import { dataOfLauncher, installedPlugins, isOfPlugin } from "../../install/plugin/installed-plugins.ts";
import { isListed, type PluginFolders } from "../../install/plugin/plugin-folders.ts";
import { prepareCopy } from "../../install/plugin/prepare.ts";
import { readSources } from "../../install/settings-sources.ts";
import { findEntries } from "../../install/settings-text.ts";
import { appFolder, stableLauncher } from "../../store/app-folder.ts";
import { claudeRoot } from "../../store/paths.ts";
import type { Ask } from "../support/ask-on-terminal.ts";
import type { Io } from "../support/io.ts";
import { type ChangeOptions, requestOf, showAndApply, tellFailure } from "../support/settings-change.ts";

export interface SetupOptions {
	undo?: boolean;
	yes?: boolean;
	dryRun?: boolean;
	prepare?: string;
	undoGone?: boolean;
}

export async function setup(options: SetupOptions, io: Io, ask?: Ask): Promise<void> {
	const change: ChangeOptions = { ...options, scope: "user", verb: options.undo ? "setup --undo" : "setup" };
	const request: InstallRequest = { ...requestOf(io, change), statusLineOnly: true };
	let plan: InstallPlan | undefined;
	try {
		if (options.prepare) return void (await prepareCopy({ root: ownRoot(io), data: options.prepare }));
		plan = await planUninstall(request);
		const line = statusLineIn(plan);
		if (options.undoGone) return undoGone(line, plan, request, io, change);
		if (line === "installed") {
			io.out(`\`ccg install\` has registered hooks and status line in ${plan.path}; there is nothing to set up.`);
			return;
		}
		if (options.undo) await undo({ line, plan, request, io, options: change, ask });
		else {
			const folders = pluginOf(io);
			if (!folders) throw new Error("no plugin of ccg's is installed and enabled; `ccg install` registers everything");
			request.launcher = stableLauncher(appFolder(folders.data));
			plan = await planInstall(request);
			await register({ plan, request, folders, io, options: change, ask });
		}
	} catch (error) {
		// a slash command shows what this says, and is dropped where it fails
		if (options.dryRun) io.out(`ccg: ${whyOf(error)}`);
		else tellFailure(error, io, request, plan);
	}
}

interface Change {
	plan: InstallPlan;
	request: InstallRequest;
	io: Io;
	options: ChangeOptions;
	ask: Ask | undefined;
}

async function register({ plan, request, folders, io, options, ask }: Change & { folders: PluginFolders }) {
	// what the settings will name has to be there first
	if (!options.dryRun) await prepareCopy(folders);
	if (!plan.changed) {
		io.out(`Already set up: the status line in ${plan.path} is ccg's.`);
		return;
	}
	const summary = [
		`In ${plan.path} this registers ccg's status line: how far it is to the next compaction. Nothing else changes.`,
		"It can be undone: `ccg setup --undo` takes it out again. When the plugin is uninstalled, the line shows nothing of ccg's, and a session that still runs takes it out at its end.",
	];
	if (!(await showAndApply(plan, request, { io, options, ask, summary }))) return;
	io.out(`Registered in ${plan.path}: the status line. Running sessions show it at once.`);
}

async function undo({ line, plan, request, io, options, ask }: Change & { line: string | null }): Promise<void> {
	if (line === null) {
		io.out(`No status line of ccg's in ${plan.path}; nothing to do.`);
		return;
	}
	const summary = [`This takes ccg's status line out of ${plan.path}. The plugin itself stays.`];
	if (!(await showAndApply(plan, request, { io, options, ask, summary }))) return;
	io.out(`Removed from ${plan.path}.`);
}

/** Only a line that names what went with its plugin: whoever set it up was told so. */
async function undoGone(
	line: string | null,
	plan: InstallPlan,
	request: InstallRequest,
	io: Io,
	options: ChangeOptions,
): Promise<void> {
	const data = line === null ? null : dataOfLauncher(line);
	if (data === null || existsSync(line!) || isListed({ root: ownRoot(io), data })) return;
	await showAndApply(plan, request, { io, options: { ...options, yes: true }, summary: [] });
}

/** The launcher of the status line in the user's file; `installed` where hooks stand there too, `null` where there is none. */
function statusLineIn({ before }: InstallPlan): string | null {
	const entries = before === null ? [] : findEntries(before);
	if (entries.some(({ event }) => event !== null)) return "installed";
	return entries[0]?.launcher ?? null;
}

const ownRoot = ({ launcher }: Io): string => dirname(dirname(launcher));

/**
 * The plugin this ccg belongs to, else the one that the user has enabled, since a repository's settings can enable another of that name;
 * also one that Claude Code was only shown (`--plugin-dir`).
 */
function pluginOf(io: Io): PluginFolders | null {
	const { env, cwd, launcher } = io;
	const users = readSources({ env, cwd }).filter(({ scope }) => scope === "user");
	const installed = installedPlugins(env, cwd, users);
	const own = installed.find((one) => isOfPlugin(launcher, one)) ?? installed.find(({ isEnabled }) => isEnabled);
	if (own) return own;
	const claude = claudeRoot(env);
	const data = claude && join(claude, "plugins", "data", "ccg-inline");
	const isPlugin = existsSync(join(ownRoot(io), ".claude-plugin", "plugin.json"));
	return data && isPlugin && existsSync(data) ? { root: ownRoot(io), data } : null;
}
