import { type Command, Option } from "commander";
import type { NameKind, Shell } from "../acts/completion.ts";
import type { Io } from "../support/io.ts";

const SHELLS: readonly Shell[] = ["bash", "zsh", "fish"];
const NAMES: readonly NameKind[] = ["sessions", "profiles"];

/** `ccg completion SHELL`: a script made from the program's own commands and options, so it can't fall behind them. */
export function registerCompletion(program: Command, io: Io): void {
	const completion = program.command("completion").description("print a script that completes commands and options");
	completion
		.addArgument(completion.createArgument("[shell]", "the shell it is for").choices(SHELLS))
		.addOption(new Option("--names <kind>", "what the scripts ask for").choices(NAMES).hideHelp())
		.addHelpText("after", HELP)
		.action(async (shell: Shell | undefined, { names }: { names?: NameKind }) => {
			if (!names && !shell) return completion.error("error: name a shell: bash, zsh or fish", { exitCode: 2 });
			const { script, tellNames } = await import("../acts/completion.ts");
			if (names) await tellNames(names, io);
			else if (shell) io.out(script(shell, program));
		});
}

const HELP = `
Examples:
  bash   echo 'source <(ccg completion bash)' >> ~/.bashrc
  zsh    ccg completion zsh > "\${fpath[1]}/_ccg"
  fish   ccg completion fish > ~/.config/fish/completions/ccg.fish

It completes for a command that is called ccg: bin/ccg has to be on PATH. Session ids and profiles are looked up in the store.`;
