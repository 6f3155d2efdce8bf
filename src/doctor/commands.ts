import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { shellWord } from "../core/text/quoted.ts";
import { grouped } from "../core/text/text.ts";
import { readText } from "../files/json-file.ts";
import { isProgram } from "../files/on-path.ts";
import { catalog, commandFor } from "../install/catalog.ts";
import { isOfPlugin } from "../install/plugin/plugin-folders.ts";
import { loadConfig } from "../store/config.ts";
import { logPath } from "../store/paths.ts";
import { raiseFlush } from "../store/pressure/flags.ts";
import { sessionAt } from "../store/session-handle.ts";
import { type Finding, fail, ok, toChecks, warn } from "./check.ts";
import { inScratch, runRegistered, type Sandbox } from "./sandbox.ts";
import { eventName, type Seen } from "./seen.ts";
import { doctorTranscript, judgeAnswer, payload, type Situation, situations, WITH_MARKER } from "./situations.ts";

/** A text that may be run, and the events it is registered for. */
interface OwnCommand {
	part: string;
	event: string;
	command: string;
	/** The same for a ccg that lies elsewhere. */
	at(launcher: string): string;
}

/**
 * Runs what is registered as Claude Code does, in a store and a project of their own, and judges the answers. In JSON the commands are
 * public.
 */
export async function runCommands(seen: Seen) {
	const commands = seen.entries.length === 0 ? pluginCommands(seen) : ownCommands(seen);
	const played =
		commands.length === 0 ? [] : await inScratch(seen, (sandbox) => playAll(commands, sandbox, seen), doctorTranscript);
	return {
		played: played.flatMap(({ checks }) => checks),
		commands: played.map(({ command }) => command),
	};
}

/**
 * What of the registered may be run: a text that the installer of this ccg would write for this launcher, letter by letter.
 * A settings file may come from a repository, and a command in it may look like ccg's and be anything. The command that a status
 * line carries inside is never run: nothing is put in its place.
 */
function ownCommands({ entries, launcher }: Seen): OwnCommand[] {
	// of a launcher that is gone it would end in silence
	const own = isProgram(launcher) ? entries.filter((entry) => commandFor(entry, launcher) === entry.command) : [];
	return own.map((entry) => {
		const at = (launcher: string) =>
			commandFor({ ...entry, ...(entry.wrapped !== undefined && { wrapped: ":" }) }, launcher)!;
		return { part: entry.part, event: eventName(entry), command: at(launcher), at };
	});
}

/** What runs as the plugin's hooks, where the ccg that is running is the plugin: the texts are ccg's own, not the file's. */
function pluginCommands({ plugins, launcher }: Seen): OwnCommand[] {
	const plugin = plugins.find((one) => one.isEnabled && isOfPlugin(launcher, one));
	if (!plugin) return [];
	const run = shellWord(join(plugin.root, "hooks", "run"));
	return catalog(launcher).hooks.map(({ event, part }) => {
		const command = `${run} ${part}`;
		return { part, event, command, at: () => command };
	});
}

async function playAll(commands: readonly OwnCommand[], sandbox: Sandbox & { launcher: string }, seen: Seen) {
	const played: Awaited<ReturnType<typeof playSituation>>[] = [];
	for (const situation of situations(loadConfig(sandbox.store).config)) {
		// of several texts of one part the first: what a session has left is no beginning for another
		const own = commands.find(({ part }) => part === situation.part);
		if (own) played.push(await playSituation(situation, own, sandbox, seen));
	}
	return played;
}

async function playSituation(
	situation: Situation,
	{ event, command, at }: OwnCommand,
	sandbox: Sandbox & { launcher: string },
	{ timeLimitMs, progress }: Seen,
) {
	const { part, run } = situation;
	const { store, sid } = sandbox;
	const session = sessionAt({ root: store, tell: () => {} }, sid);
	progress?.(`${event}, ${run}`);
	rmSync(session.paths.marker, { force: true });
	if (run === WITH_MARKER) raiseFlush(session, new Date().toISOString());
	const ran = await runRegistered(at(sandbox.launcher), sandbox, { input: payload(situation, sandbox), timeLimitMs });
	const { code: exit, ms } = ran;
	const { reason: wrong, chars } = judgeAnswer(situation, ran, existsSync(session.paths.pressure));
	const logged = takeLog(store);
	const reason = [wrong, logged && `logged: ${logged}`].filter(Boolean).join("; ");
	const valid = wrong === null;
	const facts = `exit ${exit ?? "by signal"}, ${grouped(chars)} characters, ${ms} ms${reason && `, ${reason}`}`;
	const found: Finding = (valid ? (reason ? warn : ok) : fail)(facts);
	return {
		checks: toChecks(`commands.${part}.${run.replaceAll(" ", "-")}`, `${event}, ${run}`, found),
		/** `exit` is `null` when it was killed, `reason` is why it is not valid, `chars` the size of what Claude Code would take from it. */
		command: { event, part, run, command, exit, valid, ...(!valid && { reason }), chars, ms },
	};
}

/** What the run logged: hooks end 0 and stay silent when something goes wrong, the log tells. */
function takeLog(store: string): string | null {
	const path = logPath(store);
	const line = readText(path)?.trim().split("\n").at(-1) || null;
	rmSync(path, { force: true });
	return line;
}
