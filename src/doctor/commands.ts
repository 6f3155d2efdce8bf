import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { grouped } from "../core/text/text.ts";
import { isProgram } from "../files/on-path.ts";
import { catalog, commandFor } from "../install/catalog.ts";
import { shellWord } from "../install/launcher.ts";
import { type InstalledPlugin, isOfPlugin } from "../install/plugin/installed-plugins.ts";
import { loadConfig } from "../store/config/config.ts";
import { readText } from "../store/json-file.ts";
import { logPath, sessionPaths } from "../store/paths.ts";
import { raiseFlush } from "../store/pressure/flags.ts";
import { sessionAt } from "../store/session-handle.ts";
import { type DoctorCheck, type DoctorInput, look, type Report } from "./check.ts";
import { eventName, type SettingsEntry } from "./registration.ts";
import { inScratch, runRegistered, type Sandbox } from "./sandbox.ts";
import { doctorTranscript, judge, payload, type Situation, situations, WITH_MARKER } from "./situations.ts";

const TIME_LIMIT_MS = 15_000;

/** A command the doctor may run. */
interface OwnCommand {
	part: string;
	/** The events it is registered for. */
	event: string;
	/** The text that is run. */
	command: string;
}

/**
 * What of the registered may be run: a text that the installer of this ccg would write for this launcher, letter by letter.
 * A settings file may come from a repository, and a command in it may look like ccg's and be anything. The command that a status
 * line carries inside is never run: nothing is put in its place.
 */
export function ownCommands(
	entries: readonly SettingsEntry[],
	launcher: string,
): { own: OwnCommand[]; foreign: DoctorCheck[] } {
	const isOwn = (entry: SettingsEntry): boolean => commandFor(entry, launcher) === entry.command;
	return {
		// of a launcher that is gone it would end in silence
		own: (isProgram(launcher) ? entries.filter(isOwn) : []).map((entry) => {
			const command = commandFor({ ...entry, ...(entry.wrapped !== undefined && { wrapped: ":" }) }, launcher)!;
			return { part: entry.part, event: eventName(entry), command };
		}),
		foreign: entries.filter((entry) => !isOwn(entry)).map((entry) => notRun(entry, launcher)),
	};
}

/** What runs as the plugin's hooks, where the ccg that is running is the plugin: the texts are ccg's own, not the file's. */
export function pluginCommands(plugins: readonly InstalledPlugin[], launcher: string): OwnCommand[] {
	const plugin = plugins.find((one) => one.isEnabled && isOfPlugin(launcher, one));
	if (!plugin) return [];
	const run = shellWord(join(plugin.root, "hooks", "run"));
	return catalog(launcher).hooks.map(({ event, part }) => ({ part, event, command: `${run} ${part}` }));
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
	{ event, command }: OwnCommand,
	sandbox: Sandbox,
	{ timeLimitMs = TIME_LIMIT_MS, progress }: Pick<DoctorInput, "timeLimitMs" | "progress">,
): Promise<Played> {
	const { part, run } = situation;
	const { marker, usage } = sessionPaths(sandbox.store, sandbox.sid);
	progress?.(`${event}, ${run}`);
	rmSync(marker, { force: true });
	if (run === WITH_MARKER) plantMarker(sandbox);
	const ran = await runRegistered(command, sandbox, { input: payload(situation, sandbox), timeLimitMs });
	const { code: exit, ms } = ran;
	const { reason: wrong, chars } = judge(situation, ran, existsSync(usage));
	const logged = takeLog(sandbox);
	const reason = [wrong, logged && `logged: ${logged}`].filter(Boolean).join("; ");
	const { ok, warn, fail } = look(`commands.${part}.${run.replaceAll(" ", "-")}`, `${event}, ${run}`);
	const valid = wrong === null;
	const facts = `exit ${exit ?? "by signal"}, ${grouped(chars)} characters, ${ms} ms${reason && `, ${reason}`}`;
	return {
		check: (valid ? (reason ? warn : ok) : fail)(facts),
		command: { event, part, run, command, exit, valid, ...(!valid && { reason }), chars, ms },
	};
}

/** Drops the flush marker, as pressure would. */
function plantMarker({ store, sid }: Sandbox): void {
	const pressure = { tokens: 130_000, distance: 37_000, trigger: 167_000 };
	raiseFlush(sessionAt({ root: store, tell: () => {} }, sid), { at: new Date().toISOString(), ...pressure });
}

/** What the run logged: hooks end 0 and stay silent when something goes wrong, the log tells. */
function takeLog({ store }: Sandbox): string | null {
	const path = logPath(store);
	const line = readText(path)?.trim().split("\n").at(-1) || null;
	rmSync(path, { force: true });
	return line;
}
