import { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { withoutRepositoryVariables } from "../claude/machine/own-variables.ts";
import { registerEnvironmentSecrets } from "../core/redact/secrets.ts";
import { errorCode, failureText } from "../files/system-failure.ts";
import { enterFolder } from "../install/launcher.ts";
import { explainSqliteError } from "../store/database-errors.ts";
import { storeRoot } from "../store/paths.ts";
import { refuseUnsafeStore } from "../store/refuse-links.ts";
import { ALL_COMMANDS } from "./all-commands.ts";
import { printAnswer } from "./support/answer.ts";
import { ALL, type Group, type Spec } from "./support/command.ts";
import { type Io, processIo, WrongUse } from "./support/io.ts";
import { withTypableCommands } from "./support/own-name.ts";
import { refuseIfBound } from "./support/place.ts";
import { wrapText } from "./support/text.ts";

/** Runs this process as `ccg`, once the environment's secrets are known and its working folder is the caller's. */
export function startCcg(): void {
	registerEnvironmentSecrets(withoutRepositoryVariables(process.env, process.env.CCG_CWD ?? process.cwd()));
	const problem = enterFolder(process.env);
	const io = processIo();
	if (problem) reportFailure(problem, io);
	else void runCommandLine(process.argv.slice(2), io);
}

/** Runs `ccg` with these words. Exit code: 0 done (help too), 1 failed or the answer did not arrive, 2 wrong use, or what the command sets. */
export async function runCommandLine(words: readonly string[], io: Io): Promise<void> {
	// (before the command, since a permission rule for a command allows whatever stands behind it)
	io.mayLeaveProject = words[0] === "--anyway";
	io.args = words.slice(Number(io.mayLeaveProject));
	try {
		await (await buildProgram(io, io.args)).parseAsync(io.args, { from: "user" });
	} catch (error) {
		if (errorCode(error).startsWith("commander."))
			io.setExitCode((error as { exitCode?: number }).exitCode === 0 ? 0 : 2);
		else reportFailure(failureText(explainSqliteError(error, "a database of", storeRoot(io.env) ?? "the store")), io);
	}
	const writeFailure = io.writeFailure?.();
	if (writeFailure) reportFailure(`the answer could not be written to standard output: ${writeFailure}`, io);
}

/** Prints why ccg failed, and sets exit code 1. */
function reportFailure(why: string, io: Io): void {
	io.err(`ccg: ${why}`);
	io.setExitCode(1);
}

/** Builds the program that parses `args`: with the command that they begin with, or with all commands where they begin with none. */
export async function buildProgram(io: Io, args: readonly string[] = []): Promise<Command> {
	const program = new Command("ccg")
		.configureOutput({
			writeOut: (text) => {
				for (const line of wrapText(withTypableCommands(text.trimEnd(), io), io.columns ?? Infinity)) io.out(line);
			},
			writeErr: (text) => io.err(text.trimEnd()),
			getOutHelpWidth: () => io.columns ?? 80,
			getErrHelpWidth: () => io.columns ?? 80,
			getOutHasColors: () => io.colours.isColorSupported,
		})
		.configureHelp({ minWidthToWrap: 20 })
		.description("Keeps a Claude Code session's working memory alive across context compaction.")
		.version(manifest.version)
		.helpCommand("help [command]", "the help of a command")
		.exitOverride()
		.addHelpText("after", HELP);
	pointToOwnHelp(program);
	const [firstWord = "", secondWord = ""] = args;
	for (const name of Object.hasOwn(ALL_COMMANDS, firstWord) ? [firstWord] : Object.keys(ALL_COMMANDS)) {
		const entry = ALL_COMMANDS[name]!;
		const isSingleCommand = typeof entry === "function";
		if (isSingleCommand) addCommand(program, name, await entry(), io);
		else await addGroup(program, name, entry, secondWord.startsWith("-") ? "" : secondWord, io);
	}
	return program;
}

/** Adds a group and its commands to the program. `typed`: the word that was typed behind the group's name, `""` for none. */
async function addGroup(program: Command, name: string, groupSpec: Group, typed: string, io: Io): Promise<void> {
	const { about, help = "", defaultCommand } = groupSpec;
	const group = program.command(name).description(about).addHelpText("after", help);
	const commands = await groupSpec.load();
	for (const [subcommand, spec] of Object.entries(commands))
		addCommand(group, subcommand, spec, io, { isDefault: subcommand === defaultCommand });
	pointToOwnHelp(group);
	// commander would run the default command with an unknown word
	const isUnknown = typed && !Object.hasOwn(commands, typed) && typed !== "help";
	if (isUnknown) group.hook("preSubcommand", () => group.error(`error: unknown command '${typed}'`));
}

/** Adds a command to the program or to a group, as its spec says. A default command also runs when its group is typed alone. */
function addCommand(parent: Command, name: string, spec: Spec, io: Io, { isDefault = false } = {}): void {
	const { about, args = [], options = [], help } = spec;
	const command = new Command(name).copyInheritedSettings(parent).description(about).addHelpText("after", help);
	for (const arg of args) command.addArgument(arg);
	for (const option of options) command.addOption(option);
	// (words to search for may look like options)
	if (name === "recall") command.allowUnknownOption();
	command.action(() => runCommand(command, spec, io));
	parent.addCommand(command, { isDefault });
	pointToOwnHelp(command);
}

/** Runs a command and prints its answer; wrong use ends with exit code 2. */
async function runCommand(command: Command, spec: Spec, io: Io): Promise<void> {
	// (doctor reports itself a store that others may write to, and the demo has its own)
	const root = ["doctor", "demo"].includes(command.name()) ? null : storeRoot(io.env);
	if (root) refuseUnsafeStore(root);
	const options = command.opts();
	try {
		if (options.all && spec.options?.includes(ALL)) refuseIfBound("--all", io);
		const answer = await spec.run(io, options as never, ...(command.processedArgs as never[]));
		if (answer) printAnswer(answer, options, io);
	} catch (error) {
		if (error instanceof WrongUse) command.error(`error: ${error.message}`, { exitCode: 2 });
		throw error;
	}
}

/** After wrong use of a command, points to the help of this command, not to that of all of ccg. */
function pointToOwnHelp(command: Command): void {
	const names = [command.name()];
	for (let { parent } = command; parent; parent = parent.parent) names.unshift(parent.name());
	command.showHelpAfterError(`(${names.join(" ")} --help shows what there is)`);
}

const HELP = `
Examples:
  ccg demo
  ccg install --dry-run
  ccg status --json

Exit codes: 0 done (or there was nothing to do, or you declined), 1 failed, 2 wrong use, or nobody to ask and no --yes. \
Where a command has others its help says so.

In a session of Claude Code a command keeps to the session's project: ccg --anyway COMMAND reaches beyond it.`;
