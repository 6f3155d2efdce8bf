import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
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
import { fail, ok, warn } from "./check.ts";
import { inScratch, runRegistered, type Sandbox } from "./sandbox.ts";
import { eventName, type Seen } from "./seen.ts";
import { doctorTranscript, judgeAnswer, payload, type Situation, situations, WITH_MARKER } from "./situations.ts";

/**
 * Runs what is registered as Claude Code does, in a store and a project of their own, and judges the answers. In JSON the commands are
 * public.
 */
export const runCommands = (seen: Seen) =>
	inScratch(
		seen,
		async (sandbox) => {
			const commands = seen.entries.length === 0 ? pluginCommands(seen) : ownCommands(seen, sandbox.launcher);
			const played: Awaited<ReturnType<typeof playSituation>>[] = [];
			for (const situation of situations(loadConfig(sandbox.store).config)) {
				// of several texts of one part the first: what a session has left is no beginning for another
				const own = commands.find(({ part }) => part === situation.part);
				if (own) played.push(await playSituation(situation, own, sandbox, seen));
			}
			return played;
		},
		doctorTranscript,
	);

/** A text that may be run, with the event it is registered for; `played` is the same for the ccg of the sandbox. */
type OwnCommand = ReturnType<typeof pluginCommands>[number];

/**
 * What of the registered may be run: a text that the installer of this ccg would write for this launcher, letter by letter.
 * A settings file may come from a repository, and a command in it may look like ccg's and be anything. The command that a status
 * line carries inside is never run: nothing is put in its place.
 */
function ownCommands({ entries, launcher }: Seen, inSandbox: string): OwnCommand[] {
	// of a launcher that is gone it would end in silence
	if (!isProgram(launcher)) return [];
	return entries.flatMap((entry) => {
		const { part, command, wrapped } = entry;
		if (commandFor(entry, launcher) !== command) return [];
		const played = commandFor({ ...entry, ...(wrapped !== undefined && { wrapped: ":" }) }, inSandbox)!;
		return [{ part, event: eventName(entry), command, played }];
	});
}

/** What runs as the plugin's hooks, where the ccg that is running is the plugin: the texts are ccg's own, not the file's. */
function pluginCommands({ plugins, launcher }: Seen) {
	if (!plugins.some((one) => one.isEnabled && isOfPlugin(launcher, one))) return [];
	const run = shellWord(join(dirname(dirname(launcher)), "hooks", "run"));
	return catalog(launcher).hooks.map(({ event, part }: { event: string; part: string }) => {
		const command = `${run} ${part}`;
		return { part, event, command, played: command };
	});
}

async function playSituation(situation: Situation, own: OwnCommand, sandbox: Sandbox, { timeLimitMs, progress }: Seen) {
	const { part, event, command } = own;
	const { run } = situation;
	const session = sessionAt({ root: sandbox.store, tell: () => {} }, sandbox.sid);
	progress?.(`${event}, ${run}`);
	rmSync(session.paths.marker, { force: true });
	if (run === WITH_MARKER) raiseFlush(session, new Date().toISOString());
	const ran = await runRegistered(own.played, sandbox, { input: payload(situation, sandbox), timeLimitMs });
	const { code: exit, ms } = ran;
	const { reason: wrong, chars } = judgeAnswer(situation, ran);
	const logged = takeLog(sandbox.store);
	const reason = [wrong, logged && `logged: ${logged}`].filter(Boolean).join("; ");
	const facts = `exit ${exit ?? "by signal"}, ${grouped(chars)} characters, ${ms} ms${reason && `, ${reason}`}`;
	const valid = wrong === null;
	const found = (valid ? (reason ? warn : ok) : fail)(facts);
	return {
		check: { id: `commands.${part}.${run.replaceAll(" ", "-")}`, title: `${event}, ${run}`, ...found },
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
