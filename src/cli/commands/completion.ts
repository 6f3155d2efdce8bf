import { type Command, Option } from "commander";
import { listProfiles } from "../../store/config/profile-file.ts";
import { listSessions } from "../../store/session/session-snapshot.ts";
import { bashScript } from "../completion/bash.ts";
import { fishScript } from "../completion/fish.ts";
import { placesOf } from "../completion/places.ts";
import { zshScript } from "../completion/zsh.ts";
import { TOPICS } from "../support/help-topics.ts";
import type { Io } from "../support/io.ts";
import { storeOf } from "../support/pick-session.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };
type Shell = keyof typeof SCRIPTS;

/** `ccg completion SHELL`: a script made from the program's own commands and options, so it can't fall behind them. */
export function registerCompletion(program: Command, io: Io): void {
	const completion = program.command("completion").description("print a script that completes commands and options");
	completion
		.addArgument(completion.createArgument("[shell]", "the shell it is for").choices(Object.keys(SCRIPTS)))
		.addOption(new Option("--names <kind>", "what the scripts ask for").choices(Object.keys(NAMES)).hideHelp())
		.addHelpText("after", HELP)
		.action(async (shell: Shell | undefined, { names }: { names?: keyof typeof NAMES }) => {
			if (names) return tellNames(names, io);
			if (!shell) return completion.error("error: name a shell: bash, zsh or fish", { exitCode: 2 });
			io.out(SCRIPTS[shell](placesOf(program)).trimEnd());
		});
}

const NAMES = {
	sessions: (io: Io) => listSessions(storeOf(io)),
	profiles: async (io: Io) => (await listProfiles(storeOf(io))).map(({ name }) => name),
	topics: () => Object.keys(TOPICS),
};

/** A shell that completes shows no failure: there is then nothing to choose from. */
async function tellNames(kind: keyof typeof NAMES, io: Io): Promise<void> {
	try {
		for (const name of await NAMES[kind](io)) io.out(name);
	} catch {
		// nothing to choose from
	}
}

const HELP = `
Examples:
  bash   echo 'source <(ccg completion bash)' >> ~/.bashrc
  zsh    ccg completion zsh > "\${fpath[1]}/_ccg"
  fish   ccg completion fish > ~/.config/fish/completions/ccg.fish

It completes for a command that is called ccg: bin/ccg has to be on PATH. Session ids and profiles are looked up in the store.`;
