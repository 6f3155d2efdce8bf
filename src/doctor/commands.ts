import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { shellWord } from "../core/text/quoted.ts";
import { withThousands } from "../core/text/text.ts";
import { readText } from "../files/json-file.ts";
import { isExecutable } from "../files/on-path.ts";
import { catalog, entryCommand } from "../install/catalog.ts";
import { isPluginLauncher } from "../install/plugin/plugin-folders.ts";
import { loadConfig } from "../store/config.ts";
import { logPath } from "../store/paths.ts";
import { raiseFlushFlag } from "../store/pressure/flags.ts";
import { sessionHandle } from "../store/session-handle.ts";
import { fail, ok, warn } from "./check.ts";
import { runAsHook, type Sandbox, withDoctorSandbox } from "./sandbox.ts";
import { type DoctorFacts, eventName } from "./seen.ts";
import { checkAnswer, doctorTranscript, FLUSH_FLAG_SET, hookInput, type Situation, situations } from "./situations.ts";

/** Runs the registered commands as Claude Code does, in a sandbox, in each situation of a session; gives a check for each run. */
export const tryCommands = (facts: DoctorFacts) =>
	withDoctorSandbox(
		facts,
		async (sandbox) => {
			const commands = facts.entries.length === 0 ? pluginCommands(facts) : trustedCommands(facts, sandbox.launcher);
			const results: Awaited<ReturnType<typeof trySituation>>[] = [];
			for (const situation of situations(loadConfig(sandbox.store).config)) {
				// one command for each part: a second one would find the session as the first has left it
				const command = commands.find(({ part }) => part === situation.part);
				if (command) results.push(await trySituation(situation, command, sandbox, facts));
			}
			return results;
		},
		doctorTranscript,
	);

/** A registered command that may be run, and its text for the ccg that is linked into the sandbox. */
type TrialCommand = ReturnType<typeof pluginCommands>[number];

/**
 * The registered commands that may be run: those that an install of this ccg would write, letter by letter, since a settings file may come
 * from a repository. The user's own command inside a status line is never run: `:`, which does nothing, takes its place.
 */
function trustedCommands({ entries, launcher }: DoctorFacts, sandboxLauncher: string): TrialCommand[] {
	// commands of a missing launcher end in silence
	if (!isExecutable(launcher)) return [];
	return entries.flatMap((entry) => {
		const { part, command, wrapped } = entry;
		if (entryCommand(entry, launcher) !== command) return [];
		const harmless = { ...entry, ...(wrapped !== undefined && { wrapped: ":" }) };
		return [{ part, event: eventName(entry), command, commandInSandbox: entryCommand(harmless, sandboxLauncher)! }];
	});
}

/** The commands of the plugin's hooks, built here and not read from its files; none where the running ccg is not an enabled plugin's. */
function pluginCommands({ plugins, launcher }: DoctorFacts) {
	if (!plugins.some((plugin) => plugin.isEnabled && isPluginLauncher(launcher, plugin))) return [];
	const hookRunner = shellWord(join(dirname(dirname(launcher)), "hooks", "run"));
	return catalog(launcher).hooks.map(({ event, part }: { event: string; part: string }) => {
		const command = `${hookRunner} ${part}`;
		return { part, event, command, commandInSandbox: command };
	});
}

/** Runs a command in one situation; gives the check, and the facts of the run for the JSON output. */
async function trySituation(situation: Situation, tried: TrialCommand, sandbox: Sandbox, facts: DoctorFacts) {
	const { part, event, command, commandInSandbox } = tried;
	const { title } = situation;
	const session = sessionHandle({ root: sandbox.store, onProblem: () => {} }, sandbox.sid);
	facts.progress?.(`${event}, ${title}`);
	rmSync(session.paths.flushFlag, { force: true });
	if (title === FLUSH_FLAG_SET) raiseFlushFlag(session, new Date().toISOString());
	const options = { input: hookInput(situation, sandbox), timeLimitMs: facts.timeLimitMs };
	const result = await runAsHook(commandInSandbox, sandbox, options);
	const { code: exit, ms } = result;
	const { problem, chars } = checkAnswer(situation, result);
	const logged = readAndDeleteLog(sandbox.store);
	const reason = [problem, logged && `logged: ${logged}`].filter(Boolean).join("; ");
	const detail = `exit ${exit ?? "by signal"}, ${withThousands(chars)} characters, ${ms} ms${reason && `, ${reason}`}`;
	const valid = problem === null;
	const finding = (valid ? (reason ? warn : ok) : fail)(detail);
	return {
		check: { id: `commands.${part}.${title.replaceAll(" ", "-")}`, title: `${event}, ${title}`, ...finding },
		/** Printed as JSON. `exit`: `null` when it was killed. `reason`: why it is not valid. `chars`: how much Claude Code would take from it. */
		command: { event, part, run: title, command, exit, valid, ...(!valid && { reason }), chars, ms },
	};
}

/** Gives the last line of the failure log and deletes the log: a hook that fails ends with 0 and prints nothing. */
function readAndDeleteLog(store: string): string | null {
	const path = logPath(store);
	const line = readText(path)?.trim().split("\n").at(-1) || null;
	rmSync(path, { force: true });
	return line;
}
