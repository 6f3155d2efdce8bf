import { Command, CommanderError } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { refuseStore } from "../store/session/chosen-store.ts";
import type { Io, Register } from "./support/io.ts";
import { wrapped } from "./support/layout/fit.ts";
import { asTyped } from "./support/own-name.ts";
import { runAct } from "./support/run-act.ts";

/** Runs `ccg` with these arguments. Exit codes: 0 done (help and version too), 1 failed, 2 wrong use, or what the command sets. */
export async function runProgram(args: readonly string[], io: Io, register: Register): Promise<void> {
	// no option of a command: a permission rule for one allows whatever stands behind it
	io.anyway = args[0] === "--anyway";
	await runAct(io, async () => {
		try {
			await programOf(io, register).parseAsync(args.slice(Number(io.anyway)), { from: "user" });
		} catch (error) {
			if (!(error instanceof CommanderError)) throw error;
			io.exit(error.exitCode === 0 ? 0 : 2);
		}
	});
}

/** The program with the commands that `register` declares; what they do is loaded when one runs. */
export function programOf(io: Io, register: Register): Command {
	const program = new Command("ccg")
		.configureOutput({
			writeOut: (text) => io.out(fitting(asTyped(text, io).replace(/\n$/, ""), io.columns ?? 80)),
			writeErr: (text) => io.err(text.replace(/\n$/, "")),
			getOutHelpWidth: () => io.columns ?? 80,
			getErrHelpWidth: () => io.columns ?? 80,
			getOutHasColors: () => io.colours.isColorSupported,
		})
		.configureHelp({ minWidthToWrap: 20 })
		.description("Keeps a Claude Code session's working memory alive across context compaction.")
		.version(manifest.version)
		.option("--no-color", "no colours (NO_COLOR does the same)")
		.helpCommand("help [command]", "the help of a command")
		.exitOverride()
		.hook("preAction", (_, command) => {
			// what touches no store answers anywhere
			if (["completion"].includes(command.name())) return;
			// these say so themselves, beside what else there is to say; the demo has a store of its own
			refuseStore(io, { open: ["doctor", "demo"].includes(command.name()) });
		});
	register(program, io);
	pointToOwnHelp(program, "ccg");
	return program;
}

/** Help as wide as the terminal; an example stays a line that can be copied. */
const fitting = (text: string, width: number): string =>
	text
		.split("\n")
		.flatMap((line) => (line.startsWith(" ") || line.length <= width ? [line] : wrapped(line, width)))
		.join("\n");

/** After wrong use: the help of the command that was meant, not of all of ccg. */
function pointToOwnHelp(command: Command, name: string): void {
	command.showHelpAfterError(`(${name} --help shows what there is)`);
	for (const one of command.commands) pointToOwnHelp(one, `${name} ${one.name()}`);
}
