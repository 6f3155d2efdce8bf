import type { Command } from "commander";
import { argument, option, type Spec } from "../support/command.ts";
import { type Io, WrongUse } from "../support/io.ts";

/** A shell's script asks `ccg completion WORDS…` at each Tab, so it can't fall behind the program. */
const SCRIPTS: Record<string, string> = {
	bash: `# bash completion for ccg
_ccg() {
	local IFS=$'\\n'
	COMPREPLY=($("\${COMP_WORDS[0]}" completion --for -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _ccg ccg`,
	zsh: `#compdef ccg
# zsh completion for ccg
_ccg() {
	local -a found
	found=(\${(f)"$(\${words[1]} completion --for -- "\${(@)words[2,CURRENT]}" 2>/dev/null | sed 's/:/\\\\:/g; s/\\t/:/')"})
	if (( \${#found} )); then _describe command found; else _files; fi
}
if [ "\${funcstack[1]}" = _ccg ]; then _ccg "$@"; else compdef _ccg ccg; fi`,
	fish: `# fish completion for ccg
complete -c ccg -a '(ccg completion --for -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
};

/** `ccg completion SHELL`; `whole` gives the program with all commands. */
export const completion = (whole: (io: Io) => Promise<Command>): Spec => ({
	about: "print a script that completes commands and options",
	args: [argument("[words...]", "the shell it is for: bash, zsh or fish")],
	options: [option("--for", "what may stand as the last of these words", { isHidden: true })],
	help: `
Examples:
  bash   echo 'source <(ccg completion bash)' >> ~/.bashrc
  zsh    ccg completion zsh > "\${fpath[1]}/_ccg"
  fish   ccg completion fish > ~/.config/fish/completions/ccg.fish

It completes for a command that is called ccg: bin/ccg has to be on PATH.`,
	async act(io, options: { for?: boolean }, words: string[]) {
		const script = words.length === 1 && SCRIPTS[words[0]!];
		if (!options.for && !script) throw new WrongUse("name a shell: bash, zsh or fish");
		if (!options.for) return void io.out(script as string);
		const last = words.at(-1) ?? "";
		const found = candidates(await whole(io), words.slice(0, -1), last);
		for (const [word = "", about] of found) if (word.startsWith(last)) io.out(about ? `${word}\t${about}` : word);
	},
});

/** What may stand behind these words, each with what it is; nothing where files may. */
function candidates(program: Command, before: readonly string[], word: string): (string | undefined)[][] {
	let at = program;
	for (const one of before) at = at.commands.find((command) => command.name() === one) ?? at;
	const help = at.createHelp();
	const options = help.visibleOptions(at);
	const open = options.find(({ long }) => long === before.at(-1));
	if (open?.required || open?.optional) return (open.argChoices ?? []).map((one) => [one]);
	if (word.startsWith("-")) return options.map(({ long, description }) => [long, description]);
	return help.visibleCommands(at).map((one) => [one.name(), one.description()]);
}
