import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isProgram } from "../files/on-path.ts";
import { gitTop } from "../git/repository.ts";
import { catalog, commandFor } from "../install/catalog.ts";
import { shellWord } from "../install/launcher.ts";
import { type InstalledPlugin, isOfPlugin } from "../install/plugin/installed-plugins.ts";
import { realTarget } from "../install/settings-path.ts";
import { loadConfig } from "../store/config/config.ts";
import { readText } from "../store/json-file.ts";
import { logPath, sessionPaths } from "../store/paths.ts";
import { raiseFlush } from "../store/pressure/flags.ts";
import { sessionAt } from "../store/session-handle.ts";
import { type DoctorCheck, type DoctorInput, look, type Report } from "./check.ts";
import { eventName, type SettingsEntry } from "./registration.ts";
import { inScratch, runRegistered, type Sandbox } from "./sandbox.ts";
import {
	doctorTranscript,
	judge,
	payload,
	type Situation,
	situations,
	WITH_MARKER,
	WITHOUT_MARKER,
} from "./situations.ts";

const TIME_LIMIT_MS = 15_000;
const SLOW_MS = 1_000;
const PRE_CHECK_SLOW_MS = 100;

/** A command the doctor may run. */
interface OwnCommand {
	part: string;
	/** The events it is registered for. */
	event: string;
	/** The text that is run. */
	command: string;
	wrapped?: string | undefined;
}

/**
 * What of the registered may be run: a text that the installer of this ccg would write for this launcher, letter by letter.
 * A settings file may come from a repository, and a command in it may look like ccg's and be anything. A status line
 * carries another command inside: it is run where it stands in the user's own settings, else nothing is put in its place.
 */
export function ownCommands(
	entries: readonly SettingsEntry[],
	launcher: string,
	place: Pick<DoctorInput, "env" | "cwd">,
): { own: OwnCommand[]; foreign: DoctorCheck[] } {
	const [own, foreign] = [true, false].map((isOwn) =>
		entries.filter((entry) => (commandFor(entry, launcher) === entry.command) === isOwn),
	) as [SettingsEntry[], SettingsEntry[]];
	return {
		// of a launcher that is gone it would end in silence
		own: (isProgram(launcher) ? own : []).map((entry) => {
			const { part, wrapped, command, home } = entry;
			const event = eventName(entry);
			if (wrapped === undefined || isUsers(entry, place)) return { part, event, command, wrapped };
			return { part, event, command: catalog(launcher, home).statusLine(":") };
		}),
		foreign: foreign.map((entry) => notRun(entry, launcher)),
	};
}

/** What runs as the plugin's hooks, where the ccg that is running is the plugin: the texts are ccg's own, not the file's. */
export function pluginCommands(plugins: readonly InstalledPlugin[], launcher: string): OwnCommand[] {
	const plugin = plugins.find((one) => one.isEnabled && isOfPlugin(launcher, one));
	if (!plugin) return [];
	const run = shellWord(join(plugin.root, "hooks", "run"));
	return catalog(launcher).hooks.map(({ event, part }) => ({ part, event, command: `${run} ${part}` }));
}

/** In the user's own settings file, and that is none of the folder looked at. */
function isUsers({ source }: SettingsEntry, { env, cwd }: Pick<DoctorInput, "env" | "cwd">): boolean {
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

function notRun(entry: SettingsEntry, launcher: string): DoctorCheck {
	const { path, scope } = entry.source;
	const { info, warn } = look(`commands.${entry.part}.not-run`, `${eventName(entry)}, not run`);
	const why =
		entry.launcher === launcher ? "its text is not what this ccg registers" : `it calls ${entry.launcher}, another ccg`;
	const detail = `${why}: ${JSON.stringify(entry.command.slice(0, 200))} in ${path}`;
	return scope === "project" || scope === "local"
		? info(detail, "look at it: Claude Code runs it in this folder once the folder is trusted")
		: warn(detail, `run \`ccg install${scope === "user" ? "" : ` --scope ${scope}`}\` to have ccg's own there`);
}

interface Played {
	check: DoctorCheck;
	command: Report["commands"][number];
}

/**
 * Runs these commands as Claude Code does, in a store and a project of their own, and judges the answers. `root` is the real store,
 * whose configuration is copied.
 */
export async function runCommands(
	commands: readonly OwnCommand[],
	input: Pick<DoctorInput, "env" | "timeLimitMs" | "progress"> & { root: string | null },
): Promise<Played[]> {
	if (commands.length === 0) return [];
	return inScratch(
		input,
		(session) => doctorTranscript(session, new Date()),
		async (sandbox) => {
			const played: Played[] = [];
			for (const situation of situations(loadConfig(sandbox.store).config)) {
				// of several texts of one part the first: what a session has left is no beginning for another
				const own = commands.find(({ part }) => part === situation.part);
				if (!own) continue;
				const same = commands.filter(({ part, command }) => part === own.part && command === own.command);
				const event = [...new Set(same.map((one) => one.event))].join(", ");
				played.push(await play(situation, { ...own, event }, sandbox, input));
			}
			return played;
		},
	);
}

async function play(
	situation: Situation,
	{ event, command, wrapped }: OwnCommand,
	sandbox: Sandbox,
	{ timeLimitMs = TIME_LIMIT_MS, progress }: Pick<DoctorInput, "timeLimitMs" | "progress">,
): Promise<Played> {
	const { part, run } = situation;
	const { marker, usage } = sessionPaths(sandbox.store, sandbox.sid);
	progress?.(`${event}, ${run}`);
	rmSync(marker, { force: true });
	if (run === WITH_MARKER) plantMarker(sandbox);
	const ran = await runRegistered(command, sandbox, { input: payload(situation, sandbox), timeLimitMs });
	const { reason, chars } = judge(situation, ran, existsSync(usage));
	const logged = takeLog(sandbox);
	const why = [reason, logged && `logged: ${logged}`].filter(Boolean).join("; ");
	const slowMs = run === WITHOUT_MARKER ? PRE_CHECK_SLOW_MS : SLOW_MS;
	const isSlow = ran.ms > slowMs;
	const facts = [
		ran.timedOut ? "killed" : `exit ${ran.code ?? "by signal"}`,
		`${chars.toLocaleString("en-US")} characters`,
		`${ran.ms} ms${isSlow ? ` (slow: more than ${slowMs})` : ""}`,
		why,
		wrapped === undefined ? "" : wrappedOutput(wrapped, ran.out),
	].filter(Boolean);
	const { ok, warn, fail } = look(`commands.${part}.${run.replaceAll(" ", "-")}`, `${event}, ${run}`);
	const valid = reason === null;
	return {
		check: (valid ? (isSlow || why ? warn : ok) : fail)(facts.join(", ")),
		command: { event, part, run, command, exit: ran.code, valid, ...(!valid && { reason: why }), chars, ms: ran.ms },
	};
}

/** Drops the flush marker, as pressure would. */
function plantMarker({ store, sid }: Sandbox): void {
	const pressure = { tokens: 130_000, distance: 37_000, trigger: 167_000 };
	raiseFlush(sessionAt({ root: store, tell: () => {} }, sid), { at: new Date().toISOString(), ...pressure });
}

/** ccg's own line is the last one. */
function wrappedOutput(command: string, out: string): string {
	const lines = out.trimEnd().split("\n").slice(0, -1);
	const said = lines.length === 0 ? "printed nothing" : `printed ${JSON.stringify(lines[0]!.slice(0, 60))}`;
	return `around \`${command}\`, which ${said}`;
}

/** What the run logged: hooks end 0 and stay silent when something goes wrong, the log tells. */
function takeLog({ store }: Sandbox): string | null {
	const path = logPath(store);
	const line = readText(path)?.trim().split("\n").at(-1) || null;
	rmSync(path, { force: true });
	return line;
}
