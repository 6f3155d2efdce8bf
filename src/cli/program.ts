import { Command, CommanderError } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { keepOut } from "../core/redact/secrets.ts";
import { systemPath, systemReason, whyOf } from "../files/system-failure.ts";
import { enterFolder } from "../install/launcher.ts";
import { lookAround, ownVariables } from "../store/project-store.ts";
import { refuseStore } from "../store/session/place.ts";
import { printAnswer } from "./support/answer.ts";
import { ALL, type Given, type Spec } from "./support/command.ts";
import { type Io, processIo, WrongUse } from "./support/io.ts";
import { asTyped } from "./support/own-name.ts";
import { refuseCrossing } from "./support/place.ts";

/** Loads a command's file: only that of the command that was called. */
type Load = () => Promise<Spec>;

/** Commands of one subject, as in `ccg memory save`. */
export interface Group {
	about: string;
	help?: string;
	/** The command that also runs when the group is called bare. */
	bare: string;
	commands: Record<string, Load>;
}

/** In the order in which the help lists them. */
export type Commands = Record<string, Load | Group>;

/** Runs this process as `ccg` with these commands, once the environment's secrets are known and its working folder is the caller's. */
export function start(commands: Commands): void {
	keepOut(ownVariables(lookAround(process.env, [process.env.CCG_CWD ?? process.cwd()])));
	const problem = enterFolder(process.env);
	const io = processIo();
	if (problem) fail(problem, io);
	else void runProgram(process.argv.slice(2), io, commands);
}

/**
 * Runs `ccg` with these arguments. Exit codes: 0 done (help and version too), 1 failed (one line says why) or an answer that did not
 * arrive, 2 wrong use, or what the command sets.
 */
export async function runProgram(given: readonly string[], io: Io, commands: Commands): Promise<void> {
	// no option of a command: a permission rule for one allows whatever stands behind it
	io.anyway = given[0] === "--anyway";
	io.args = given.slice(Number(io.anyway));
	try {
		await (await programOf(io, commands, io.args)).parseAsync(io.args, { from: "user" });
	} catch (error) {
		if (error instanceof CommanderError) io.exit(error.exitCode === 0 ? 0 : 2);
		else fail(failureText(error), io);
	}
	const lost = io.lost?.();
	if (lost) fail(`the answer could not be written to standard output: ${lost}`, io);
}

function fail(why: string, io: Io): void {
	io.err(`ccg: ${why}`);
	io.exit(1);
}

/** What a failure says; where the file system refused something, the path and why. */
function failureText(error: unknown): string {
	const [reason, path] = [systemReason(error), systemPath(error)];
	if (reason === null || path === null) return whyOf(error);
	return `${path} can't be read or written: ${reason}`;
}

/** The program with the command that `args` begin with, or with all where they begin with none. */
export async function programOf(io: Io, commands: Commands, args: readonly string[] = []): Promise<Command> {
	const program = new Command("ccg")
		.configureOutput({
			writeOut: (text) => io.out(asTyped(text, io).replace(/\n$/, "")),
			writeErr: (text) => io.err(text.replace(/\n$/, "")),
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
	const [first = "", second = ""] = args;
	for (const name of Object.hasOwn(commands, first) ? [first] : Object.keys(commands)) {
		const one = commands[name]!;
		if (typeof one === "function") await addCommand(program, name, one, io);
		else await addGroup(program, name, one, second.startsWith("-") ? "" : second, io);
	}
	return program;
}

/** `meant`: the word behind the group's name, which tells the one command to load. */
async function addGroup(program: Command, name: string, of: Group, meant: string, io: Io): Promise<void> {
	const group = program
		.command(name)
		.description(of.about)
		.addHelpText("after", of.help ?? "");
	const isKnown = Object.hasOwn(of.commands, meant);
	for (const one of isKnown ? [meant] : Object.keys(of.commands))
		await addCommand(group, one, of.commands[one]!, io, one === of.bare);
	pointToOwnHelp(group);
	// commander would give it to the default command
	if (meant && !isKnown && meant !== "help")
		group.hook("preSubcommand", () => group.error(`error: unknown command '${meant}'`));
}

async function addCommand(parent: Command, name: string, load: Load, io: Io, isDefault = false): Promise<void> {
	const spec = await load();
	const { about, args = [], options = [], help } = spec;
	const command = new Command(name).copyInheritedSettings(parent).description(about).addHelpText("after", help);
	for (const one of args) command.addArgument(one);
	for (const one of options) command.addOption(one);
	// words to look for may look like options
	if (name === "recall") command.allowUnknownOption();
	command.action(() => run(command, spec, io));
	parent.addCommand(command, { isDefault });
	pointToOwnHelp(command);
}

async function run(command: Command, { act, options = [] }: Spec, io: Io): Promise<void> {
	const given = command.opts<Given>();
	// what touches no store answers anywhere; doctor says itself what is wrong with one, and the demo has its own
	if (command.name() !== "completion") refuseStore(io, { open: ["doctor", "demo"].includes(command.name()) });
	try {
		if (given.all && options.includes(ALL)) refuseCrossing("--all", io);
		const answer = await act(io, given as never, ...(command.processedArgs as never[]));
		if (answer) printAnswer(answer, given, io);
	} catch (error) {
		if (error instanceof WrongUse) command.error(`error: ${error.message}`, { exitCode: 2 });
		throw error;
	}
}

/** After wrong use: the help of the command that was meant, not of all of ccg. */
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

In a session of Claude Code a command keeps to the session's project: ccg --anyway COMMAND reaches beyond it.`;
