import { Argument, Command, CommanderError, Option } from "commander";
import manifest from "../../package.json" with { type: "json" };
import type {
	Call,
	Commands,
	Argument as GivenArgument,
	Option as GivenOption,
	Group,
	Load,
} from "./support/command.ts";
import type { Io, WrongUse } from "./support/io.ts";
import { asTyped } from "./support/own-name.ts";
import { beside, wrapped } from "./support/text.ts";

/** Runs a call, and gives what was wrong in how it was called. */
type Run = (call: Call) => Promise<WrongUse | null>;

/** Reads the arguments with all that commander knows: help, what is wrong with them, what may have been meant. */
export async function parse(io: Io, commands: Commands, run: Run): Promise<void> {
	const args = io.args ?? [];
	try {
		await (await programOf(io, commands, args, run)).parseAsync(args, { from: "user" });
	} catch (error) {
		if (!(error instanceof CommanderError)) throw error;
		io.exit(error.exitCode === 0 ? 0 : 2);
	}
}

/** The program with the command that `args` begin with, or with all where they begin with none. */
export async function programOf(
	io: Io,
	commands: Commands,
	args: readonly string[] = [],
	run: Run = async () => null,
): Promise<Command> {
	const program = new Command("ccg")
		.configureOutput({
			writeOut: (text) => printHelp(asTyped(text, io).replace(/\n$/, ""), io),
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
		if (typeof one === "function") await addCommand(program, name, one, run);
		else await addGroup(program, name, one, second.startsWith("-") ? "" : second, run);
	}
	return program;
}

/** `meant`: the word behind the group's name, which tells the one command to load. */
async function addGroup(program: Command, name: string, of: Group, meant: string, run: Run): Promise<void> {
	const group = program
		.command(name)
		.description(of.about)
		.addHelpText("after", of.help ?? "");
	const isKnown = Object.hasOwn(of.commands, meant);
	for (const one of isKnown ? [meant] : Object.keys(of.commands))
		await addCommand(group, one, of.commands[one]!, run, one === of.bare);
	pointToOwnHelp(group);
	// commander would give it to the default command
	if (meant && !isKnown && meant !== "help")
		group.hook("preSubcommand", () => group.error(`error: unknown command '${meant}'`));
}

async function addCommand(parent: Command, name: string, load: Load, run: Run, isDefault = false): Promise<void> {
	const spec = await load();
	const { about, args = [], options = [], help } = spec;
	const command = new Command(name).copyInheritedSettings(parent).description(about).addHelpText("after", help);
	for (const one of args) command.addArgument(argumentOf(one));
	for (const one of options) command.addOption(optionOf(one));
	// words to look for may look like options
	if (name === "recall") command.allowUnknownOption();
	command.action(async () => {
		const wrong = await run({ name, spec, given: command.opts(), args: command.processedArgs });
		if (wrong) command.error(`error: ${wrong.message}`, { exitCode: 2 });
	});
	parent.addCommand(command, { isDefault });
	pointToOwnHelp(command);
}

function argumentOf({ name, about, choices }: GivenArgument): Argument {
	const made = new Argument(name, about);
	return choices ? made.choices(choices) : made;
}

function optionOf({ flags, about, parse, choices, otherwise, isHidden }: GivenOption): Option {
	const made = new Option(flags, about).default(otherwise).hideHelp(isHidden ?? false);
	if (parse) made.argParser(parse);
	return choices ? made.choices(choices) : made;
}

/** After wrong use: the help of the command that was meant, not of all of ccg. */
function pointToOwnHelp(command: Command): void {
	const names = [command.name()];
	for (let above = command.parent; above; above = above.parent) names.unshift(above.name());
	command.showHelpAfterError(`(${names.join(" ")} --help shows what there is)`);
}

/** Prints help in the terminal's width: paragraphs are filled anew, a text beside its label goes on under its own column. */
function printHelp(text: string, io: Io): void {
	const { columns: width } = io;
	if (width === undefined) return io.out(text);
	for (const line of joinedLines(text)) {
		const [label = ""] = /^ +\S[^ ]*(?: [^ ]+)* {2,}/.exec(line) ?? [];
		const isNarrow = label.length <= width / 2;
		const lines = label && isNarrow ? [] : wrapped(label || line, width);
		for (const one of lines) io.out(one.trimEnd());
		const indent = isNarrow ? label.length : UNDER_LABEL;
		if (label) beside(io, { label: isNarrow ? label : "", indent }, line.slice(label.length));
	}
}

const UNDER_LABEL = 6;

/** The lines of a text, those of one paragraph as one: a line that ends no sentence goes on. */
function joinedLines(text: string): string[] {
	const lines: string[] = [];
	for (const line of text.split("\n")) {
		const last = lines.at(-1) ?? "";
		const goesOn = /^\S/.test(last) && !/[.:]$/.test(last) && /^\S/.test(line);
		if (goesOn) lines[lines.length - 1] = `${last} ${line}`;
		else lines.push(line);
	}
	return lines;
}

const HELP = `
Examples:
  ccg demo
  ccg install --dry-run
  ccg status --json

In a session of Claude Code a command keeps to the session's project: ccg --anyway COMMAND reaches beyond it.`;
