import { gitTop } from "../git/git-top.ts";
import { catalog, everyHook } from "../install/catalog.ts";
import { realTarget } from "../install/settings-path.ts";
import type { DoctorCheck, DoctorInput } from "./check.ts";
import { eventName, type SettingsEntry } from "./entries.ts";

interface OwnRegistration {
	entries: readonly SettingsEntry[];
	launcher: string;
	env: DoctorInput["env"];
	cwd: string;
}

/** An entry the doctor may run, and with which text. */
export interface OwnEntry extends SettingsEntry {
	/** What is run in place of `command`: the same, but for a wrapped status line that is not the user's. */
	run: string;
}

/**
 * What of the registered may be run: a text that the installer of this ccg would write for this launcher, letter by letter.
 * A settings file may come from a repository, and a command in it may look like ccg's and be anything. A status line
 * carries another command inside: it is run where it stands in the user's own settings, else nothing is put in its place.
 */
export function asWritten({ entries, launcher, env, cwd }: OwnRegistration): {
	own: OwnEntry[];
	foreign: DoctorCheck[];
} {
	const own: OwnEntry[] = [];
	const foreign: DoctorCheck[] = [];
	for (const entry of entries) {
		if (textOf(entry, launcher) !== entry.command) foreign.push(shown(entry, launcher));
		else if (entry.wrapped === undefined || isUsers(entry, { env, cwd })) own.push({ ...entry, run: entry.command });
		else own.push({ ...entry, run: catalog(launcher, entry.home).statusLine(":"), wrapped: undefined });
	}
	return { own, foreign };
}

/** What this installation registers for such an entry; `null` when it registers none. */
function textOf({ event, part, wrapped, home }: SettingsEntry, launcher: string): string | null {
	if (event === null) return catalog(launcher, home).statusLine(wrapped);
	return everyHook(launcher, home).find((hook) => hook.event === event && hook.part === part)?.handler.command ?? null;
}

/** In the user's own settings file, and that is none of the folder looked at. */
function isUsers({ source }: SettingsEntry, { env, cwd }: Pick<OwnRegistration, "env" | "cwd">): boolean {
	if (source.scope !== "user") return false;
	try {
		const folder = realTarget(gitTop(cwd) ?? cwd);
		const home = env.HOME && realTarget(env.HOME);
		// a home folder that is a repository (dotfiles) is the user's
		return folder === home || !realTarget(source.path).startsWith(`${folder}/`);
	} catch {
		return false;
	}
}

function shown(entry: SettingsEntry, launcher: string): DoctorCheck {
	const { source, part, command } = entry;
	const isElsewhere = source.scope === "project" || source.scope === "local";
	const why =
		entry.launcher === launcher ? "its text is not what this ccg registers" : `it calls ${entry.launcher}, another ccg`;
	return {
		id: `commands.${part}.not-run`,
		status: isElsewhere ? "info" : "warn",
		title: `${eventName(entry)}, not run`,
		detail: `${why}: ${JSON.stringify(command.slice(0, 200))} in ${source.path}`,
		fix: isElsewhere
			? "look at it: Claude Code runs it in this folder once the folder is trusted"
			: `run \`ccg install${source.scope === "user" ? "" : ` --scope ${source.scope}`}\` to have ccg's own there`,
	};
}
