import { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { ownVariables } from "../claude/machine/own-variables.ts";
import { keepOut } from "../core/redact/secrets.ts";
import { errorCode, failureText } from "../files/system-failure.ts";
import { enterFolder } from "../install/launcher.ts";
import { inWords } from "../store/database-errors.ts";
import { storeRoot } from "../store/paths.ts";
import { refuseOpenStore } from "../store/refuse-links.ts";
import { ALL_COMMANDS } from "./all-commands.ts";
import { printAnswer } from "./support/answer.ts";
import { ALL, type Group, type Spec } from "./support/command.ts";
import { type Io, processIo, WrongUse } from "./support/io.ts";
import { asTyped } from "./support/own-name.ts";
import { refuseCrossing } from "./support/place.ts";
import { wrapText } from "./support/text.ts";

/** Runs this process as `ccg`, once the environment's secrets are known and its working folder is the caller's. */
export function startCcg(): void {
	keepOut(ownVariables(process.env, process.env.CCG_CWD ?? process.cwd()));
	const problem = enterFolder(process.env);
	const io = processIo();
	if (problem) tellFailure(problem, io);
	else void runCommandLine(process.argv.slice(2), io);
}

/** Runs `ccg` with these words. Exit code: 0 done (help too), 1 failed or the answer did not arrive, 2 wrong use, or what the command sets. */
export async function runCommandLine(words: readonly string[], io: Io): Promise<void> {
	// no option of a command: a permission rule for one allows whatever stands behind it
	io.anyway = words[0] === "--anyway";
	io.args = words.slice(Number(io.anyway));
	try {
		await (await commanderProgram(io, io.args)).parseAsync(io.args, { from: "user" });
	} catch (error) {
		if (errorCode(error).startsWith("commander.")) io.exit((error as { exitCode?: number }).exitCode === 0 ? 0 : 2);
		else tellFailure(failureText(inWords(error, "a database of", storeRoot(io.env) ?? "the store")), io);
	}
	const lost = io.lost?.();
	if (lost) tellFailure(`the answer could not be written to standard output: ${lost}`, io);
}

function tellFailure(why: string, io: Io): void {
	io.err(`ccg: ${why}`);
	io.exit(1);
}

/** Builds commander's program: with the command that `args` begin with, or with all commands where they begin with none. */
export async function commanderProgram(io: Io, args: readonly string[] = []): Promise<Command> {
	const program = new Command("ccg")
		.configureOutput({
			writeOut: (text) => {
				for (const line of wrapText(asTyped(text.trimEnd(), io), io.columns ?? Infinity)) io.out(line);
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
		const loadOrGroup = ALL_COMMANDS[name]!;
		if (typeof loadOrGroup === "function") addCommand(program, name, await loadOrGroup(), io);
		else await addGroup(program, name, loadOrGroup, secondWord.startsWith("-") ? "" : secondWord, io);
	}
	return program;
}

/** Adds a group with its commands to the program. `typed` is the word behind the group's name, `""` where there is none. */
async function addGroup(program: Command, name: string, groupSpec: Group, typed: string, io: Io): Promise<void> {
	const group = program
		.command(name)
		.description(groupSpec.about)
		.addHelpText("after", groupSpec.help ?? "");
	const commands = await groupSpec.load();
	for (const [one, spec] of Object.entries(commands)) addCommand(group, one, spec, io, one === groupSpec.bare);
	pointToOwnHelp(group);
	// commander would give it to the default command
	if (typed && !Object.hasOwn(commands, typed) && typed !== "help")
		group.hook("preSubcommand", () => group.error(`error: unknown command '${typed}'`));
}

/** Adds a command to the program or to a group, as its spec says; `isDefault`: it also runs when the group is called bare. */
function addCommand(parent: Command, name: string, spec: Spec, io: Io, isDefault = false): void {
	const { about, args = [], options = [], help } = spec;
	const command = new Command(name).copyInheritedSettings(parent).description(about).addHelpText("after", help);
	for (const one of args) command.addArgument(one);
	for (const one of options) command.addOption(one);
	// words to look for may look like options
	if (name === "recall") command.allowUnknownOption();
	command.action(() => runCommand(command, spec, io));
	parent.addCommand(command, { isDefault });
	pointToOwnHelp(command);
}

/** Runs a command and prints its answer; wrong use ends with exit code 2. */
async function runCommand(command: Command, spec: Spec, io: Io): Promise<void> {
	// a store that others may write to is not even read; doctor reports such a store itself, and the demo has its own store
	const root = ["doctor", "demo"].includes(command.name()) ? null : storeRoot(io.env);
	if (root) refuseOpenStore(root);
	const options = command.opts();
	try {
		if (options.all && spec.options?.includes(ALL)) refuseCrossing("--all", io);
		const answer = await spec.act(io, options as never, ...(command.processedArgs as never[]));
		if (answer) printAnswer(answer, options, io);
	} catch (error) {
		if (error instanceof WrongUse) command.error(`error: ${error.message}`, { exitCode: 2 });
		throw error;
	}
}

/** After wrong use, names the help of this command, not that of all of ccg. */
function pointToOwnHelp(command: Command): void {
	const names = [command.name()];
	for (let above = command.parent; above; above = above.parent) names.unshift(above.name());
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
